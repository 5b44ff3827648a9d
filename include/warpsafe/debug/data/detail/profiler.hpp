// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/core/config.hpp>
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

/// Makes AMD's profiler start or stop recording. Returns its status. HIP has no such call. ROCTx's
/// functions ("Application control/customization of profiling tools"; 0: all threads) work with
/// rocprofv3 --selected-regions, ROCTracer's ("Start/stop API") with rocprof --trace-start off.
[[gnu::cold]] inline int profile_on_amd(bool on) noexcept {
  using Roctx = int(std::uint64_t thread);
  using Roctracer = void();
  if (auto* const call =
          loaded_function<Roctx>(on ? "roctxProfilerResume" : "roctxProfilerPause")) {
    return call(0);
  }
  if (auto* const call = loaded_function<Roctracer>(on ? "roctracer_start" : "roctracer_stop")) {
    call();
  }
  return 0;
}

/// The function that starts and stops the profiler of a backend's launches, or nullptr.
[[gnu::cold]] inline auto profiler_of(const BackendCalls& calls) noexcept
    -> int (*)(bool on) noexcept {
  if (calls.profile != nullptr || calls.vendor != Vendor::amd) return calls.profile;
  const bool loaded = loaded_function<void>("roctxProfilerResume") != nullptr ||
                      loaded_function<void>("roctracer_start") != nullptr;
  return loaded ? &profile_on_amd : nullptr;
}

/// Starts or stops a profiler's recording. Without a profiler it does nothing.
inline void switch_profiler(const BackendCalls& calls, bool on) noexcept {
  if (auto* const profile = profiler_of(calls)) {
    static_cast<void>(profile(on));
  }
}

}  // namespace warpsafe::inline WARPSAFE_DETAIL_VERSION::debug::detail
