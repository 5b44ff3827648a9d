// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <pthread.h>

#include <cerrno>

namespace warpsafe::watch {

/// While it lives, the calling thread does the watch's work, and the program notices none of it: it
/// keeps errno, and a request to cancel the thread waits, because the watch's calls are no
/// cancellation points of the program.
class Unnoticed {
 public:
  Unnoticed() noexcept : errno_(errno) {
    ::pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancelling_);
  }
  Unnoticed(const Unnoticed&) = delete;
  Unnoticed& operator=(const Unnoticed&) = delete;
  /// A thread that asks to be cancelled anywhere ends here.
  ~Unnoticed() noexcept(false) {
    errno = errno_;
    ::pthread_setcancelstate(cancelling_, nullptr);
  }

 private:
  int errno_;
  int cancelling_ = PTHREAD_CANCEL_ENABLE;
};

}  // namespace warpsafe::watch
