// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/core/config.hpp>
#include <warpsafe/debug/detail/outside_captures.hpp>
#include <warpsafe/stream/detail/backend_calls.hpp>

#include <dlfcn.h>

#include <cstdint>

// Starts and stops a vendor's profiler around the launches of WARPSAFE_TRACE.

namespace warpsafe::inline WARPSAFE_DETAIL_VERSION::debug::detail {

using warpsafe::detail::BackendCalls;

/// A profiler's function if the process contains it (linked, or loaded by the profiler), else
/// nullptr.
template <class Function>
[[nodiscard]] Function* loaded_function(const char* name) noexcept {
  return reinterpret_cast<Function*>(::dlsym(RTLD_DEFAULT, name));
}

/// Makes AMD's profiler start or stop recording, if there is one. HIP has no such call. ROCTx's
/// functions ("Application control/customization of profiling tools"; 0: all threads) work with
/// rocprofv3 --selected-regions, ROCTracer's ("Start/stop API") with rocprof --trace-start off.
[[gnu::cold]] inline void profile_on_amd(bool on) noexcept {
  using Roctx = int(std::uint64_t thread);
  using Roctracer = void();
  if (auto* const call =
          loaded_function<Roctx>(on ? "roctxProfilerResume" : "roctxProfilerPause")) {
    static_cast<void>(call(0));
  } else if (auto* const stops =
                 loaded_function<Roctracer>(on ? "roctracer_start" : "roctracer_stop")) {
    stops();
  }
}

/// Starts or stops the recording of a profiler of the backend. Without one it does nothing.
[[gnu::cold]] inline void switch_profiler(const BackendCalls& calls, bool on) noexcept {
  if (calls.profile != nullptr) {
    const OutsideCaptures outside(calls);
    static_cast<void>(calls.profile(on));
  } else if (calls.vendor == Vendor::amd) {
    profile_on_amd(on);
  }
}

}  // namespace warpsafe::inline WARPSAFE_DETAIL_VERSION::debug::detail
