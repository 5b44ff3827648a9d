// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// A13: the block is given as a grid.

#include <warpsafe/launch/launch_config.hpp>

namespace ws = warpsafe;

auto configured(int n) {
#ifdef MISUSE
  return ws::SafeGrid<>::cover(
      n, ws::grid<256>);  // expected-error {{"this is a grid where the block belongs"}}
#else
  return ws::SafeGrid<>::cover(n, ws::block<256>);
#endif
}
