// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <pthread.h>

#include <cerrno>
#include <csignal>
#include <ctime>
#include <initializer_list>

namespace warpsafe::watch {

/// While it lives, a failed write of this thread raises no signal: the program did not write to a
/// closed pipe (SIGPIPE) or past its limit (SIGXFSZ), and would end by it. Its end keeps errno, the
/// reason of the failure.
class HeldSignals {
 public:
  HeldSignals() noexcept {
    sigset_t pending;
    ::sigpending(&pending);
    ::sigemptyset(&ours_);
    // One that is already pending belongs to the program.
    for (const int one : {SIGPIPE, SIGXFSZ}) {
      if (::sigismember(&pending, one) == 0) ::sigaddset(&ours_, one);
    }
    ::pthread_sigmask(SIG_BLOCK, &ours_, &before_);
  }
  HeldSignals(const HeldSignals&) = delete;
  HeldSignals& operator=(const HeldSignals&) = delete;
  ~HeldSignals() {
    const int kept = errno;
    const timespec at_once{};
    while (::sigtimedwait(&ours_, nullptr, &at_once) > 0) {
    }
    errno = kept;
    ::pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  }

 private:
  sigset_t ours_;
  sigset_t before_;
};

/// While it lives, threads that this thread starts receive none of the program's signals: a handler
/// may expect one of the program's own threads.
class NoSignals {
 public:
  NoSignals() noexcept {
    sigset_t all;
    ::sigfillset(&all);
    ::pthread_sigmask(SIG_SETMASK, &all, &before_);
  }
  NoSignals(const NoSignals&) = delete;
  NoSignals& operator=(const NoSignals&) = delete;
  ~NoSignals() { ::pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

 private:
  sigset_t before_;
};

}  // namespace warpsafe::watch
