// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// A19: the same, in braces.

#include <warpsafe/launch/launch_config.hpp>

namespace ws = warpsafe;

auto configured(int n) {
#ifdef MISUSE
  return ws::BlockDim{n};  // expected-error {{"a block or cluster is made by block<256>"}}
#else
  return ws::BlockDim::create(n);
#endif
}
