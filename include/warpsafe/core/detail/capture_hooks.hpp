// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/core/config.hpp>
#include <warpsafe/core/detail/process_lock.hpp>
#include <warpsafe/core/detail/without_cancel.hpp>
#include <warpsafe/core/name.hpp>

#include <cstdint>
#include <ctime>

// How other calls of the library reach its open captures: one pointer for the whole program, so a
// program without a capture pays one load for each.

namespace warpsafe::inline WARPSAFE_DETAIL_VERSION {

struct KernelEntry;  // backend/kernel_entry.hpp
struct LaunchError;  // error/error.hpp

namespace detail {

class GraphResources;  // memory/detail/graph_resources.hpp

/// A stream as a call names it, and which one this is (StreamRef::number; 0: not known).
struct WhichStream {
  const void* handle = nullptr;
  std::uint64_t number = 0;

  constexpr WhichStream() noexcept = default;
  constexpr WhichStream(const void* its_handle,  // NOLINT(google-explicit-constructor)
                        std::uint64_t its_number = 0) noexcept
      : handle(its_handle), number(its_number) {}
};

/// What an open capture must know about other calls of the library.
struct CaptureHooks {
  /// A call of the runtime or of a library failed; it may have broken a capture.
  void (*failed)(const LaunchError& error) noexcept;
  /// Whether waiting for the stream or event, or querying it, would break a capture; either may be
  /// nullptr. If so, `error` says why. `relaxed` means that the calling thread has set the relaxed
  /// capture mode.
  bool (*refuses)(WhichStream stream, const void* event, bool relaxed, LaunchError& error) noexcept;
  /// Returns the number of the capture that the event belongs to; 0: none.
  std::uint64_t (*recorded)(const void* event, WhichStream stream) noexcept;
  bool (*is_open)(std::uint64_t capture) noexcept;
  /// Called before and after a stream waits for an event. `before` is the result of `waiting`.
  std::uint64_t (*waiting)(WhichStream stream) noexcept;
  void (*waited)(WhichStream stream, const void* event, std::uint64_t before,
                 call_site site) noexcept;
  /// What the graph of the stream's capture keeps, with one reference for the caller. nullptr if
  /// the stream takes part in no capture.
  GraphResources* (*resources)(WhichStream stream) noexcept;
  /// Whether another stream waits for all work that `stream` has in its capture, so that nothing
  /// would wait for a free behind it. Stores the capture's own stream and its device. True, too, if
  /// this thread cannot ask.
  bool (*is_joined)(WhichStream stream, WhichStream& own, int& device) noexcept;
  /// The capture's own stream waits for all work of `stream` again.
  void (*joined)(WhichStream stream) noexcept;
  /// A checked launch was captured: its graph monitors the memory behind its pointers.
  void (*launched)(WhichStream stream, const KernelEntry& entry, void* const* args) noexcept;
  /// A kernel, a copy, a fill or a library's work is about to be submitted to a stream, which need
  /// not capture.
  void (*submitting)(WhichStream stream, const Name& what, const call_site& site) noexcept;
};

/// nullptr unless this library has an open capture in any thread. One variable for the whole
/// program.
[[gnu::visibility("default")]] inline const CaptureHooks* capture_hooks = nullptr;

[[nodiscard, gnu::always_inline]] inline const CaptureHooks* open_captures() noexcept {
  return __atomic_load_n(&capture_hooks, __ATOMIC_ACQUIRE);
}
/// The captures of this library that are open or about to begin. One variable for the whole
/// program.
[[gnu::visibility("default")]] inline int counted_captures = 0;

/// The lock of CaptureLock, and the calls that did without.
[[gnu::visibility("default")]] inline ThreadLock capture_lock{};
[[gnu::visibility("default")]] inline int calls_beside_captures = 0;
/// Held during a wait for a whole device, which breaks the captures of all threads.
[[gnu::visibility("default")]] inline ProcessLock device_wait{};

/// Counts a capture, from before its beginning until after its end.
struct CountedCapture {
  /// Returns after the calls beside captures that are under way, and after a wait for a device. For
  /// some 0.1 s at most: what they wait for may need this thread.
  CountedCapture() noexcept {
    const WithoutCancel whole;
    __atomic_add_fetch(&counted_captures, 1, __ATOMIC_SEQ_CST);
    for (int tries = 0; tries < 200; ++tries) {
      if (__atomic_load_n(&calls_beside_captures, __ATOMIC_SEQ_CST) == 0 &&
          device_wait.try_lock()) {
        device_wait.unlock();
        return;
      }
      const timespec pause{0, tries < 100 ? 0 : 1'000'000};
      nanosleep(&pause, nullptr);
    }
  }
  ~CountedCapture() { __atomic_sub_fetch(&counted_captures, 1, __ATOMIC_ACQ_REL); }
  CountedCapture(const CountedCapture&) = delete;
  CountedCapture& operator=(const CountedCapture&) = delete;
};
/// Held while a capture of this library begins, ends or takes in a stream, and by calls on a stream
/// that another thread may be about to capture. Between the question whether the stream captures
/// and the call, a capture would take in the call. And CUDA's driver crashes if one thread records
/// an event in a stream as another begins or ends its capture (an H200, CUDA 13.0, driver
/// 580.159.04).
///
/// In a program without a capture such calls only count themselves: two atomic additions.
class CaptureLock {
 public:
  /// `needed`: false for a lock of nothing.
  explicit CaptureLock(bool needed = true) noexcept
      : holds_(needed ? Holds::count : Holds::nothing) {
    if (!needed) return;
    __atomic_add_fetch(&calls_beside_captures, 1, __ATOMIC_SEQ_CST);
    if (__atomic_load_n(&counted_captures, __ATOMIC_SEQ_CST) == 0) [[likely]]
      return;
    unlock();
    if (capture_lock.lock()) holds_ = Holds::lock;
  }
  ~CaptureLock() { unlock(); }
  CaptureLock(const CaptureLock&) = delete;
  CaptureLock& operator=(const CaptureLock&) = delete;

  /// As the destructor, earlier.
  void unlock() noexcept {
    if (holds_ == Holds::count) __atomic_sub_fetch(&calls_beside_captures, 1, __ATOMIC_SEQ_CST);
    if (holds_ == Holds::lock) capture_lock.unlock();
    holds_ = Holds::nothing;
  }

 private:
  enum class Holds : unsigned char { count, lock, nothing };
  Holds holds_;
};
/// Calls `wait`, which waits for a device, unless a capture of this library exists. Returns false
/// if one does.
template <class Wait>
[[nodiscard]] bool wait_without_captures(const Wait& wait) noexcept {
  const Locked waits(device_wait);
  // An addition, because a load may come before the lock: then a capture would find the lock free.
  if (__atomic_fetch_add(&counted_captures, 0, __ATOMIC_ACQ_REL) != 0) return false;
  wait();
  return true;
}
/// Whether there may be a capture that a call must spare. With checks off only this library's
/// captures count, so that a program without one asks the driver for none.
template <CheckLevel Level>
[[nodiscard, gnu::always_inline]] inline bool may_meet_captures() noexcept {
  return Level == CheckLevel::full || __atomic_load_n(&counted_captures, __ATOMIC_RELAXED) != 0;
}
/// Tells the open captures that work is about to be submitted to `stream`, a StreamRef.
template <class S>
[[gnu::always_inline]] inline void tell_captures(const S& stream, const Name& what,
                                                 const call_site& site) noexcept {
  if (const CaptureHooks* const hooks = open_captures()) [[unlikely]] {
    hooks->submitting({stream.native(), stream.number()}, what, site);
  }
}
[[gnu::always_inline]] inline void report_to_captures(const LaunchError& error) noexcept {
  if (const CaptureHooks* const hooks = open_captures()) hooks->failed(error);
}

}  // namespace detail

}  // namespace warpsafe::inline WARPSAFE_DETAIL_VERSION
