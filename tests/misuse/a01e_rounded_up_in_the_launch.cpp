// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// A01: the same, straight into the launch, as <<<>>> has it.

#include "launches.hpp"

namespace ws = warpsafe;

WARPSAFE_KERNEL void fill(float*, int) {}

auto launched(ws::StreamRef stream, ws::device_ptr<float> data, int n) {
  const auto config = ws::configure(ws::SafeGrid<>::cover(n, ws::block<256>));
#ifdef MISUSE
  return ws::launch(stream, (n + 255) / 256, 256, ws::kernel<fill>, data,
                    n);  // expected-error {{"launch takes a LaunchConfig second"}}
#else
  return ws::launch(stream, config, ws::kernel<fill>, data, n);
#endif
}
