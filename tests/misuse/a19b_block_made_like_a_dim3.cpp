// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// A19: the same, as a dim3 is made.

#include <warpsafe/launch/launch_config.hpp>

namespace ws = warpsafe;

auto configured(int m, int n) {
#ifdef MISUSE
  return ws::BlockDim(m, n);  // expected-error {{"a block or cluster is made by block<256>"}}
#else
  return ws::BlockDim::create(m, n);
#endif
}
