// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// B14: more than the 8 blocks that every device with clusters allows.

#include <warpsafe/launch/launch_config.hpp>

namespace ws = warpsafe;

auto configured() {
#ifdef MISUSE
  return ws::cluster<16>;  // expected-error {{"a portable cluster has at most 8 blocks"}}
#else
  return ws::non_portable_cluster<16>;
#endif
}
