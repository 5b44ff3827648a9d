// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// A01: the same, into a GridDim as if it were a dim3.

#include <warpsafe/launch/launch_config.hpp>

namespace ws = warpsafe;

auto configured(int n) {
#ifdef MISUSE
  return ws::GridDim((n + 255) /
                     256);  // expected-error {{"a grid is made from the size it covers"}}
#else
  return ws::SafeGrid<>::cover(n, ws::block<256>);
#endif
}
