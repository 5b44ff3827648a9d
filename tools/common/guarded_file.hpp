// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include "held_signals.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace warpsafe::watch {

/// An open file to which the watch writes lines while the program runs. The program may close or
/// reuse any descriptor, so each line goes out only while the descriptor has the file that it had
/// at first. A line never ends the program by a signal, and waits at most some seconds for a
/// reader. `use` is not thread-safe.
class GuardedFile {
 public:
  /// Writes to that descriptor from now on; -1: to none.
  void use(int descriptor) noexcept {
    struct stat found {};
    descriptor_ = ::fstat(descriptor, &found) == 0 ? descriptor : -1;
    device_ = found.st_dev;
    inode_ = found.st_ino;
    plain_ = S_ISREG(found.st_mode);
  }
  /// Whether that descriptor has the file.
  [[nodiscard]] bool has(int descriptor) const noexcept {
    struct stat now {};
    return descriptor_ >= 0 && ::fstat(descriptor, &now) == 0 && now.st_dev == device_ &&
           now.st_ino == inode_;
  }

  /// Writes a line: `text` and an end of line, in one system call if possible. Returns 0, or the
  /// errno of the failure: EBADF if the program has taken the descriptor, EAGAIN if nobody reads.
  /// Keeps errno.
  [[nodiscard]] int line(std::string_view text) noexcept {
    const int kept = errno;
    const int failed = has(descriptor_) ? write_all(text) : EBADF;
    errno = kept;
    return failed;
  }

 private:
  static constexpr std::uint64_t patience = 1000;  // milliseconds

  [[nodiscard]] static std::uint64_t milliseconds_now() noexcept {
    timespec now{};
    ::clock_gettime(CLOCK_MONOTONIC, &now);
    return static_cast<std::uint64_t>(now.tv_sec) * 1000 +
           static_cast<std::uint64_t>(now.tv_nsec) / 1'000'000;
  }
  /// Whether a write may raise a signal. A plain file has no reader that could close it.
  [[nodiscard]] bool may_raise() const noexcept {
    rlimit size{};
    return !plain_ || ::getrlimit(RLIMIT_FSIZE, &size) != 0 || size.rlim_cur != RLIM_INFINITY;
  }
  /// Waits until a write does not block, for `patience` since `begun`. Returns 0, or the errno.
  [[nodiscard]] int wait_for_reader(std::uint64_t begun) noexcept {
    for (;;) {
      pollfd ready{descriptor_, POLLOUT, 0};
      // The program's timers may interrupt the wait again and again.
      const std::uint64_t waited = milliseconds_now() - begun;
      const bool waits = waited < patience && !__atomic_load_n(&impatient_, __ATOMIC_RELAXED);
      const int count = ::poll(&ready, 1, waits ? static_cast<int>(patience - waited) : 0);
      if (count > 0) return 0;
      if (count < 0 && errno == EINTR && waits) continue;
      __atomic_store_n(&impatient_, true, __ATOMIC_RELAXED);
      return EAGAIN;
    }
  }
  int write_all(std::string_view text) noexcept {
    // A journal has a line for each launch, so a plain file is written without further calls.
    std::optional<HeldSignals> held;
    if (may_raise()) held.emplace();
    const std::uint64_t begun = plain_ ? 0 : milliseconds_now();
    std::size_t done = 0;
    while (done <= text.size()) {
      if (const int failed = plain_ ? 0 : wait_for_reader(begun); failed != 0) return failed;
      // A pipe that is ready takes at least a page without waiting.
      constexpr std::size_t most = 4096;
      const std::size_t rest = text.size() - done;
      const bool last = rest < most;
      iovec parts[2] = {{const_cast<char*>(text.data()) + done, last ? rest : most},
                        {const_cast<char*>("\n"), last ? 1U : 0U}};
      const ssize_t written = ::writev(descriptor_, parts, 2);
      if (written < 0 && errno == EINTR) continue;
      if (written <= 0) return written < 0 ? errno : ENOSPC;
      done += static_cast<std::size_t>(written);
    }
    return 0;
  }

  int descriptor_ = -1;
  bool plain_ = false;      ///< a regular file
  bool impatient_ = false;  ///< a reader has stopped reading
  dev_t device_ = 0;
  ino_t inode_ = 0;
};

}  // namespace warpsafe::watch
