// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// A03: a count known while compiling that no grid of such blocks covers.

#include <warpsafe/launch/launch_config.hpp>

namespace ws = warpsafe;

auto configured() {
#ifdef MISUSE
  return ws::SafeGrid<>::cover(
      ws::count<(1LL << 31)>,
      ws::block<1>);  // expected-error {{"this count needs a larger grid than the devices have"}}
#else
  return ws::SafeGrid<>::cover(ws::count<(1LL << 31)>, ws::block<1024>);
#endif
}
