// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// C01: none at all.

#include "launches.hpp"

namespace ws = warpsafe;

WARPSAFE_KERNEL void fill(float*, int) {}

auto launched(ws::StreamRef stream, [[maybe_unused]] ws::device_ptr<float> data, int n) {
  const auto config = ws::configure(ws::SafeGrid<>::cover(n, ws::block<256>));
#ifdef MISUSE
  return ws::launch(
      stream, config,
      ws::kernel<fill>);  // expected-error {{"the number of arguments is not the kernel's number"}}
#else
  return ws::launch(stream, config, ws::kernel<fill>, data, n);
#endif
}
