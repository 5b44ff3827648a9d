// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// A07: the same, in a struct of the shape of a dim3.

#include <warpsafe/launch/launch_config.hpp>

namespace ws = warpsafe;

struct Sizes {
  unsigned x, y, z;
};

auto configured(unsigned n) {
#ifdef MISUSE
  return ws::configure(
      Sizes{n / 256, 1, 1},
      ws::block<256>);  // expected-error {{"a vendor's dim3 through GridDim::from_vendor"}}
#else
  return ws::configure(ws::SafeGrid<>::cover(n, ws::block<256>));
#endif
}
