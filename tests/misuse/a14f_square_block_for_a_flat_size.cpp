// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// A14: a block of two axes for a size of one: 15 of 16 threads would do an item again.

#include <warpsafe/launch/launch_config.hpp>

namespace ws = warpsafe;

auto configured(int n) {
#ifdef MISUSE
  return ws::SafeGrid<>::cover(
      n, ws::block<16, 16>);  // expected-error {{"a block of several axes needs an extent"}}
#else
  return ws::SafeGrid<>::cover(n, ws::block<256>);
#endif
}
