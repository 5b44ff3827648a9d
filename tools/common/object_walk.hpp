// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <link.h>
#include <pthread.h>
#include <sched.h>
#include <time.h>

#include <atomic>
#include <cstddef>

namespace warpsafe::ranks {

/// The walks through the loaded objects of this process, kept apart from its forks. glibc does not
/// free the lock of dl_iterate_phdr in a child: if a thread held it at the fork, the child's next
/// walk would never end, and libraries that throw walk, too.
class ObjectWalks {
 public:
  using Visit = int (*)(dl_phdr_info* info, std::size_t size, void* data);

  /// As dl_iterate_phdr. A visitor may walk and may fork; a walk waits for a fork of another
  /// thread.
  static int walk(Visit visit, void* data) {
    struct Entered {
      Entered() noexcept {
        if (depth_++ == 0) enter();
      }
      Entered(const Entered&) = delete;
      Entered& operator=(const Entered&) = delete;
      ~Entered() {
        if (--depth_ == 0) --walking_;
      }
    };
    const Entered entered;
    return ::dl_iterate_phdr(visit, data);
  }

 private:
  static void enter() noexcept {
    ++walking_;
    for (int attempt = 0; forking_ != 0 && attempt < most_attempts; ++attempt) {
      --walking_;
      pause(attempt);
      ++walking_;
    }
  }
  static void before_fork() noexcept {
    ++forking_;
    const unsigned own = depth_ == 0 ? 0 : 1;
    for (int attempt = 0; walking_ > own && attempt < most_attempts; ++attempt) pause(attempt);
    walking_ += 1 - own;  // handlers of the program that run later may walk
    ++depth_;
  }
  static void after_fork() noexcept {
    --depth_;
    walking_ -= depth_ == 0 ? 1 : 0;
    --forking_;
  }
  static void in_child() noexcept {
    --depth_;
    walking_ = depth_ == 0 ? 0 : 1;
    forking_ = 0;
  }
  /// About a second in all. Then the waiting thread goes on: a visitor of the program's own walk
  /// may be what waits.
  static constexpr int most_attempts = 1100;
  static void pause(int attempt) noexcept {
    constexpr int yields = 100;
    constexpr timespec millisecond{0, 1'000'000};
    if (attempt < yields) {
      ::sched_yield();
    } else {
      ::nanosleep(&millisecond, nullptr);
    }
  }

  static inline constinit std::atomic<unsigned> walking_{0};  // threads
  static inline constinit std::atomic<unsigned> forking_{0};  // threads
  static inline constinit thread_local unsigned depth_ = 0;
  static inline const int registered_ = ::pthread_atfork(&before_fork, &after_fork, &in_child);
};

}  // namespace warpsafe::ranks
