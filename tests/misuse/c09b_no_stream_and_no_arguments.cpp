// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// C09: the same, of a kernel without parameters.

#include "launches.hpp"

namespace ws = warpsafe;

WARPSAFE_KERNEL void nothing() {}

auto launched([[maybe_unused]] ws::StreamRef stream, int n) {
  const auto config = ws::configure(ws::SafeGrid<>::cover(n, ws::block<256>));
#ifdef MISUSE
  return ws::launch(
      config,
      ws::kernel<
          nothing>);  // expected-error {{"launch takes a stream, a configuration and a kernel"}}
#else
  return ws::launch(stream, config, ws::kernel<nothing>);
#endif
}
