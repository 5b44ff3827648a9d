// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// A13: a grid computed for one block is launched with another.

#include <warpsafe/launch/launch_config.hpp>

namespace ws = warpsafe;

auto configured(int n) {
#ifdef MISUSE
  return ws::configure(
      ws::SafeGrid<>::cover(n, ws::block<256>),
      ws::block<128>);  // expected-error {{"the grid was computed for another block"}}
#else
  return ws::configure(ws::SafeGrid<>::cover(n, ws::block<256>));
#endif
}
