// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// B15: a cluster where no device has any.
// only: hipcc

#include "launches.hpp"

namespace ws = warpsafe;

WARPSAFE_KERNEL void nothing() {}

auto launched(ws::StreamRef stream) {
#ifdef MISUSE
  return ws::launch(
      stream, ws::configure(ws::grid<4>, ws::block<32>, ws::cluster<2>),
      ws::kernel<nothing>);  // expected-error {{"this backend's devices have no clusters"}}
#else
  return ws::launch(stream, ws::configure(ws::grid<4>, ws::block<32>), ws::kernel<nothing>);
#endif
}
