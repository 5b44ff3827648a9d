// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// C03: a quotient for a number of elements.

#include "launches.hpp"

namespace ws = warpsafe;

WARPSAFE_KERNEL void scale(int) {}

auto launched(ws::StreamRef stream, int n) {
  const auto config = ws::configure(ws::SafeGrid<>::cover(n, ws::block<256>));
#ifdef MISUSE
  return ws::launch(
      stream, config, ws::kernel<scale>,
      0.5 * n);  // expected-error {{"may lose its value in the kernel's narrower parameter"}}
#else
  return ws::launch(stream, config, ws::kernel<scale>, n / 2);
#endif
}
