// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// C04: an owner of host memory.

#include "launches.hpp"

#include <memory>

namespace ws = warpsafe;

WARPSAFE_KERNEL void fill(float*, int) {}

auto launched(ws::StreamRef stream, ws::device_ptr<float> data, int n) {
  const auto config = ws::configure(ws::SafeGrid<>::cover(n, ws::block<256>));
#ifdef MISUSE
  return ws::launch(stream, config, ws::kernel<fill>, std::make_unique<float[]>(4),
                    n);  // expected-error {{"this argument is no device memory"}}
#else
  return ws::launch(stream, config, ws::kernel<fill>, data, n);
#endif
}
