// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// A13: a grid handed to what takes a block.

#include <warpsafe/launch/launch_config.hpp>

namespace ws = warpsafe;

ws::BlockDim configured() {
#ifdef MISUSE
  return ws::grid<256>;  // expected-error {{"conver"}}
#else
  return ws::block<256>;
#endif
}
