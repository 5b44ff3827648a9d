// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// A03: a dim3 keeps the low 32 bits of 2^32 + 1, and one block runs.

#include <warpsafe/launch/launch_config.hpp>

namespace ws = warpsafe;

auto configured() {
#ifdef MISUSE
  return ws::grid<(1LL << 32) + 1>;  // expected-error {{"a grid has at most 2147483647 blocks"}}
#else
  return ws::grid<(1LL << 16) + 1>;
#endif
}
