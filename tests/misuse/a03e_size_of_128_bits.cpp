// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// A03: a size wider than any grid, from 128-bit arithmetic.

#include <warpsafe/launch/launch_config.hpp>

namespace ws = warpsafe;

__extension__ typedef __int128 Wide;

auto configured(int n) {
#ifdef MISUSE
  return ws::SafeGrid<>::cover(
      Wide{1} * n, ws::block<256>);  // expected-error {{"a size is a whole number, extent"}}
#else
  return ws::SafeGrid<>::cover(n, ws::block<256>);
#endif
}
