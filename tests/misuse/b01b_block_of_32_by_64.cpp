// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// B01: 2048 threads in two axes, each fine alone.

#include <warpsafe/launch/launch_config.hpp>

namespace ws = warpsafe;

auto configured() {
#ifdef MISUSE
  return ws::block<32, 64>;  // expected-error {{"more than 1024 threads per block"}}
#else
  return ws::block<32, 32>;
#endif
}
