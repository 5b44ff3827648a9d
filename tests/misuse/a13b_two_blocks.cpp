// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// A13: the grid is given as a block.

#include <warpsafe/launch/launch_config.hpp>

namespace ws = warpsafe;

auto configured() {
#ifdef MISUSE
  return ws::configure(ws::block<256>,
                       ws::block<4>);  // expected-error {{"two blocks in one LaunchConfig"}}
#else
  return ws::configure(ws::block<256>, ws::grid<4>);
#endif
}
