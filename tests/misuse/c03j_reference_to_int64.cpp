// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// C03: the same through std::ref.

#include "launches.hpp"

#include <functional>

namespace ws = warpsafe;

inline long long wide = 1LL << 40;

WARPSAFE_KERNEL void scale(int) {}

auto launched(ws::StreamRef stream, int n) {
  const auto config = ws::configure(ws::SafeGrid<>::cover(n, ws::block<256>));
#ifdef MISUSE
  return ws::launch(
      stream, config, ws::kernel<scale>,
      std::ref(
          wide));  // expected-error {{"may lose its value in the kernel's narrower parameter"}}
#else
  return ws::launch(stream, config, ws::kernel<scale>, std::ref(n));
#endif
}
