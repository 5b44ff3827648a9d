// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// A13: the block left out where the grid is made.

#include "launches.hpp"

namespace ws = warpsafe;

auto covered(int n) {
#ifdef MISUSE
  return ws::SafeGrid<>::cover(n);  // expected-error {{"a grid covers a size with a block"}}
#else
  return ws::SafeGrid<>::cover(n, ws::block<256>);
#endif
}
