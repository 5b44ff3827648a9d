// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// B14: more than any device allows, asked for on purpose.

#include <warpsafe/launch/launch_config.hpp>

namespace ws = warpsafe;

auto configured() {
#ifdef MISUSE
  return ws::non_portable_cluster<
      32>;  // expected-error {{"no device has clusters of more than 16 blocks"}}
#else
  return ws::non_portable_cluster<16>;
#endif
}
