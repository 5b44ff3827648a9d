// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// B06: a warp size that no device has.

#include "launches.hpp"

namespace ws = warpsafe;

WARPSAFE_KERNEL void nothing() {}

auto launched(ws::StreamRef stream, int n) {
  const auto config = ws::configure(ws::SafeGrid<>::cover(n, ws::block<256>));
#ifdef MISUSE
  return ws::launch(
      stream, config,
      ws::kernel<nothing,
                 ws::requires_warp<16>>);  // expected-error {{"warps have 32 or 64 threads"}}
#else
  return ws::launch(stream, config, ws::kernel<nothing, ws::requires_warp<32>>);
#endif
}
