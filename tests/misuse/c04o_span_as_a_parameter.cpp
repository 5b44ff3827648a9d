// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// C04: a view of host memory is a few bytes that copy well.

#include "launches.hpp"

#include <span>

namespace ws = warpsafe;

WARPSAFE_KERNEL void bad([[maybe_unused]] std::span<float> data) {}
WARPSAFE_KERNEL void good([[maybe_unused]] ws::DeviceSpan<float> data) {}

auto launched(ws::StreamRef stream, [[maybe_unused]] std::span<float> host) {
  const ws::LaunchConfig config{ws::grid<4>, ws::block<256>};
#ifdef MISUSE
  return ws::launch(stream, config, ws::kernel<bad>,
                    host);  // expected-error {{"holds a raw pointer, or is a view"}}
#else
  return ws::launch(stream, config, ws::kernel<good>, ws::DeviceSpan<float>());
#endif
}
