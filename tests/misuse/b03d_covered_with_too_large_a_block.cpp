// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// B03: the same, where the grid brings the block.

#include "launches.hpp"

namespace ws = warpsafe;

WARPSAFE_KERNEL void fill(float*, int) {}

auto launched(ws::StreamRef stream, ws::device_ptr<float> data, int n) {
  const auto config = ws::configure(ws::SafeGrid<>::cover(n, ws::block<256>));
#ifdef MISUSE
  return ws::launch(stream, config, ws::kernel<fill, ws::max_threads<128>>, data,
                    n);  // expected-error {{"more threads than the kernel's declared maximum"}}
#else
  return ws::launch(stream, config, ws::kernel<fill, ws::max_threads<256>>, data, n);
#endif
}
