// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// C11: bytes that do not say what they are for.

#include <warpsafe/launch/launch_config.hpp>

namespace ws = warpsafe;

auto configured() {
#ifdef MISUSE
  return ws::configure(
      ws::grid<4>, ws::block<256>,
      ws::Bytes(
          1024));  // expected-error {{"a LaunchConfig is made of a grid, a block and options"}}
#else
  return ws::configure(ws::grid<4>, ws::block<256>, ws::shared(ws::Bytes(1024)));
#endif
}
