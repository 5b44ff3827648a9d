// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// A14: a block of three axes for an extent of two.

#include <warpsafe/launch/launch_config.hpp>

namespace ws = warpsafe;

auto configured(int m, int n) {
#ifdef MISUSE
  return ws::SafeGrid<>::cover(
      ws::extent{ws::rows{m}, ws::cols{n}},
      ws::block<8, 8, 8>);  // expected-error {{"a block of three axes needs an extent"}}
#else
  return ws::SafeGrid<>::cover(ws::extent{ws::rows{m}, ws::cols{n}}, ws::block<16, 16>);
#endif
}
