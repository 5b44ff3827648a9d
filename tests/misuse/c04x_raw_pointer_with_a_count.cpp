// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// C04: a raw pointer where a DeviceSpan is made.

#include <warpsafe/args/device_span.hpp>

namespace ws = warpsafe;

ws::DeviceSpan<float> made([[maybe_unused]] float* host,
                           [[maybe_unused]] ws::device_ptr<float> data) {
#ifdef MISUSE
  return {host, 4};  // expected-error {{"a raw pointer may be host memory"}}
#else
  return {data, 4};
#endif
}
