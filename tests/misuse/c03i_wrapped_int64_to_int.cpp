// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// C03: a class converts to 64 bits and then, in the same breath, to 32.

#include "launches.hpp"

namespace ws = warpsafe;

struct Length {
  long long value = 1LL << 40;
  operator long long() const { return value; }
};

WARPSAFE_KERNEL void scale(int) {}

auto launched(ws::StreamRef stream, int n) {
  const auto config = ws::configure(ws::SafeGrid<>::cover(n, ws::block<256>));
#ifdef MISUSE
  return ws::launch(
      stream, config, ws::kernel<scale>,
      Length{});  // expected-error {{"may lose its value in the kernel's narrower parameter"}}
#else
  return ws::launch(stream, config, ws::kernel<scale>, static_cast<int>(Length{} % 1000));
#endif
}
