// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// A19: a dim3 of any size where a checked block belongs.

#include <warpsafe/launch/launch_config.hpp>

namespace ws = warpsafe;

struct Sizes {
  unsigned x, y, z;
};

auto configured(unsigned n) {
#ifdef MISUSE
  return ws::SafeGrid<>::cover(n,
                               Sizes{n, 1, 1});  // expected-error {{"from_vendor makes of a dim3"}}
#else
  return ws::SafeGrid<>::cover(n, ws::BlockDim::from_vendor(Sizes{n, 1, 1}));
#endif
}
