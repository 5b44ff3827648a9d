// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// B03: the same, with the bound that the attribute carries too.

#include "launches.hpp"

namespace ws = warpsafe;

using Narrow = ws::launch_bounds<256, 2>;
using Wide = ws::launch_bounds<512, 2>;

WARPSAFE_KERNEL void WARPSAFE_LAUNCH_BOUNDS(Wide::threads, Wide::min_blocks) bounded() {}

auto launched(ws::StreamRef stream) {
  const auto config = ws::configure(ws::grid<1>, ws::block<512>);
#ifdef MISUSE
  return ws::launch(
      stream, config,
      ws::kernel<bounded,
                 Narrow>);  // expected-error {{"more threads than the kernel's declared maximum"}}
#else
  return ws::launch(stream, config, ws::kernel<bounded, Wide>);
#endif
}
