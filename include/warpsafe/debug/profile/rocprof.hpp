// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/core/detail/debug_hooks.hpp>
#include <warpsafe/error/error.hpp>

#include <dlfcn.h>

#include <cstdint>

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
