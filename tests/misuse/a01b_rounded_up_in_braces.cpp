// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// A01: the same, in the braces of a LaunchConfig, with a block as bare as the grid.

#include <warpsafe/launch/launch_config.hpp>

namespace ws = warpsafe;

auto configured([[maybe_unused]] int n) {
#ifdef MISUSE
  return ws::LaunchConfig{(n + 255) / 256,
                          256};  // expected-error {{"a bare number is no launch option"}}
#else
  return ws::LaunchConfig{ws::grid<4>, ws::block<256>};
#endif
}
