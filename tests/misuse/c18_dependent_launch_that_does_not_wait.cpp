// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// C18: the kernel may start before its input is written.
// only: g++ clang++ nvcc

#include "launches.hpp"

namespace ws = warpsafe;

WARPSAFE_KERNEL void nothing() {}

auto launched(ws::StreamRef stream) {
  const auto config = ws::configure(ws::grid<4>, ws::block<256>, ws::dependent_launch);
#ifdef MISUSE
  return ws::launch(
      stream, config,
      ws::kernel<nothing>);  // expected-error {{"only for kernels declared waits_for_predecessor"}}
#else
  return ws::launch(stream, config, ws::kernel<nothing, ws::waits_for_predecessor>);
#endif
}
