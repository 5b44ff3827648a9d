// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// C03: ptrdiff_t for an int parameter.

#include "launches.hpp"

#include <cstddef>

namespace ws = warpsafe;

WARPSAFE_KERNEL void scale(int) {}

auto launched(ws::StreamRef stream, int n) {
  const auto config = ws::configure(ws::SafeGrid<>::cover(n, ws::block<256>));
#ifdef MISUSE
  return ws::launch(
      stream, config, ws::kernel<scale>,
      static_cast<std::ptrdiff_t>(
          n));  // expected-error {{"may lose its value in the kernel's narrower parameter"}}
#else
  return ws::launch(stream, config, ws::kernel<scale>, n);
#endif
}
