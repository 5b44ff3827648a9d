// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/backend/host/detail/exceptions.hpp>
#include <warpsafe/core/detail/without_cancel.hpp>

#include <pthread.h>
#include <sys/sysinfo.h>
#include <unistd.h>

#include <csignal>
#include <cstdint>
#include <cstdio>
#include <ctime>
#include <initializer_list>
#include <new>

// The host backend's threads, and what they share: a mutex, a condition, an atomic value and the
// time. Over the C library, because the standard headers take long to compile.

namespace warpsafe::inline WARPSAFE_DETAIL_VERSION::host {

/// Nanoseconds of a clock that never goes back.
using Time = std::int64_t;
inline constexpr Time millisecond = 1'000'000;

[[nodiscard]] inline timespec timespec_of(Time time) noexcept {
  return {time / 1'000'000'000, time % 1'000'000'000};
}
[[nodiscard]] inline Time now() noexcept {
  timespec time{};
  clock_gettime(CLOCK_MONOTONIC, &time);
  return std::int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
}
using warpsafe::detail::WithoutCancel;
static_assert(warpsafe::detail::cancel_disabled == PTHREAD_CANCEL_DISABLE);

inline void sleep_for(Time time) noexcept {
  const WithoutCancel whole;
  const timespec pause = timespec_of(time);
  nanosleep(&pause, nullptr);
}

class Mutex {
 public:
  Mutex() = default;
  Mutex(const Mutex&) = delete;
  Mutex& operator=(const Mutex&) = delete;
  ~Mutex() = default;
  void lock() noexcept { pthread_mutex_lock(&mutex_); }
  void unlock() noexcept { pthread_mutex_unlock(&mutex_); }
  /// Returns whether it was locked before `end`. ThreadSanitizer does not know the function of the
  /// C library that waits by this clock.
  [[nodiscard]] bool lock_until(Time end) noexcept {
    while (pthread_mutex_trylock(&mutex_) != 0) {
      if (now() >= end) return false;
      sleep_for(millisecond);
    }
    return true;
  }

 private:
  friend class Condition;
  pthread_mutex_t mutex_ = PTHREAD_MUTEX_INITIALIZER;
};

/// Holds a mutex, unless it is unlocked for a while.
class Lock {
 public:
  explicit Lock(Mutex& mutex) noexcept : mutex_(mutex) { lock(); }
  Lock(const Lock&) = delete;
  Lock& operator=(const Lock&) = delete;
  ~Lock() {
    if (holds_) unlock();
  }
  void lock() noexcept {
    mutex_.lock();
    holds_ = true;
  }
  void unlock() noexcept {
    holds_ = false;
    mutex_.unlock();
  }

 private:
  friend class Condition;
  Mutex& mutex_;
  bool holds_ = false;
};

class Condition {
 public:
  Condition() = default;
  Condition(const Condition&) = delete;
  Condition& operator=(const Condition&) = delete;
  ~Condition() { pthread_cond_destroy(&condition_); }

  void notify_one() noexcept { pthread_cond_signal(&condition_); }
  void notify_all() noexcept { pthread_cond_broadcast(&condition_); }
  void wait(Lock& lock) noexcept {
    const WithoutCancel whole;
    pthread_cond_wait(&condition_, &lock.mutex_.mutex_);
  }
  template <class Holds>
  void wait(Lock& lock, const Holds& holds) {
    while (!holds()) wait(lock);
  }
  void wait_until(Lock& lock, Time end) noexcept {
    const WithoutCancel whole;
    const timespec at = timespec_of(end);
    pthread_cond_clockwait(&condition_, &lock.mutex_.mutex_, CLOCK_MONOTONIC, &at);
  }
  /// Returns whether `holds()`, after `most` at the latest.
  template <class Holds>
  [[nodiscard]] bool wait_for(Lock& lock, Time most, const Holds& holds) {
    const Time end = now() + most;
    while (!holds()) {
      if (now() >= end) return false;
      wait_until(lock, end);
    }
    return true;
  }

 private:
  pthread_cond_t condition_ = PTHREAD_COND_INITIALIZER;
};

/// During its lifetime the calling thread takes no signals but those of faults and of profilers,
/// and so do the threads that it starts. A signal that is sent to the process belongs to the
/// program's own threads. A fault whose signal is blocked would end the process, without its
/// handler.
class WithoutSignals {
 public:
  WithoutSignals() noexcept {
    sigset_t ours;
    sigfillset(&ours);
    for (const int taken : {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGTRAP, SIGSYS, SIGPROF}) {
      sigdelset(&ours, taken);
    }
    pthread_sigmask(SIG_SETMASK, &ours, &before_);
  }
  WithoutSignals(const WithoutSignals&) = delete;
  WithoutSignals& operator=(const WithoutSignals&) = delete;
  ~WithoutSignals() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

 private:
  sigset_t before_;
};

/// Sends the signals that wait for the calling thread alone to the process: work of the program has
/// raised them here (raise, pthread_kill), where WithoutSignals blocks them.
inline void pass_on_signals() noexcept {
  sigset_t waiting;
  if (sigpending(&waiting) != 0 || sigisemptyset(&waiting) != 0) [[likely]]
    return;
  // Most of these wait for the process. Those belong to the program's own threads.
  unsigned long long own = 0;
  char line[128];
  std::FILE* const status = std::fopen("/proc/thread-self/status", "r");
  if (status == nullptr) return;
  while (std::fgets(line, sizeof line, status) != nullptr &&
         // The system's own number fits. NOLINTNEXTLINE(cert-err34-c)
         std::sscanf(line, "SigPnd: %llx", &own) != 1) {
  }
  std::fclose(status);
  for (int signal = 1; own != 0; ++signal, own >>= 1U) {
    if ((own & 1U) == 0) continue;
    sigset_t one;
    sigemptyset(&one);
    sigaddset(&one, signal);
    const timespec at_once{};
    if (sigtimedwait(&one, nullptr, &at_once) == signal) kill(getpid(), signal);
  }
}

/// A thread of the operating system. Join or detach it.
class Thread {
 public:
  Thread() = default;
  /// Fails as an allocation does if the system has no thread left.
  template <class Body>
  explicit Thread(const Body& body) {
    auto* const own = new Body(body);
    const auto run = [](void* given) -> void* {
      const Body mine = *static_cast<Body*>(given);
      delete static_cast<Body*>(given);
      mine();
      return nullptr;
    };
    const WithoutSignals masked;
    started_ = pthread_create(&thread_, nullptr, run, own) == 0;
    if (started_) return;
    delete own;
    throw_bad_alloc();
  }
  Thread(const Thread&) = delete;
  Thread& operator=(const Thread&) = delete;
  // Nobody asks one that was moved from.
  Thread(Thread&& other) noexcept = default;
  Thread& operator=(Thread&& other) noexcept = default;
  ~Thread() = default;

  [[nodiscard]] bool joinable() const noexcept { return started_; }
  void join() noexcept {
    started_ = false;
    pthread_join(thread_, nullptr);
  }
  void detach() noexcept {
    started_ = false;
    pthread_detach(thread_);
  }
  /// The processors of the machine; 0 if unknown.
  [[nodiscard]] static unsigned processors() noexcept {
    const int count = get_nprocs();
    return count < 0 ? 0U : static_cast<unsigned>(count);
  }

 private:
  pthread_t thread_{};
  bool started_ = false;
};

/// A value that several threads use. Without an order it is sequentially consistent.
template <class T>
class Atomic {
 public:
  constexpr Atomic(T value = {}) noexcept : value_(value) {}  // NOLINT(google-explicit-constructor)
  Atomic(const Atomic&) = delete;
  Atomic& operator=(const Atomic&) = delete;
  ~Atomic() = default;

  [[nodiscard]] T load(int order = __ATOMIC_SEQ_CST) const noexcept {
    return __atomic_load_n(&value_, order);
  }
  void store(T value, int order = __ATOMIC_SEQ_CST) noexcept {
    __atomic_store_n(&value_, value, order);
  }
  operator T() const noexcept { return load(); }  // NOLINT(google-explicit-constructor)
  Atomic& operator=(T value) noexcept {
    store(value);
    return *this;
  }
  T exchange(T value) noexcept { return __atomic_exchange_n(&value_, value, __ATOMIC_SEQ_CST); }
  T fetch_add(T more, int order = __ATOMIC_SEQ_CST) noexcept {
    return __atomic_fetch_add(&value_, more, order);
  }
  T fetch_sub(T less, int order = __ATOMIC_SEQ_CST) noexcept {
    return __atomic_fetch_sub(&value_, less, order);
  }
  /// Sets `expected` to the value if that is another.
  bool compare_exchange(T& expected, T value) noexcept {
    return __atomic_compare_exchange_n(&value_, &expected, value, false, __ATOMIC_SEQ_CST,
                                       __ATOMIC_SEQ_CST);
  }

 private:
  T value_;
};

}  // namespace warpsafe::inline WARPSAFE_DETAIL_VERSION::host
