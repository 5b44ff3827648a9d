// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// A18: fewer threads than items, and a kernel that handles one item per thread.

#include "launches.hpp"

namespace ws = warpsafe;

WARPSAFE_KERNEL void fill(float*, int) {}

auto launched(ws::StreamRef stream, ws::device_ptr<float> data, int n) {
  const auto capped =
      ws::configure(ws::SafeGrid<>::grid_stride(n, ws::block<256>, ws::max_blocks(64)));
#ifdef MISUSE
  return ws::launch(stream, capped, ws::kernel<fill>, data,
                    n);  // expected-error {{"this kernel is not declared grid_stride_kernel"}}
#else
  return ws::launch(stream, capped, ws::kernel<fill, ws::grid_stride_kernel>, data, n);
#endif
}
