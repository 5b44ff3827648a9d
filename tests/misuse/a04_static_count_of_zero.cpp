// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// A04: a size of 0 covers nothing, and every runtime refuses the grid.

#include <warpsafe/launch/launch_config.hpp>

namespace ws = warpsafe;

auto configured([[maybe_unused]] int n) {
#ifdef MISUSE
  return ws::SafeGrid<>::cover(
      ws::count<0>,
      ws::block<256>);  // expected-error {{"a size of 0 covers nothing; cover_or_empty"}}
#else
  return ws::SafeGrid<>::cover_or_empty(n, ws::block<256>);
#endif
}
