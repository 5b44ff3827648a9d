// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// only: hipcc

// hipcc warns only of a macro that it reads as text, so this pragma stands before the header, which
// is then not precompiled.
#pragma GCC diagnostic error "-Wdeprecated-pragma"

#include "launches.hpp"

namespace ws = warpsafe;

// B04: The second bound counts blocks per multiprocessor on CUDA, and warps per execution unit
// on HIP.
namespace b04_vendors_second_launch_bound {

#ifdef MISUSE
// expected-error {{"counts warps per execution unit here"}}
WARPSAFE_KERNEL __launch_bounds__(256, 4) void fill(float*, int) {}
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

}  // namespace b04_vendors_second_launch_bound
