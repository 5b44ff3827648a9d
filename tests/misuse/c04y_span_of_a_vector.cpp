// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// C04: a DeviceSpan made of a vector.

#include <warpsafe/args/device_span.hpp>

#include <vector>

namespace ws = warpsafe;

ws::DeviceSpan<float> span_of([[maybe_unused]] std::vector<float>& host,
                              [[maybe_unused]] ws::device_ptr<float> device) {
#ifdef MISUSE
  ws::DeviceSpan<float> span = host;  // expected-error {{"a DeviceSpan is device memory"}}
  return span;
#else
  return ws::DeviceSpan<float>(device, 4);
#endif
}
