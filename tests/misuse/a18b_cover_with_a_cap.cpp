// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// A18: a cap on a grid that promises a thread for each item.

#include <warpsafe/launch/launch_config.hpp>

namespace ws = warpsafe;

auto configured(int n) {
#ifdef MISUSE
  return ws::SafeGrid<>::cover(
      n, ws::block<256>,
      ws::max_blocks(64));  // expected-error {{"cover gives every item its thread"}}
#else
  return ws::SafeGrid<>::grid_stride(n, ws::block<256>, ws::max_blocks(64));
#endif
}
