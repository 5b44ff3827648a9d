// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// Replaces ROCTx's library, or ROCTracer's, and reports its calls.
#include <cstdint>

namespace {
void (*told)(const char* call) = nullptr;
}

extern "C" {

/// For the test that loads this.
void profiler_stand_in_report_to(void (*test)(const char* call)) { told = test; }

#if defined(ROCTRACER_STAND_IN)
void roctracer_start() { told("roctracer_start"); }
void roctracer_stop() { told("roctracer_stop"); }
#else
int roctxProfilerResume(std::uint64_t thread) {
  told(thread == 0 ? "roctxProfilerResume" : "of one thread");
  return 0;
}
int roctxProfilerPause(std::uint64_t thread) {
  told(thread == 0 ? "roctxProfilerPause" : "of one thread");
  return 0;
}
#endif

}  // extern "C"
