// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// C04: an array, which decays.

#include "launches.hpp"

namespace ws = warpsafe;

WARPSAFE_KERNEL void fill(float*, int) {}

auto launched(ws::StreamRef stream, ws::device_ptr<float> data, int n) {
  const auto config = ws::configure(ws::SafeGrid<>::cover(n, ws::block<256>));
  [[maybe_unused]] float local[4] = {};
#ifdef MISUSE
  return ws::launch(stream, config, ws::kernel<fill>, local,
                    n);  // expected-error {{"a raw pointer may be host memory"}}
#else
  return ws::launch(stream, config, ws::kernel<fill>, data, n);
#endif
}
