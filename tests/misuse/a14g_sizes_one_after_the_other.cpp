// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// A14: two sizes before the block.

#include <warpsafe/launch/launch_config.hpp>

namespace ws = warpsafe;

auto configured(int m, int n) {
#ifdef MISUSE
  return ws::SafeGrid<>::cover(
      m, n, ws::block<16, 16>);  // expected-error {{"a bare number is no block"}}
#else
  return ws::SafeGrid<>::cover(ws::extent{ws::rows{m}, ws::cols{n}}, ws::block<16, 16>);
#endif
}
