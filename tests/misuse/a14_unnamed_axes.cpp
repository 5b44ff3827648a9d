// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// A14: rows and columns as bare numbers.

#include <warpsafe/launch/launch_config.hpp>

namespace ws = warpsafe;

auto configured(int m, int n) {
#ifdef MISUSE
  return ws::SafeGrid<>::cover(
      ws::extent{m, n}, ws::block<16, 16>);  // expected-error {{"name the axes of an extent"}}
#else
  return ws::SafeGrid<>::cover(ws::extent{ws::rows{m}, ws::cols{n}}, ws::block<16, 16>);
#endif
}
