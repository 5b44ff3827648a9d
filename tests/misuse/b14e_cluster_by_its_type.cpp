// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// B14: a cluster of 32 blocks, by the name of its type.

#include <warpsafe/launch/launch_config.hpp>

namespace ws = warpsafe;

auto configured() {
#ifdef MISUSE
  return ws::configure(
      ws::grid<64>, ws::block<64>,
      ws::NonPortableCluster<32, 1,
                             1>{});  // expected-error {{"no device has clusters of more than 16"}}
#else
  return ws::configure(ws::grid<64>, ws::block<64>, ws::non_portable_cluster<16>);
#endif
}
