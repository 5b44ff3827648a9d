// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// C03: a 64-bit number of elements for an int parameter.

#include "launches.hpp"

namespace ws = warpsafe;

WARPSAFE_KERNEL void fill(float*, int) {}

auto launched(ws::StreamRef stream, ws::device_ptr<float> data, long long n) {
  const auto config = ws::configure(ws::SafeGrid<>::cover(n, ws::block<256>));
#ifdef MISUSE
  return ws::launch(
      stream, config, ws::kernel<fill>, data,
      n);  // expected-error {{"may lose its value in the kernel's narrower parameter"}}
#else
  return ws::launch(stream, config, ws::kernel<fill>, data, 1000);
#endif
}
