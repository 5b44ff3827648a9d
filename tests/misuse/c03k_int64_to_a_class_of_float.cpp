// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// C03: a class made of a float, given a 64-bit number.

#include "launches.hpp"

namespace ws = warpsafe;

struct Angle {
  WARPSAFE_FN constexpr Angle(float degrees) : value(degrees) {}
  float value;
};

WARPSAFE_KERNEL void scale(Angle) {}

auto launched(ws::StreamRef stream, int n) {
  const auto config = ws::configure(ws::SafeGrid<>::cover(n, ws::block<256>));
#ifdef MISUSE
  return ws::launch(
      stream, config, ws::kernel<scale>,
      1LL << 40);  // expected-error {{"may lose its value in the kernel's narrower parameter"}}
#else
  return ws::launch(stream, config, ws::kernel<scale>, 1.0F);
#endif
}
