// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// A13: the most blocks left out, so that the block is the last number.

#include "launches.hpp"

namespace ws = warpsafe;

auto strided(int n) {
#ifdef MISUSE
  return ws::SafeGrid<>::grid_stride(
      n,
      ws::block<256>);  // expected-error {{"grid_stride takes the size, the block and the most"}}
#else
  return ws::SafeGrid<>::grid_stride(n, ws::block<256>, ws::max_blocks(64));
#endif
}
