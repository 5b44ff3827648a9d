// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/debug/data/detail/dump_writer.hpp>
#include <warpsafe/debug/data/detail/launch_memory.hpp>
#include <warpsafe/debug/data/detail/profiler.hpp>
#include <warpsafe/debug/data/shadow.hpp>
#include <warpsafe/debug/detail/catch_bad_alloc.hpp>
#include <warpsafe/debug/detail/launch_of_error.hpp>
#include <warpsafe/debug/journal/detail/completion.hpp>
#include <warpsafe/debug/journal/journal.hpp>
#include <warpsafe/debug/switches.hpp>
#include <warpsafe/error/error.hpp>
#include <warpsafe/kernel/reference.hpp>
#include <warpsafe/stream/detail/waiting.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <utility>

// What WARPSAFE_REFERENCE, WARPSAFE_SHADOW and WARPSAFE_TRACE do with a launch. They copy its data
// to the host before the dispatch, and the results after it. Both copies wait for the stream.

namespace warpsafe::inline WARPSAFE_DETAIL_VERSION::debug::detail {

/// A launch between its `inspect` and its end.
struct DataLaunch {
  LaunchMemory memory;
  bool shadow;
  const warpsafe::detail::HostReference* reference;
  std::unique_ptr<DumpWriter> dump;
  std::uint64_t replaced_at = 0;  ///< Completion's time if the reference has replaced the kernel
};

// These belong to the launch that this thread makes.
[[gnu::visibility("default")]] inline thread_local DataModes data_modes{};
[[gnu::visibility("default")]] inline thread_local DataLaunch* data_launch = nullptr;

/// Decides which tools take this launch; call it once for each launch. Returns whether one does.
[[nodiscard, gnu::cold, gnu::noinline]] inline bool requests_data(
    const LaunchRecord& record) noexcept {
  if (!__atomic_load_n(&data_in_use, __ATOMIC_RELAXED)) return false;
  DataFilters& filters = DataFilters::get();
  const bool reference = filters.reference.selects(record.kernel);
  const bool shadow = filters.shadow.selects(record.kernel);
  const bool trace = filters.trace.selects(record.kernel);
  data_modes = {reference, shadow && !reference, trace};
  return reference || shadow || trace;
}

/// Observer::inspect.
[[gnu::cold, gnu::noinline]] inline LaunchVerdict inspect(const LaunchRecord& record,
                                                          const BackendCalls& calls,
                                                          const LaunchArguments& arguments,
                                                          LaunchError& error) noexcept {
  DataModes modes = data_modes;
  if (!(modes.reference || modes.shadow || modes.trace)) return LaunchVerdict::dispatch;
  bool capturing = true;
  const int queried = calls.stream_capturing(arguments.stream, capturing);
  if (queried != 0 || capturing) {
    log_skipped(record, modes, "its stream captures a graph");
    return LaunchVerdict::dispatch;
  }
  if (modes.reference || modes.shadow) {
    std::size_t argument = 0;
    if (const char* const obstacle = reference_obstacle(arguments, argument)) {
      log_skipped(record, modes, obstacle, argument);
      modes.reference = modes.shadow = false;
      if (!modes.trace) return LaunchVerdict::dispatch;
    }
  }
  const auto refuse = [&] {
    Journal::get().refused(record.sequence);
    put_launch(error, record);
    return LaunchVerdict::failed;
  };
  const auto no_memory = [&] {
    error = LaunchError::make(Errc::out_of_memory, Stage::runtime_call);
    return refuse();
  };
  std::unique_ptr<DataLaunch> launch(new (std::nothrow) DataLaunch{
      LaunchMemory(arguments, record), modes.shadow, arguments.reference, nullptr});
  if (launch == nullptr || !launch->memory.valid()) return no_memory();
  if (!launch->memory.copy_before(error)) return refuse();
  if (modes.trace) {
    const char* const folder = DataFilters::get().folder;
    launch->dump = catch_bad_alloc([&] { return std::make_unique<DumpWriter>(folder, record); },
                                   std::unique_ptr<DumpWriter>());
    if (launch->dump == nullptr) return no_memory();
    launch->dump->write_inputs(record, arguments, launch->memory);
  }
  if (modes.reference || modes.shadow) {
    if (modes.reference && !launch->memory.note_before()) return no_memory();
    if (!run_reference(arguments, launch->memory)) return no_memory();
  }
  if (modes.reference) {
    launch->replaced_at = Completion::get().now();
    const auto point =
        warpsafe::detail::StreamPoint::of(record.stream, record.stream_number, record.device);
    if (!launch->memory.write_back(error)) return refuse();
    point.reached(calls.vendor);
    if (modes.trace) {
      launch->dump->write_outputs(launch->memory, &LaunchMemory::before);
      log_dump(record, *launch->dump);
    }
  } else if (modes.trace) {
    switch_profiler(calls, true);
  }
  data_launch = launch.release();
  return modes.reference ? LaunchVerdict::done : LaunchVerdict::dispatch;
}

/// Ends the inspection of a launch that the runtime accepted or refused.
[[nodiscard]] inline std::unique_ptr<DataLaunch> take_inspection() noexcept {
  return std::unique_ptr<DataLaunch>(std::exchange(data_launch, nullptr));
}
inline void stop_profiler(const DataLaunch& launch, const BackendCalls& calls) noexcept {
  if (launch.dump != nullptr) switch_profiler(calls, false);
}

/// Inspects the results after the runtime accepted the launch. Returns true and fills in `error` if
/// something is wrong.
[[gnu::cold, gnu::noinline]] inline bool finish_inspection(const LaunchRecord& record,
                                                           const BackendCalls& calls,
                                                           LaunchError& error) noexcept {
  const std::unique_ptr<DataLaunch> launch = take_inspection();
  if (launch == nullptr) return false;
  if (launch->replaced_at != 0) {
    // Before the wait that showed its end.
    Journal::get().submitted(record.sequence, launch->replaced_at);
    return false;
  }
  const auto point =
      warpsafe::detail::StreamPoint::of(record.stream, record.stream_number, record.device);
  const bool ended = launch->memory.wait_for_launch(error);
  stop_profiler(*launch, calls);
  if (ended) point.reached(calls.vendor);
  if (!ended || !launch->memory.copy_after(error)) {
    put_launch(error, record);
    return true;
  }
  if (launch->dump != nullptr) {
    launch->dump->write_outputs(launch->memory, &LaunchMemory::after);
    log_dump(record, *launch->dump);
  }
  if (!launch->shadow) return false;
  const bool own = launch->reference->has_tolerance;
  const Tolerance* const tolerance = own ? &launch->reference->tolerance : nullptr;
  return log_mismatches(record, launch->memory, tolerance, error) && !Environment::get().warn_only;
}

/// Ends the inspection after the runtime refused the launch.
[[gnu::cold, gnu::noinline]] inline void cancel_inspection(const BackendCalls& calls) noexcept {
  const std::unique_ptr<DataLaunch> launch = take_inspection();
  if (launch != nullptr) stop_profiler(*launch, calls);
}

}  // namespace warpsafe::inline WARPSAFE_DETAIL_VERSION::debug::detail
