// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
// only: hipcc

// B04: CUDA's blocks per multiprocessor, read as warps per execution unit.

// Before the header, which is then read as text: a precompiled one forgets what it said of a macro.
#pragma GCC diagnostic error "-Wdeprecated-pragma"

#include "launches.hpp"

namespace ws = warpsafe;

#ifdef MISUSE
WARPSAFE_KERNEL __launch_bounds__(256, 4) void fill(float*, int) {
}  // expected-error {{"counts warps per execution unit here"}}
#else
WARPSAFE_KERNEL WARPSAFE_LAUNCH_BOUNDS(256, 4) void fill(float*, int) {}
#endif
// One number means the same on both.
WARPSAFE_KERNEL __launch_bounds__(256) void clear(float*, int) {}

auto launched(ws::StreamRef stream, ws::device_ptr<float> data, int n) {
  const auto config = ws::configure(ws::SafeGrid<>::cover(n, ws::block<256>));
  const auto cleared = ws::launch(stream, config, ws::kernel<clear>, data, n);
  return cleared.has_value() ? ws::launch(stream, config, ws::kernel<fill>, data, n) : cleared;
}
