// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// B13: three blocks in clusters of two.

#include <warpsafe/launch/launch_config.hpp>

namespace ws = warpsafe;

auto configured() {
#ifdef MISUSE
  return ws::configure(
      ws::grid<3>, ws::block<32>,
      ws::cluster<2>);  // expected-error {{"the cluster does not divide the grid"}}
#else
  return ws::configure(ws::grid<4>, ws::block<32>, ws::cluster<2>);
#endif
}
