// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// C02: a buffer for a kernel that takes an array of buffers.

#include "launches.hpp"

namespace ws = warpsafe;

WARPSAFE_KERNEL void gather(float**) {}

auto launched(ws::StreamRef stream, [[maybe_unused]] ws::device_ptr<float> data,
              [[maybe_unused]] ws::device_ptr<float*> table, int n) {
  const auto config = ws::configure(ws::SafeGrid<>::cover(n, ws::block<256>));
#ifdef MISUSE
  return ws::launch(stream, config, ws::kernel<gather>,
                    data);  // expected-error {{"the buffer's elements are of another type"}}
#else
  return ws::launch(stream, config, ws::kernel<gather>, table);
#endif
}
