// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// A13: the block before the grid, where both are written as in <<<>>>.

#include "launches.hpp"
#include <warpsafe/launch/check.hpp>

namespace ws = warpsafe;

WARPSAFE_KERNEL void nothing() {}

auto checked([[maybe_unused]] ws::BlockDim threads) {
#ifdef MISUSE
  return ws::check(ws::kernel<nothing>, threads,
                   4);  // expected-error {{"the grid comes first and the block second"}}
#else
  return ws::check(ws::kernel<nothing>, 4, 256);
#endif
}
