// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// A07: the same, into a GridDim.

#include <warpsafe/launch/launch_config.hpp>

namespace ws = warpsafe;

auto configured(int n) {
#ifdef MISUSE
  return ws::GridDim{n / 256};  // expected-error {{"a grid is made from the size it covers"}}
#else
  return ws::SafeGrid<>::cover(n, ws::block<256>);
#endif
}
