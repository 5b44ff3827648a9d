// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// C04: the vector itself.

#include "launches.hpp"

#include <vector>

namespace ws = warpsafe;

WARPSAFE_KERNEL void fill(float*, int) {}

auto launched(ws::StreamRef stream, ws::device_ptr<float> data, int n,
              [[maybe_unused]] std::vector<float>& host) {
  const auto config = ws::configure(ws::SafeGrid<>::cover(n, ws::block<256>));
#ifdef MISUSE
  return ws::launch(stream, config, ws::kernel<fill>, host,
                    n);  // expected-error {{"this argument is no device memory"}}
#else
  return ws::launch(stream, config, ws::kernel<fill>, data, n);
#endif
}
