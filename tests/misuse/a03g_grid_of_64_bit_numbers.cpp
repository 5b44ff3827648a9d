// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// A03: 64-bit numbers of blocks, as a dim3 takes them.

#include <warpsafe/launch/launch_config.hpp>

namespace ws = warpsafe;

auto configured(long long n) {
#ifdef MISUSE
  return ws::GridDim(n, 1LL, 1LL);  // expected-error {{"a grid is made from the size it covers"}}
#else
  return ws::GridDim::from_blocks(n);
#endif
}
