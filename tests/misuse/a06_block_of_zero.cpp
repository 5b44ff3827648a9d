// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// A06: a block of 0 threads, by which the grid is then divided.

#include <warpsafe/launch/launch_config.hpp>

namespace ws = warpsafe;

auto configured(int n) {
#ifdef MISUSE
  return ws::SafeGrid<>::cover(n,
                               ws::block<0>);  // expected-error {{"a dimension is 0 or negative"}}
#else
  return ws::SafeGrid<>::cover(n, ws::block<1>);
#endif
}
