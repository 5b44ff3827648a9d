// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/core/config.hpp>
#include <warpsafe/core/detail/capture_hooks.hpp>
#include <warpsafe/core/limits.hpp>
#include <warpsafe/core/name.hpp>
#include <warpsafe/core/observer.hpp>

#include <cstddef>
#include <cstdint>
#include <ctime>

// How waits, errors and other calls reach the observers (launches: observing_launches.hpp). None of
// it depends on a backend's type or on a check level, so a program compiles to the same code with
// and without observers.

namespace warpsafe::inline WARPSAFE_DETAIL_VERSION {

enum class Stage : std::uint8_t;       // error/errc.hpp
enum class CopyKind : std::uint8_t;    // backend/kernel_entry.hpp
enum class MemoryKind : std::uint8_t;  // backend/kernel_entry.hpp

namespace detail {

/// How a runtime waits for `handle`, which is a stream or an event (stream/detail/waiting.hpp).
struct WaitCalls {
  Name what;
  Vendor vendor;
  int not_ready;
  int (*wait)(void* handle) noexcept;
  int (*query)(void* handle) noexcept;
  /// Whether a wait may poll: a query breaks no capture, and a later query can give another answer.
  bool (*may_query)(void* handle) noexcept;
};
/// The calls of a backend that observers use, as pointers, so that a tool is written and compiled
/// once for all backends (stream/detail/backend_calls.hpp). `stream` is always the
/// launch's stream, and its device is current.
struct BackendCalls {
  Name name;
  Vendor vendor;
  int (*peek_last_error)() noexcept;
  Name (*error_name)(int status) noexcept;
  Name (*error_text)(int status) noexcept;
  int (*stream_capturing)(void* stream, bool& capturing) noexcept;
  const WaitCalls* stream_wait;
  /// runtime_error of this backend.
  LaunchError (*error)(int status, Name operation, call_site site, Stage stage,
                       int device) noexcept;
  /// The limits that the device reports; for anything it does not report, the floor applies.
  int (*limits_of)(int device, DeviceLimits& limits) noexcept;
  const DeviceLimits* floor;
  Name (*device_name)(int device) noexcept;
  /// Copies `bytes` bytes in stream order.
  int (*copy)(void* to, const void* from, std::size_t bytes, CopyKind kind, void* stream) noexcept;
  int (*pointer_kind)(const void* memory, MemoryKind& kind, int& device) noexcept;
  /// Starts or stops a profiler that waits for this; nullptr if the runtime cannot.
  int (*profile)(bool on) noexcept;
  /// Sets the calling thread's mode beside captures, and returns the one before; nullptr if the
  /// runtime has none.
  int (*exchange_capture_mode)(int& mode) noexcept = nullptr;
  int relaxed_capture = 0;
  /// Whether work runs only inside calls now, as under the race detector; nullptr if it never does.
  bool (*is_scheduled)() noexcept = nullptr;
};

/// The target of a wait, and the line of the call.
struct WaitTarget {
  const void* stream;
  std::int32_t device;
  call_site site;
  bool may_stop;  ///< false if memory that the work uses is freed after the wait
  std::uint64_t stream_number = 0;
};

/// Nanoseconds of CLOCK_MONOTONIC.
[[nodiscard]] inline std::uint64_t nanoseconds_now() noexcept {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000U +
         static_cast<std::uint64_t>(now.tv_nsec);
}

/// The observers from `first` on, for a loop. A lambda for each loop would cost every file of a
/// program the compilation of a class.
struct ObserversFrom {
  struct Position {
    const Observer* at;
    [[gnu::always_inline]] const Observer& operator*() const noexcept { return *at; }
    [[gnu::always_inline]] void operator++() noexcept {
      at = __atomic_load_n(&at->next, __ATOMIC_ACQUIRE);
    }
    [[gnu::always_inline]] bool operator!=(const Position& other) const noexcept {
      return at != other.at;
    }
  };
  const Observer* first;
  [[nodiscard, gnu::always_inline]] Position begin() const noexcept { return {first}; }
  [[nodiscard, gnu::always_inline]] static Position end() noexcept { return {nullptr}; }
};

// Other calls.

[[gnu::cold, gnu::noinline]] inline void tell_called(const Observer* first,
                                                     const CallRecord& call) noexcept {
  for (const Observer& one : ObserversFrom{first}) {
    if (one.called != nullptr) one.called(one.user, call);
  }
}
/// Tells the observers of a call about `stream`, a StreamRef.
template <CheckLevel Level, class S>
[[gnu::always_inline]] inline void tell_call(const S& stream, const Name& what,
                                             const call_site& site, const void* memory = nullptr,
                                             std::uint64_t bytes = 0) noexcept {
  if constexpr (Level == CheckLevel::full) {
    if (const Observer* const first = observers()) [[unlikely]] {
      tell_called(first, {what, site, stream.native(), stream.number(), memory, bytes});
    }
  }
}
/// Also tells the open captures, because the call submits work to the stream.
template <CheckLevel Level, class S>
[[gnu::always_inline]] inline void tell_submission(const S& stream, const Name& what,
                                                   const call_site& site,
                                                   const void* memory = nullptr,
                                                   std::uint64_t bytes = 0) noexcept {
  if constexpr (Level == CheckLevel::full) {
    tell_captures(stream, what, site);
    tell_call<Level>(stream, what, site, memory, bytes);
  }
}
/// In place of a stream, for a call about none.
struct NoStream {
  static const void* native() noexcept { return nullptr; }
  static std::uint64_t number() noexcept { return 0; }
};

// Errors.

[[gnu::cold, gnu::noinline]] inline void tell_failed(const Observer* first,
                                                     const LaunchError& error) noexcept {
  for (const Observer& one : ObserversFrom{first}) {
    if (one.failed != nullptr) one.failed(one.user, error);
  }
}
[[gnu::cold, gnu::noinline]] inline void tell_complete(const Observer* first, LaunchError& error,
                                                       std::int32_t device,
                                                       bool earlier_work) noexcept {
  for (const Observer& one : ObserversFrom{first}) {
    if (one.complete != nullptr) one.complete(one.user, error, device, earlier_work);
  }
}

// Waits.

/// A wait begins. Returns whether an observer is told of its end.
[[nodiscard]] inline bool tell_waiting(const Observer* first, Name what) noexcept {
  bool timed = false;
  for (const Observer& one : ObserversFrom{first}) {
    if (one.waiting != nullptr) one.waiting(one.user, what);
    timed = timed || one.waited != nullptr;
  }
  return timed;
}
inline void tell_waited(const Observer* first, const WaitRecord& wait) noexcept {
  for (const Observer& one : ObserversFrom{first}) {
    if (one.waited != nullptr) one.waited(one.user, wait);
  }
}
/// Waits through the first observer that waits, and tells all of it. Returns the runtime's status.
[[gnu::noinline]] inline int observed_wait(const Observer* first, const WaitCalls& calls,
                                           void* handle, const WaitTarget& place) noexcept {
  const bool timed = tell_waiting(first, calls.what);
  const std::uint64_t begun = timed ? nanoseconds_now() : 0;
  const Observer* waits = first;
  while (waits != nullptr && waits->wait == nullptr) waits = waits->next;
  const int status =
      waits == nullptr ? calls.wait(handle) : waits->wait(waits->user, calls, handle, place);
  if (timed) {
    tell_waited(first, {calls.what, place.stream, place.device, calls.vendor, status, begun,
                        nanoseconds_now(), place.site, place.stream_number});
  }
  return status;
}
[[nodiscard]] inline bool watches_waits(const Observer* first) noexcept {
  bool watched = false;
  for (const Observer& one : ObserversFrom{first}) {
    watched = watched || (one.watches_waits != nullptr && one.watches_waits(one.user));
  }
  return watched;
}
/// The time at which a wait begins; 0 if no observer has a clock.
[[nodiscard, gnu::noinline]] inline std::uint64_t begin_wait() noexcept {
  std::uint64_t time = 0;
  for (const Observer& one : ObserversFrom{observers()}) {
    if (time == 0 && one.begin_wait != nullptr) time = one.begin_wait(one.user);
  }
  return time;
}
inline void tell_reached(Vendor vendor, std::int32_t device, std::uint64_t stream,
                         std::uint64_t began) noexcept {
  for (const Observer& one : ObserversFrom{observers()}) {
    if (one.reached != nullptr) one.reached(one.user, vendor, device, stream, began);
  }
}
inline void tell_device_idle(Vendor vendor, std::int32_t device) noexcept {
  for (const Observer& one : ObserversFrom{observers()}) {
    if (one.device_idle != nullptr) one.device_idle(one.user, vendor, device);
  }
}
[[nodiscard]] inline bool wants_one_stream() noexcept {
  bool wanted = false;
  for (const Observer& one : ObserversFrom{observers()}) {
    wanted = wanted || (one.one_stream != nullptr && one.one_stream(one.user));
  }
  return wanted;
}

}  // namespace detail

}  // namespace warpsafe::inline WARPSAFE_DETAIL_VERSION
