// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// C02: a span of ints for a kernel of floats.

#include "launches.hpp"

namespace ws = warpsafe;

WARPSAFE_KERNEL void fill(ws::DeviceSpan<float>) {}

auto launched(ws::StreamRef stream, [[maybe_unused]] ws::DeviceSpan<int> span, int n) {
  const auto config = ws::configure(ws::SafeGrid<>::cover(n, ws::block<256>));
#ifdef MISUSE
  return ws::launch(stream, config, ws::kernel<fill>,
                    span);  // expected-error {{"the kernel takes a DeviceSpan of these elements"}}
#else
  return ws::launch(stream, config, ws::kernel<fill>, ws::DeviceSpan<float>());
#endif
}
