// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// A03: a comparison where the number was meant.

#include <warpsafe/launch/launch_config.hpp>

namespace ws = warpsafe;

auto configured(int n) {
#ifdef MISUSE
  return ws::SafeGrid<>::cover(n > 0, ws::block<256>);  // expected-error {{"a bool is not a size"}}
#else
  return ws::SafeGrid<>::cover(n, ws::block<256>);
#endif
}
