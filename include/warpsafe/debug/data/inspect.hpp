// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/core/detail/debug_hooks.hpp>
#include <warpsafe/debug/data/data_filters.hpp>
#include <warpsafe/debug/data/dump_writer.hpp>
#include <warpsafe/debug/data/launch_memory.hpp>
#include <warpsafe/debug/data/shadow.hpp>
#include <warpsafe/debug/journal/completion.hpp>
#include <warpsafe/debug/journal/journal.hpp>
#include <warpsafe/debug/journal/told_calls.hpp>
#include <warpsafe/error/error.hpp>
#include <warpsafe/kernel/detail/host_reference.hpp>

#include <dlfcn.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <utility>

// HIP has no call that switches a profiler on and off; AMD's profilers bring their own.

namespace warpsafe::debug::detail {

/// A profiler's function, where one is in the process: it was linked, or the profiler has brought
/// it in.
template <class Function>
[[nodiscard]] Function* loaded_function(const char* name) noexcept {
  return reinterpret_cast<Function*>(::dlsym(RTLD_DEFAULT, name));
}

/// Tells AMD's profiler that what comes is to be recorded, or no longer. Its status. ROCTx,
/// "Application control/customization of profiling tools" (0: all threads), is for rocprofv3
/// --selected-regions; ROCTracer's "Start/stop API" for rocprof --trace-start off.
[[gnu::cold]] inline int profile_on_amd(bool on) noexcept {
  using Roctx = int(std::uint64_t thread);
  using Roctracer = void();
  if (auto* const tell =
          loaded_function<Roctx>(on ? "roctxProfilerResume" : "roctxProfilerPause")) {
    return tell(0);
  }
  if (auto* const tell = loaded_function<Roctracer>(on ? "roctracer_start" : "roctracer_stop")) {
    tell();
  }
  return 0;
}

/// What switches the profiler of a backend's launches on and off; nullptr where there is none.
[[gnu::cold]] inline auto profiler_of(const warpsafe::detail::BackendCalls& calls) noexcept
    -> int (*)(bool on) noexcept {
  if (calls.profile != nullptr || calls.vendor != Vendor::amd) return calls.profile;
  const bool there = loaded_function<void>("roctxProfilerResume") != nullptr ||
                     loaded_function<void>("roctracer_start") != nullptr;
  return there ? &profile_on_amd : nullptr;
}

}  // namespace warpsafe::debug::detail

// What WARPSAFE_REFERENCE, WARPSAFE_SHADOW and WARPSAFE_TRACE do with a launch: before it is
// dispatched its data is copied to the host, after it the results are. All of it waits for the
// stream, on both sides of the launch.

namespace warpsafe::debug::detail {

using warpsafe::detail::BackendCalls;
using warpsafe::detail::Inspected;
using warpsafe::detail::RuntimeCall;

/// A launch between its `inspect` and its end.
struct DataLaunch {
  LaunchMemory memory;
  bool shadow;
  const warpsafe::detail::HostReference* reference;
  std::unique_ptr<DumpWriter> dump;
};

// Of the launch that this thread makes.
inline thread_local DataModes data_modes{};
inline thread_local DataLaunch* data_launch = nullptr;

/// Which tools take this launch; to be asked once for each. What `launching` returns.
[[gnu::cold, gnu::noinline]] inline std::uint64_t asks_for_data_of(
    const LaunchRecord& record) noexcept {
  if (!__atomic_load_n(&looks_at_data, __ATOMIC_RELAXED)) return 0;
  DataFilters& now = DataFilters::get();
  const bool reference = now.reference.takes(record.kernel);
  const bool shadow = now.shadow.takes(record.kernel);
  const bool trace = now.trace.takes(record.kernel);
  data_modes = {reference, shadow && !reference, trace};
  return reference || shadow || trace ? warpsafe::detail::asks_for_data : 0;
}

/// Begins or ends what a profiler records. That none waits for it is no error.
inline void tell_profiler(const BackendCalls& calls, bool on) noexcept {
  if (auto* const profile = profiler_of(calls)) {
    static_cast<void>(told(calls, RuntimeCall::profile, profile, on));
  }
}

/// Of DebugHooks.
[[gnu::cold, gnu::noinline]] inline Inspected inspect(const LaunchRecord& record,
                                                      const BackendCalls& calls,
                                                      const LaunchArguments& arguments,
                                                      LaunchError& error) noexcept {
  DataModes modes = data_modes;
  bool capturing = true;
  const int asked = told(calls, RuntimeCall::stream_capturing, calls.stream_capturing,
                         arguments.stream, capturing);
  if (asked != 0 || capturing) {
    say_not_done(record, modes, "its stream captures a graph");
    return Inspected::dispatch;
  }
  if (modes.reference || modes.shadow) {
    std::size_t argument = 0;
    if (const char* const why = why_no_reference(arguments, argument)) {
      say_not_done(record, modes, why, argument);
      modes.reference = modes.shadow = false;
      if (!modes.trace) return Inspected::dispatch;
    }
  }
  const auto refuse = [&] {
    Journal::get().refused(record.sequence);
    error = error_of(record, error);
    return Inspected::failed;
  };
  const auto no_memory = [&] {
    error = LaunchError::make(Errc::out_of_memory, Stage::runtime_call);
    return refuse();
  };
  std::unique_ptr<DataLaunch> launch(new (std::nothrow) DataLaunch{
      LaunchMemory(arguments, record), modes.shadow, arguments.reference, nullptr});
  if (launch == nullptr || !launch->memory.good()) return no_memory();
  if (!launch->memory.copy_before(error)) return refuse();
  if (modes.trace) {
    launch->dump = std::make_unique<DumpWriter>(DataFilters::get().folder, record);
    launch->dump->write_inputs(record, arguments, launch->memory);
  }
  if (modes.reference || modes.shadow) {
    if (!run_reference(arguments, launch->memory)) return no_memory();
  }
  if (modes.reference) {
    if (!launch->memory.write_back(error)) return refuse();
    if (modes.trace) {
      launch->dump->write_outputs(launch->memory, &LaunchMemory::before);
      say_dumped(record, *launch->dump);
    }
    Journal::get().submitted(record.sequence, Completion::get().now());
    const auto point = warpsafe::detail::StreamPoint::of(record.stream, record.device);
    point.reached(calls.vendor);
    return Inspected::done;
  }
  if (modes.trace) tell_profiler(calls, true);
  data_launch = launch.release();
  return Inspected::dispatch;
}

/// The launch whose data was looked at is done with: the runtime took it, or refused it.
[[nodiscard]] inline std::unique_ptr<DataLaunch> end_of_inspection() noexcept {
  return std::unique_ptr<DataLaunch>(std::exchange(data_launch, nullptr));
}
inline void stop_profiler(const DataLaunch& launch, const BackendCalls& calls) noexcept {
  if (launch.dump != nullptr) tell_profiler(calls, false);
}

/// After the runtime took the launch. True with what is wrong in `error`.
[[gnu::cold, gnu::noinline]] inline bool inspected_and_wrong(const LaunchRecord& record,
                                                             const BackendCalls& calls,
                                                             LaunchError& error) noexcept {
  const std::unique_ptr<DataLaunch> launch = end_of_inspection();
  if (launch == nullptr) return false;
  const auto point = warpsafe::detail::StreamPoint::of(record.stream, record.device);
  const bool ended = launch->memory.wait_for_launch(error);
  stop_profiler(*launch, calls);
  if (!ended) {
    error = error_of(record, error);
    return true;
  }
  point.reached(calls.vendor);
  if (!launch->memory.copy_after(error)) {
    error = error_of(record, error);
    return true;
  }
  if (launch->dump != nullptr) {
    launch->dump->write_outputs(launch->memory, &LaunchMemory::after);
    say_dumped(record, *launch->dump);
  }
  if (!launch->shadow) return false;
  const bool own = launch->reference->has_tolerance;
  const Tolerance* const tolerance = own ? &launch->reference->tolerance : nullptr;
  return differs(record, launch->memory, tolerance, error) && !Environment::get().warn_only;
}

/// After the runtime refused it.
[[gnu::cold, gnu::noinline]] inline void inspected_and_refused(const BackendCalls& calls) noexcept {
  const std::unique_ptr<DataLaunch> launch = end_of_inspection();
  if (launch != nullptr) stop_profiler(*launch, calls);
}

}  // namespace warpsafe::debug::detail
