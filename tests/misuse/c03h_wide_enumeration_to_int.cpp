// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// C03: an enumeration converts to its underlying type, here 64 bits wide.

#include "launches.hpp"

namespace ws = warpsafe;

enum Offset : long long { offset = 1 };

WARPSAFE_KERNEL void scale(int) {}

auto launched(ws::StreamRef stream, int n) {
  const auto config = ws::configure(ws::SafeGrid<>::cover(n, ws::block<256>));
#ifdef MISUSE
  return ws::launch(
      stream, config, ws::kernel<scale>,
      offset);  // expected-error {{"may lose its value in the kernel's narrower parameter"}}
#else
  return ws::launch(stream, config, ws::kernel<scale>,
                    static_cast<long long>(offset) < 100 ? 1 : 2);
#endif
}
