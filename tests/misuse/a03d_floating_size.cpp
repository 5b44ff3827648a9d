// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// A03: a size that went through a double has lost its low digits.

#include <warpsafe/launch/launch_config.hpp>

namespace ws = warpsafe;

auto configured(int n) {
#ifdef MISUSE
  return ws::SafeGrid<>::cover(
      1.5 * n, ws::block<256>);  // expected-error {{"a size is a whole number of elements"}}
#else
  return ws::SafeGrid<>::cover(n + n / 2, ws::block<256>);
#endif
}
