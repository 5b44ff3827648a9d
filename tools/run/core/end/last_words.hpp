// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include "../../../common/held_signals.hpp"
#include "../place/host_stack.hpp"
#include "crash_words.hpp"

#include <pthread.h>
#include <semaphore.h>
#include <sys/types.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstddef>
#include <ctime>

namespace warpsafe::watch {

/// A signal that ends a program that does not handle it.
struct EndSignal {
  int signal;
  const char* name;
};
inline constexpr EndSignal end_signals[] = {
    {SIGSEGV, "SIGSEGV"}, {SIGBUS, "SIGBUS"},   {SIGFPE, "SIGFPE"},
    {SIGILL, "SIGILL"},   {SIGABRT, "SIGABRT"}, {SIGINT, "SIGINT"},
    {SIGTERM, "SIGTERM"}, {SIGQUIT, "SIGQUIT"}, {SIGHUP, "SIGHUP"}};

/// How a process ends other than by exit().
struct End {
  int signal = 0;    ///< 0: by _exit
  HostStack stack;   ///< of the thread that the signal has interrupted, or that calls _exit
  CrashWords words;  ///< of the thread that the signal has interrupted; empty without a signal
  /// The address that the thread could not access; nullptr: the signal has another reason.
  const void* address = nullptr;
  pthread_t thread = 0;  ///< waits for the words

  /// "SIGINT", "_exit".
  [[nodiscard]] const char* name() const noexcept {
    for (const EndSignal& one : end_signals) {
      if (one.signal == signal) return one.name;
    }
    return "_exit";
  }
};

/// A thread that writes what is to be written when the process ends inside of a signal handler. A
/// handler may not allocate or lock, and the thread that it interrupts may hold any lock. So the
/// handler waits for this thread, and goes on without it if it takes too long.
class LastWords {
 public:
  /// Starts the thread, which calls `speak` at most once. Returns false if it cannot be started.
  [[nodiscard]] static bool begin(void (*speak)(const End& end) noexcept) noexcept {
    speak_ = speak;
    process_ = ::getpid();
    if (::sem_init(&asked_, 0, 0) != 0) return false;
    pthread_attr_t attributes;
    if (::pthread_attr_init(&attributes) != 0) return false;
    constexpr std::size_t stack = std::size_t{512} << 10;
    static_cast<void>(::pthread_attr_setstacksize(&attributes, stack));
    static_cast<void>(::pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED));
    pthread_t thread{};
    const NoSignals held;
    ready_ = ::pthread_create(&thread, &attributes, &run, nullptr) == 0;
    ::pthread_attr_destroy(&attributes);
    return ready_;
  }
  /// Returns whether this is the process in which `begin` was called, and not its child.
  [[nodiscard]] static bool is_here() noexcept { return ready_ && ::getpid() == process_; }

  /// Has the thread speak, and waits for it. A handler may call this. Acts once. `context` is the
  /// handler's third argument; nullptr: no signal. `address`: what could not be accessed, or
  /// nullptr. @pre is_here()
  static void speak(int signal, const void* context, const void* address = nullptr) noexcept {
    const int kept = errno;
    if (!__atomic_exchange_n(&begun_, true, __ATOMIC_ACQ_REL)) {
      end_.signal = signal;
      end_.stack = HostStack::here();
      end_.thread = ::pthread_self();
      end_.address = address;
      if (context != nullptr) end_.words = CrashWords::of(context);
      ::sem_post(&asked_);
    }
    constexpr int patience = 5000;  // milliseconds; a lock that the interrupted thread holds
    for (int i = 0; i < patience && !__atomic_load_n(&done_, __ATOMIC_ACQUIRE); ++i) {
      const timespec pause{0, 1'000'000};
      ::nanosleep(&pause, nullptr);
    }
    errno = kept;
  }

 private:
  static void* run(void*) noexcept {
    while (::sem_wait(&asked_) != 0) {
    }
    speak_(end_);
    __atomic_store_n(&done_, true, __ATOMIC_RELEASE);
    for (;;) ::pause();  // the process is about to end
  }

  static inline void (*speak_)(const End& end) noexcept = nullptr;
  static inline pid_t process_ = 0;
  static inline sem_t asked_;
  static inline End end_;
  static inline bool ready_ = false;
  static inline bool begun_ = false;
  static inline bool done_ = false;
};

}  // namespace warpsafe::watch
