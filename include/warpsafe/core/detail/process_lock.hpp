// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/core/detail/without_cancel.hpp>

#include <ctime>

// The library's lock, which the child of a fork can take although the thread that holds it was left
// behind in the parent. A child has only the thread that called fork, so an ordinary mutex that
// another thread held would stay locked for ever.

namespace warpsafe::inline WARPSAFE_DETAIL_VERSION::detail {

// POSIX's functions, by names of their own: <pthread.h> and <sched.h> would cost every file that
// launches more than the lock, and declare them too.
int at_fork(void (*prepare)(), void (*parent)(), void (*child)()) noexcept asm("pthread_atfork");
int yield_processor() noexcept asm("sched_yield");

/// Differs in a process and in each child that was forked from it, from 1 on. It is counted once a
/// module has called `process_number`.
[[gnu::visibility("default")]] inline unsigned counted_processes = 1;
/// Hidden, so that each module registers a handler of its own: dlclose takes a module's away.
[[gnu::visibility("hidden")]] inline bool counts_processes = false;

/// Counts the child of a fork. A function, not a lambda, which costs the compiler two.
[[gnu::visibility("hidden")]] inline void count_process() noexcept {
  __atomic_add_fetch(&counted_processes, 1U, __ATOMIC_RELAXED);
}
/// The number of this process. What another number marked belongs to the parent.
[[nodiscard]] inline unsigned process_number() noexcept {
  if (!__atomic_load_n(&counts_processes, __ATOMIC_RELAXED)) [[unlikely]] {
    // Several handlers, of several modules or threads, count a fork more than once. That does no
    // harm, because a number is only compared for equality.
    const int failed = at_fork(nullptr, nullptr, &count_process);
    if (failed == 0) __atomic_store_n(&counts_processes, true, __ATOMIC_RELAXED);
  }
  return __atomic_load_n(&counted_processes, __ATOMIC_RELAXED);
}

/// For what is short and seldom contended. A waiting thread yields, and then sleeps, because the
/// holder may be descheduled or inside of a runtime's call.
///
/// In the child of a fork, what a lock guards is as the fork found it. Change it in such an order
/// that it is sound after each store: fill in an element, then publish it with an atomic store.
///
/// No initialiser, because static storage of many locks must be zero; elsewhere write `{}`.
class ProcessLock {
 public:
  /// Takes the lock if it is free, or held by a thread that this process does not have.
  [[nodiscard]] bool try_lock() noexcept {
    const unsigned mine = process_number();
    unsigned holder = __atomic_load_n(&holder_, __ATOMIC_RELAXED);
    return holder != mine && __atomic_compare_exchange_n(&holder_, &holder, mine, false,
                                                         __ATOMIC_ACQUIRE, __ATOMIC_RELAXED);
  }
  void lock() noexcept {
    if (!try_lock()) [[unlikely]]
      wait_and_lock();
  }
  [[gnu::always_inline]] void unlock() noexcept {
    __atomic_store_n(&holder_, 0U, __ATOMIC_RELEASE);
  }
  /// Whether a thread of this process has it.
  [[nodiscard]] bool is_held() const noexcept {
    return __atomic_load_n(&holder_, __ATOMIC_RELAXED) == process_number();
  }

 private:
  [[gnu::noinline, gnu::cold]] void wait_and_lock() noexcept {
    const WithoutCancel whole;
    for (unsigned tries = 0; !try_lock(); ++tries) {
      if (tries < 64) {
        yield_processor();
      } else {
        const timespec pause{0, 50'000};
        nanosleep(&pause, nullptr);
      }
    }
  }

  unsigned holder_;  ///< 0, or the number of the holder's process
};

/// Holds a ProcessLock.
class Locked {
 public:
  [[gnu::always_inline]] explicit Locked(ProcessLock& held) noexcept : held_(held) { held_.lock(); }
  [[gnu::always_inline]] ~Locked() { held_.unlock(); }
  Locked(const Locked&) = delete;
  Locked& operator=(const Locked&) = delete;

 private:
  ProcessLock& held_;
};

/// POSIX's function, by a name of its own as `at_fork`.
unsigned long calling_thread() noexcept asm("pthread_self");

/// A ProcessLock that its thread may hold twice, because an observer of a call may make others.
class ThreadLock {
 public:
  /// Returns false if the thread has it already.
  [[nodiscard]] bool lock() noexcept {
    // In the child of a fork, a new thread may have the number of one of the parent's.
    if (__atomic_load_n(&holder_, __ATOMIC_RELAXED) == calling_thread() && lock_.is_held()) {
      return false;
    }
    lock_.lock();
    __atomic_store_n(&holder_, calling_thread(), __ATOMIC_RELAXED);
    return true;
  }
  void unlock() noexcept {
    __atomic_store_n(&holder_, 0UL, __ATOMIC_RELAXED);
    lock_.unlock();
  }

 private:
  ProcessLock lock_;
  unsigned long holder_;  ///< 0, or the thread that has it
};

}  // namespace warpsafe::inline WARPSAFE_DETAIL_VERSION::detail
