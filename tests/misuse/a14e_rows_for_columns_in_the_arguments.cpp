// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// A14: a kernel that takes its axes by name is given them swapped.

#include "launches.hpp"

namespace ws = warpsafe;

WARPSAFE_KERNEL void transpose(ws::rows, ws::cols) {}

auto launched(ws::StreamRef stream, int m, int n) {
  const auto config = ws::configure(ws::SafeGrid<>::cover(n, ws::block<256>));
#ifdef MISUSE
  return ws::launch(stream, config, ws::kernel<transpose>, ws::cols{n},
                    ws::rows{m});  // expected-error {{"does not convert to the kernel"}}
#else
  return ws::launch(stream, config, ws::kernel<transpose>, ws::rows{m}, ws::cols{n});
#endif
}
