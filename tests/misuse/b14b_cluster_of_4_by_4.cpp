// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// B14: the same in two axes.

#include <warpsafe/launch/launch_config.hpp>

namespace ws = warpsafe;

auto configured() {
#ifdef MISUSE
  return ws::cluster<4, 4>;  // expected-error {{"a portable cluster has at most 8 blocks"}}
#else
  return ws::cluster<4, 2>;
#endif
}
