// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// F07: float4 at an address that is known to suit a float.

#include "launches.hpp"
#include <warpsafe/args/align.hpp>

#include <vector>

namespace ws = warpsafe;

struct alignas(16) Four {
  float values[4];
};

WARPSAFE_KERNEL void bad([[maybe_unused]] ws::aligned_ptr<float, 16> parameter) {}
WARPSAFE_KERNEL void good([[maybe_unused]] ws::device_ptr<float> parameter) {}

auto launched(ws::StreamRef stream, [[maybe_unused]] std::vector<float>& host) {
  const ws::LaunchConfig config{ws::grid<4>, ws::block<256>};
#ifdef MISUSE
  return ws::launch(
      stream, config, ws::kernel<bad>,
      ws::DeviceSpan<float>().pointer());  // expected-error {{"does not convert to the kernel"}}
#else
  return ws::launch(stream, config, ws::kernel<good>, nullptr);
#endif
}
