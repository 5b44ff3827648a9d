// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// A13: the same with a block known at run time, which nothing can compare.

#include <warpsafe/launch/launch_config.hpp>

namespace ws = warpsafe;

auto configured([[maybe_unused]] int n, ws::BlockDim block) {
#ifdef MISUSE
  return ws::configure(ws::SafeGrid<>::cover(n, ws::block<256>),
                       block);  // expected-error {{"the grid was computed for another block"}}
#else
  return ws::configure(ws::SafeGrid<>::cover(n, block));
#endif
}
