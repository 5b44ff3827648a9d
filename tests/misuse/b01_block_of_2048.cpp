// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// B01: 2048 threads.

#include <warpsafe/launch/launch_config.hpp>

namespace ws = warpsafe;

auto configured() {
#ifdef MISUSE
  return ws::block<2048>;  // expected-error {{"more than 1024 threads along one axis"}}
#else
  return ws::block<1024>;
#endif
}
