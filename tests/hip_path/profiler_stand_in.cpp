// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// Replaces ROCTx's library, or ROCTracer's, and reports its calls.
#include <cstdint>

extern "C" {

/// Set by the test that loads this.
void (*profiler_stand_in_told)(const char* call) = nullptr;

#if defined(ROCTRACER_STAND_IN)
void roctracer_start() { profiler_stand_in_told("roctracer_start"); }
void roctracer_stop() { profiler_stand_in_told("roctracer_stop"); }
#else
int roctxProfilerResume(std::uint64_t thread) {
  profiler_stand_in_told(thread == 0 ? "roctxProfilerResume" : "of one thread");
  return 0;
}
int roctxProfilerPause(std::uint64_t thread) {
  profiler_stand_in_told(thread == 0 ? "roctxProfilerPause" : "of one thread");
  return 0;
}
#endif

}  // extern "C"
