// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include "../../../common/guarded_file.hpp"
#include <warpsafe/debug/run/journal_file.hpp>
#include <warpsafe/error/format.hpp>
#include <warpsafe/tool_api.hpp>

#include <fcntl.h>
#include <pthread.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <ctime>
#include <mutex>
#include <string>
#include <utility>

namespace warpsafe::watch {

/// Writes a run's journal to a file (debug/run/journal_file.hpp). Each line is written when its
/// event happens, so the file has all of them however the program ends. Linux cuts a write at a
/// page if another thread ends the process, so `end` comes before an end that the watch sees.
class JournalStream {
 public:
  JournalStream() = default;
  JournalStream(const JournalStream&) = delete;
  JournalStream& operator=(const JournalStream&) = delete;

  /// Creates or replaces the file (tool::create_file) and writes its first lines. Returns
  /// 0, or the errno of the failure.
  [[nodiscard]] int open(const char* path, debug::RunEnvironment environment) {
    const int file = tool::create_file(path, O_APPEND);
    if (file < 0) return errno;
    path_ = path;
    file_.use(move_descriptor(file));
    zero_ = tool::nanoseconds_now();
    debug::RunRecord run;
    run.environment = std::move(environment);
    line(tool::environment_line(run));
    for (const DeviceLimits& limits : run.environment.devices) {
      line(tool::device_line(limits));
    }
    observer_.user = this;
    observer_.launched = [](void* self, const LaunchRecord& record, std::uint64_t begun,
                            std::uint64_t ended) noexcept {
      auto& stream = *static_cast<JournalStream*>(self);
      stream.write([&] {
        return tool::launch_line(
            {record, stream.since(begun), stream.since(ended), 0, 0, thread()});
      });
    };
    observer_.waited = [](void* self, const WaitRecord& wait) noexcept {
      auto& stream = *static_cast<JournalStream*>(self);
      stream.write([&] {
        WaitRecord made = wait;
        made.begun = stream.since(wait.begun);
        made.ended = stream.since(wait.ended);
        return tool::wait_line({made, thread()});
      });
    };
    observer_.failed = [](void* self, const LaunchError& error) noexcept {
      auto& stream = *static_cast<JournalStream*>(self);
      stream.write([&] {
        char text[4096];
        const std::size_t size = format_error(error, text, sizeof text);
        return tool::error_line({error.code,
                                 {text, size},
                                 stream.since(tool::nanoseconds_now()),
                                 error.sequence,
                                 error.device,
                                 error.stream,
                                 thread()});
      });
    };
    return 0;
  }
  [[nodiscard]] Observer& observer() noexcept { return observer_; }
  /// Call when the process is about to end. Waits at most a second for the line that another thread
  /// writes; then no line follows. A signal handler of the thread `interrupted` waits for the
  /// caller: the line that it has interrupted is either whole or not begun.
  void end(pthread_t interrupted) noexcept {
    constexpr int patience = 1000;  // milliseconds
    for (int i = 0; i < patience; ++i) {
      if (mutex_.try_lock()) {
        is_ended_ = true;
        return mutex_.unlock();
      }
      // Nobody else can take the lock.
      if (__atomic_load_n(&writer_, __ATOMIC_RELAXED) == interrupted) return;
      const timespec pause{0, 1'000'000};
      ::nanosleep(&pause, nullptr);
    }
  }
  /// Returns the errno of the first line that could not be written, or 0.
  [[nodiscard]] int failed() const noexcept { return __atomic_load_n(&failed_, __ATOMIC_RELAXED); }

 private:
  template <class Make>
  void write(const Make& make) noexcept {
    try {
      line(make());
    } catch (...) {
      __atomic_store_n(&failed_, ENOMEM, __ATOMIC_RELAXED);
    }
  }
  /// After a failure the file ends, so that no line follows a part of another.
  void line(const std::string& text) noexcept {
    const std::lock_guard lock(mutex_);
    if (failed() != 0 || is_ended_) return;
    __atomic_store_n(&writer_, ::pthread_self(), __ATOMIC_RELAXED);
    int problem = file_.line(text);
    if (problem == EBADF && open_again()) problem = file_.line(text);
    if (problem != 0) __atomic_store_n(&failed_, problem, __ATOMIC_RELAXED);
    __atomic_store_n(&writer_, pthread_t{}, __ATOMIC_RELAXED);
  }
  /// Call if the program has closed the descriptor, as a daemon does. Returns whether the file is
  /// open again.
  [[nodiscard]] bool open_again() noexcept {
    const int kept = errno;
    const int file =
        ::open(path_.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    errno = kept;
    if (file < 0) return false;
    if (!file_.has(file)) {
      ::close(file);
      return false;
    }
    file_.use(move_descriptor(file));
    return true;
  }
  /// Moves a descriptor to a high number: the program may count on the low ones.
  [[nodiscard]] static int move_descriptor(int low) noexcept {
    constexpr int high = 1000;  // below the usual limit of 1024
    const int moved = ::fcntl(low, F_DUPFD_CLOEXEC, high);
    if (moved < 0) return low;
    ::close(low);
    return moved;
  }
  /// At least 1, because 0 means unknown.
  [[nodiscard]] std::uint64_t since(std::uint64_t time) const noexcept {
    return time > zero_ ? time - zero_ : 1;
  }
  /// Returns the number of the calling thread, from 0.
  [[nodiscard]] static std::uint32_t thread() noexcept {
    static std::uint32_t next = 0;
    thread_local const std::uint32_t mine = __atomic_fetch_add(&next, 1, __ATOMIC_RELAXED);
    return mine;
  }

  Observer observer_;
  GuardedFile file_;
  std::mutex mutex_;  ///< guards the two, and is_ended_
  bool is_ended_ = false;
  pthread_t writer_ = 0;  ///< the thread that writes a line
  std::string path_;
  int failed_ = 0;
  std::uint64_t zero_ = 0;
};

}  // namespace warpsafe::watch
