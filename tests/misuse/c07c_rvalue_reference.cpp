// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// C07: a reference to a temporary.
// only: g++ clang++ hipcc

#include "launches.hpp"

namespace ws = warpsafe;

WARPSAFE_KERNEL void bad(int&&) {}
WARPSAFE_KERNEL void good(int) {}

auto launched(ws::StreamRef stream, int n) {
  const auto config = ws::configure(ws::SafeGrid<>::cover(n, ws::block<256>));
#ifdef MISUSE
  return ws::launch(stream, config, ws::kernel<bad>,
                    5);  // expected-error {{"the kernel takes a reference"}}
#else
  return ws::launch(stream, config, ws::kernel<good>, 5);
#endif
}
