// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// A19: a block of as many threads as there is data.

#include <warpsafe/launch/launch_config.hpp>

namespace ws = warpsafe;

auto configured(int n) {
#ifdef MISUSE
  return ws::SafeGrid<>::cover(n, n);  // expected-error {{"a bare number is no block"}}
#else
  return ws::SafeGrid<>::cover(n, ws::block<256>);
#endif
}
