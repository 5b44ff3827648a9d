// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// C08: a null stream among the options.

#include <warpsafe/launch/launch_config.hpp>

namespace ws = warpsafe;

auto configured() {
#ifdef MISUSE
  return ws::configure(
      ws::grid<4>, ws::block<256>,
      nullptr);  // expected-error {{"a LaunchConfig is made of a grid, a block and options"}}
#else
  return ws::configure(ws::grid<4>, ws::block<256>);
#endif
}
