// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// A04: a grid of no blocks.

#include <warpsafe/launch/launch_config.hpp>

namespace ws = warpsafe;

auto configured() {
#ifdef MISUSE
  return ws::configure(ws::grid<0>,
                       ws::block<256>);  // expected-error {{"a dimension is 0 or negative"}}
#else
  return ws::configure(ws::grid<1>, ws::block<256>);
#endif
}
