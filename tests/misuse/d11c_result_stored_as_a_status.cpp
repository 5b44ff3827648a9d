// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// D11: the result of a launch kept as a number.

#include "launches.hpp"

namespace ws = warpsafe;

WARPSAFE_KERNEL void fill(float*, int) {}

int launched(ws::StreamRef stream, ws::device_ptr<float> data, int n) {
  const auto config = ws::configure(ws::SafeGrid<>::cover(n, ws::block<256>));
#ifdef MISUSE
  return ws::launch(stream, config, ws::kernel<fill>, data, n);  // expected-error {{"conver"}}
#else
  return ws::launch(stream, config, ws::kernel<fill>, data, n).has_error() ? 1 : 0;
#endif
}
