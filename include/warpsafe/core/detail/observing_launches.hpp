// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/core/detail/observing.hpp>
#include <warpsafe/core/launch_record.hpp>
#include <warpsafe/core/launch_shape.hpp>
#include <warpsafe/core/limits.hpp>
#include <warpsafe/core/name.hpp>
#include <warpsafe/core/observer.hpp>

#include <cstdint>
#include <cstring>

// How a launch calls the observers. A file that launches does not include it.

namespace warpsafe::inline WARPSAFE_DETAIL_VERSION::detail {

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

/// Fills in the record of a launch whose kernel, stream, device, vendor and place are known.
[[gnu::always_inline]] inline void fill_dimensions(LaunchRecord& record, const LaunchShape& shape,
                                                   const KernelLimits* limits) noexcept {
  record.sequence = 0;
  for (int axis = 0; axis < 3; ++axis) {
    record.grid[axis] = shape.grid[axis];
    record.block[axis] = shape.block[axis];
  }
  record.dynamic_shared = shape.dynamic_shared;
  record.state = LaunchState::started;
  static constexpr KernelLimits unknown{};
  set_kernel_limits(record, limits != nullptr ? *limits : unknown);
  record.options = 0;
  record.priority = 0;
  std::memset(record.cluster, 0, sizeof record.cluster);
  // The condition of has_attributes(), in one branch.
  const unsigned asked =
      static_cast<unsigned>(shape.has_priority) | static_cast<unsigned>(shape.has_cluster) |
      static_cast<unsigned>(shape.cooperative) | static_cast<unsigned>(shape.programmatic);
  if (asked != 0) [[unlikely]]
    fill_options(record, shape);
}
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
inline void fill_record(LaunchRecord& record, const LaunchFacts& facts, Vendor vendor) noexcept {
  record.kernel = facts.kernel;
  record.stream = facts.stream;
  record.stream_number = facts.stream_number;
  record.device = facts.device;
  record.vendor = vendor;
  record.site = facts.site;
  fill_dimensions(record, facts.shape, facts.limits);
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

}  // namespace warpsafe::inline WARPSAFE_DETAIL_VERSION::detail
