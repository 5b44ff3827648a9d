// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// C18: an option of CUDA.
// only: hipcc

#include "launches.hpp"

namespace ws = warpsafe;

WARPSAFE_KERNEL void nothing() {}

auto launched(ws::StreamRef stream) {
  [[maybe_unused]] const auto config =
      ws::configure(ws::grid<4>, ws::block<256>, ws::dependent_launch);
#ifdef MISUSE
  return ws::launch(
      stream, config,
      ws::kernel<
          nothing,
          ws::waits_for_predecessor>);  // expected-error {{"this backend has no programmatic dependent launch"}}
#else
  return ws::launch(stream, ws::configure(ws::grid<4>, ws::block<256>), ws::kernel<nothing>);
#endif
}
