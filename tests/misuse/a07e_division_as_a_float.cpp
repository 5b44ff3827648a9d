// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// A07: the same, rounded by ceil() of a float quotient.

#include <warpsafe/launch/launch_config.hpp>

#include <cmath>

namespace ws = warpsafe;

auto configured(int n) {
#ifdef MISUSE
  return ws::GridDim(
      std::ceil(static_cast<float>(n) /
                256.0F));  // expected-error {{"a grid is made from the size it covers"}}
#else
  return ws::SafeGrid<>::cover(n, ws::block<256>);
#endif
}
