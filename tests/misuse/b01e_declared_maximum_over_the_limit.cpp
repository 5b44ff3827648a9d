// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// B01: a kernel that declares more threads than any block has.

#include "launches.hpp"

namespace ws = warpsafe;

WARPSAFE_KERNEL void nothing() {}

auto launched(ws::StreamRef stream, int n) {
  const auto config = ws::configure(ws::SafeGrid<>::cover(n, ws::block<256>));
#ifdef MISUSE
  return ws::launch(
      stream, config,
      ws::kernel<nothing,
                 ws::max_threads<2048>>);  // expected-error {{"a block has 1 to 1024 threads"}}
#else
  return ws::launch(stream, config, ws::kernel<nothing, ws::max_threads<1024>>);
#endif
}
