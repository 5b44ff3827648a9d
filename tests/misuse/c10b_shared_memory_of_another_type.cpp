// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// C10: 256 floats where the kernel reads 256 doubles.

#include "launches.hpp"

namespace ws = warpsafe;

WARPSAFE_KERNEL void nothing() {}

auto launched(ws::StreamRef stream) {
  const auto config = ws::configure(ws::grid<4>, ws::block<256>, ws::shared<float>(256));
#ifdef MISUSE
  return ws::launch(
      stream, config,
      ws::kernel<
          nothing,
          ws::needs_shared<
              double>>);  // expected-error {{"the dynamic shared memory has other elements"}}
#else
  return ws::launch(stream, config, ws::kernel<nothing, ws::needs_shared<float>>);
#endif
}
