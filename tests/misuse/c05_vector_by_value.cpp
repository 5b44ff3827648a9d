// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// C05: a vector by value, whose bytes point to host memory.

#include "launches.hpp"

#include <vector>

namespace ws = warpsafe;

WARPSAFE_KERNEL void bad(std::vector<float>) {}
WARPSAFE_KERNEL void good(ws::DeviceSpan<float>) {}

auto launched(ws::StreamRef stream, int n) {
  const auto config = ws::configure(ws::SafeGrid<>::cover(n, ws::block<256>));
#ifdef MISUSE
  return ws::launch(
      stream, config, ws::kernel<bad>,
      std::vector<float>(
          4));  // expected-error {{"the kernel takes a type that is not trivially copyable"}}
#else
  return ws::launch(stream, config, ws::kernel<good>, ws::DeviceSpan<float>());
#endif
}
