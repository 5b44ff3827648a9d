// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// A18: a grid for four items a thread, and a kernel that handles two.

#include "launches.hpp"

namespace ws = warpsafe;

WARPSAFE_KERNEL void fill(float*, int) {}

auto launched(ws::StreamRef stream, ws::device_ptr<float> data, int n) {
  const auto fewer =
      ws::configure(ws::SafeGrid<>::cover(n, ws::block<256>, ws::items_per_thread<4>));
#ifdef MISUSE
  return ws::launch(stream, fewer, ws::kernel<fill, ws::handles_items<2>>, data,
                    n);  // expected-error {{"another number of items than the kernel declares"}}
#else
  return ws::launch(stream, fewer, ws::kernel<fill, ws::handles_items<4>>, data, n);
#endif
}
