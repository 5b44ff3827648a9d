// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/debug/profile/profiler_ranges.hpp>

#if __has_include(<nvtx3/nvToolsExt.h>)
#include <nvtx3/nvToolsExt.h>

namespace warpsafe::debug {

/// NVTX's thread ranges (NVTX 3, header only; link dl): what nsys and ncu show.
struct NvtxCalls {
  static void push(const char* text) noexcept { nvtxRangePushA(text); }
  static void pop() noexcept { nvtxRangePop(); }
  static void mark(const char* text) noexcept { nvtxMarkA(text); }
};
/// There only where NVIDIA's header is.
using NvtxRanges = ProfilerRanges<NvtxCalls>;

}  // namespace warpsafe::debug
#endif
