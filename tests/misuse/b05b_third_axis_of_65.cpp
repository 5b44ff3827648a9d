// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// B05: one more than CUDA allows.

#include <warpsafe/launch/launch_config.hpp>

namespace ws = warpsafe;

auto configured() {
#ifdef MISUSE
  return ws::block<1, 1, 65>;  // expected-error {{"block.z is more than 64"}}
#else
  return ws::block<1, 1, 64>;
#endif
}
