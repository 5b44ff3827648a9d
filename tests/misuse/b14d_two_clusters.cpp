// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// B14: a portable cluster and one that is not.

#include <warpsafe/launch/launch_config.hpp>

namespace ws = warpsafe;

auto configured() {
#ifdef MISUSE
  return ws::configure(
      ws::grid<16>, ws::block<32>, ws::cluster<2>,
      ws::non_portable_cluster<16>);  // expected-error {{"two clusters in one LaunchConfig"}}
#else
  return ws::configure(ws::grid<16>, ws::block<32>, ws::non_portable_cluster<16>);
#endif
}
