// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// A15: an amount of shared memory is no size either.

#include <warpsafe/launch/launch_config.hpp>

namespace ws = warpsafe;

auto configured(int n) {
#ifdef MISUSE
  return ws::SafeGrid<>::cover(
      ws::shared<float>(n),
      ws::block<256>);  // expected-error {{"a size is a whole number, extent"}}
#else
  return ws::SafeGrid<>::cover(n, ws::block<256>);
#endif
}
