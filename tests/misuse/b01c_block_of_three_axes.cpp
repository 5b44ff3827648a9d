// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// B01: 2048 threads in three axes.

#include <warpsafe/launch/launch_config.hpp>

namespace ws = warpsafe;

auto configured() {
#ifdef MISUSE
  return ws::block<16, 16, 8>;  // expected-error {{"more than 1024 threads per block"}}
#else
  return ws::block<16, 16, 4>;
#endif
}
