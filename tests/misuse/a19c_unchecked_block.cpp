// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// A19: a block of run-time size whose check nobody looked at.

#include <warpsafe/launch/launch_config.hpp>

namespace ws = warpsafe;

auto configured(int n) {
#ifdef MISUSE
  return ws::SafeGrid<>::cover(
      n, ws::BlockDim::create(n));  // expected-error {{"BlockDim::create gives in a result"}}
#else
  return ws::SafeGrid<>::cover(n, ws::BlockDim::create(n).value());
#endif
}
