// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/debug/profile/profiler_ranges.hpp>

#if __has_include(<rocprofiler-sdk-roctx/roctx.h>)
#include <rocprofiler-sdk-roctx/roctx.h>
#elif __has_include(<roctracer/roctx.h>)
#include <roctracer/roctx.h>
#endif

#if __has_include(<rocprofiler-sdk-roctx/roctx.h>) || __has_include(<roctracer/roctx.h>)
namespace warpsafe::debug {

/// roctx's thread ranges (link roctx64, or rocprofiler-sdk-roctx): what rocprof shows.
struct RoctxCalls {
  static void push(const char* text) noexcept { roctxRangePushA(text); }
  static void pop() noexcept { roctxRangePop(); }
  static void mark(const char* text) noexcept { roctxMarkA(text); }
};
/// There only where AMD's header is.
using RoctxRanges = ProfilerRanges<RoctxCalls>;

}  // namespace warpsafe::debug
#endif
