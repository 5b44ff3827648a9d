// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// B03: the same, with the bound declared twice.

#include "launches.hpp"

namespace ws = warpsafe;

WARPSAFE_KERNEL void nothing() {}

auto launched(ws::StreamRef stream) {
  const auto config = ws::configure(ws::grid<1>, ws::block<512>);
#ifdef MISUSE
  return ws::launch(
      stream, config,
      ws::kernel<
          nothing, ws::max_threads<1024>,
          ws::max_threads<
              256>>);  // expected-error {{"more threads than the kernel's declared maximum"}}
#else
  return ws::launch(stream, config, ws::kernel<nothing, ws::max_threads<1024>>);
#endif
}
