// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/core/config.hpp>
#include <warpsafe/core/detail/capture_hooks.hpp>
#include <warpsafe/core/launch_record.hpp>
#include <warpsafe/core/launch_shape.hpp>
#include <warpsafe/core/limits.hpp>
#include <warpsafe/core/name.hpp>
#include <warpsafe/core/observer.hpp>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <ctime>

// How launches, waits and errors call the observers. None of it depends on a backend's type or on a
// check level, so a program compiles to the same code with and without observers.

namespace warpsafe::inline WARPSAFE_DETAIL_VERSION {

enum class Stage : std::uint8_t;       // error/errc.hpp
enum class CopyKind : std::uint8_t;    // backend/backend.hpp
enum class MemoryKind : std::uint8_t;  // backend/backend.hpp

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
};

/// The target of a wait, and the line of the call.
struct WaitTarget {
  const void* stream;
  std::int32_t device;
  call_site site;
  bool may_stop;  ///< false if memory that the work uses is freed after the wait
  std::uint64_t stream_number = 0;
};
/// What a LaunchRecord is made from.
struct LaunchFacts {
  const Name& kernel;
  const LaunchShape& shape;
  const KernelLimits* limits;  ///< of the kernel; nullptr if unknown
  const void* stream;
  std::uint64_t stream_number;
  std::int32_t device;
  const call_site& site;
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

// Launches.

/// Fills in those of a kernel's limits that a record keeps.
inline void set_kernel_limits(LaunchRecord& record, const KernelLimits& limits) noexcept {
  record.registers = limits.registers;
  record.max_threads_per_block = limits.max_threads_per_block;
  record.static_shared = static_cast<std::uint32_t>(limits.static_shared);
}
/// Fills in the options that few launches have.
[[gnu::cold, gnu::noinline]] inline void fill_options(LaunchRecord& record,
                                                      const LaunchShape& shape) noexcept {
  const auto add = [&](bool asked, LaunchOption option) {
    if (asked)
      record.options = static_cast<std::uint8_t>(record.options | static_cast<int>(option));
  };
  add(shape.has_priority, LaunchOption::priority);
  add(shape.has_cluster, LaunchOption::cluster);
  add(shape.non_portable_cluster, LaunchOption::non_portable_cluster);
  add(shape.cooperative, LaunchOption::cooperative);
  add(shape.programmatic, LaunchOption::programmatic);
  if (shape.has_priority) {
    const std::int32_t asked = shape.priority;
    record.priority = static_cast<std::int8_t>(asked < -128 ? -128 : asked > 127 ? 127 : asked);
  }
  for (int axis = 0; shape.has_cluster && axis < 3; ++axis) {
    const std::uint32_t asked = shape.cluster[axis];
    record.cluster[axis] = static_cast<std::uint8_t>(asked > 255 ? 255 : asked);
  }
}

[[gnu::always_inline]] inline void fill_record(LaunchRecord& record, const LaunchFacts& facts,
                                               Vendor vendor) noexcept {
  record.sequence = 0;
  record.kernel = facts.kernel;
  for (int axis = 0; axis < 3; ++axis) {
    record.grid[axis] = facts.shape.grid[axis];
    record.block[axis] = facts.shape.block[axis];
  }
  record.dynamic_shared = facts.shape.dynamic_shared;
  record.stream = facts.stream;
  record.stream_number = facts.stream_number;
  record.device = facts.device;
  record.vendor = vendor;
  record.state = LaunchState::started;
  static constexpr KernelLimits unknown{};
  set_kernel_limits(record, facts.limits != nullptr ? *facts.limits : unknown);
  record.options = 0;
  record.priority = 0;
  std::memset(record.cluster, 0, sizeof record.cluster);
  // The condition of has_attributes(), in one branch.
  const LaunchShape& shape = facts.shape;
  const unsigned asked =
      static_cast<unsigned>(shape.has_priority) | static_cast<unsigned>(shape.has_cluster) |
      static_cast<unsigned>(shape.cooperative) | static_cast<unsigned>(shape.programmatic);
  if (asked != 0) [[unlikely]]
    fill_options(record, shape);
  record.site = facts.site;
}

/// What a launch keeps for the end of its observation.
struct LaunchBegin {
  std::uint64_t time;  ///< 0: no observer asks for it
  bool asks_for_data;  ///< an observer's `inspect` is called
};
/// A launch is about to be submitted.
[[nodiscard]] inline LaunchBegin tell_launching(const Observer* first, LaunchRecord& record,
                                                const BackendCalls& calls) noexcept {
  LaunchBegin begin{0, false};
  bool timed = false;
  for (const Observer& one : ObserversFrom{first}) {
    if (one.launching != nullptr) begin.asks_for_data |= one.launching(one.user, record, calls);
    timed |= one.launched != nullptr;
  }
  if (timed) begin.time = nanoseconds_now();
  return begin;
}
/// Shows the arguments of a launch.
[[nodiscard, gnu::cold, gnu::noinline]] inline LaunchVerdict tell_arguments(
    const Observer* first, const LaunchRecord& record, const BackendCalls& calls,
    const LaunchArguments& arguments, LaunchError& error) noexcept {
  LaunchVerdict verdict = LaunchVerdict::dispatch;
  for (const Observer& one : ObserversFrom{first}) {
    if (verdict == LaunchVerdict::dispatch && one.inspect != nullptr) {
      verdict = one.inspect(one.user, record, calls, arguments, error);
    }
  }
  return verdict;
}
/// The launch was answered; its record has the state.
[[gnu::cold, gnu::noinline]] inline void tell_launched(const Observer* first,
                                                       const LaunchRecord& record,
                                                       std::uint64_t begun) noexcept {
  const std::uint64_t ended = nanoseconds_now();
  for (const Observer& one : ObserversFrom{first}) {
    if (one.launched != nullptr) one.launched(one.user, record, begun, ended);
  }
}
/// Ends the observation of a launch. True, with the fault in `error`, if an observer waited for the
/// launch and it failed.
[[nodiscard]] inline bool tell_finish(const Observer* first, const LaunchRecord& record,
                                      const BackendCalls& calls, LaunchError& error) noexcept {
  bool failed = false;
  for (const Observer& one : ObserversFrom{first}) {
    if (one.finish != nullptr) failed |= one.finish(one.user, record, calls, error);
  }
  return failed;
}

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
  if constexpr (Level != CheckLevel::off) {
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
  if constexpr (Level != CheckLevel::off) {
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
