// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// C02: a buffer of ints for a kernel of floats.

#include "launches.hpp"

namespace ws = warpsafe;

WARPSAFE_KERNEL void fill(float*, int) {}

auto launched(ws::StreamRef stream, [[maybe_unused]] ws::device_ptr<int> data, int n) {
  const auto config = ws::configure(ws::SafeGrid<>::cover(n, ws::block<256>));
#ifdef MISUSE
  return ws::launch(stream, config, ws::kernel<fill>, data,
                    n);  // expected-error {{"the buffer's elements are of another type"}}
#else
  return ws::launch(stream, config, ws::kernel<fill>, ws::device_ptr<float>(), n);
#endif
}
