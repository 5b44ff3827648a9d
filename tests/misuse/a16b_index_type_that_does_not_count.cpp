// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// A16: an index type that is no whole number.

#include "launches.hpp"

namespace ws = warpsafe;

WARPSAFE_KERNEL void nothing() {}

auto launched(ws::StreamRef stream, int n) {
  const auto config = ws::configure(ws::SafeGrid<>::cover(n, ws::block<256>));
#ifdef MISUSE
  return ws::launch(
      stream, config,
      ws::kernel<
          nothing,
          ws::index<float>>);  // expected-error {{"an index type is a built-in whole number"}}
#else
  return ws::launch(stream, config, ws::kernel<nothing, ws::index<int>>);
#endif
}
