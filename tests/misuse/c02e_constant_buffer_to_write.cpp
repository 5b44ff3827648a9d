// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// C02: a buffer of constants for a kernel that writes.

#include "launches.hpp"

namespace ws = warpsafe;

WARPSAFE_KERNEL void fill(float*, int) {}
WARPSAFE_KERNEL void look(const float*, int) {}

auto launched(ws::StreamRef stream, ws::device_ptr<const float> data, int n) {
  const auto config = ws::configure(ws::SafeGrid<>::cover(n, ws::block<256>));
#ifdef MISUSE
  return ws::launch(stream, config, ws::kernel<fill>, data,
                    n);  // expected-error {{"or are const where the kernel writes"}}
#else
  return ws::launch(stream, config, ws::kernel<look>, data, n);
#endif
}
