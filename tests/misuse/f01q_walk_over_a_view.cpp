// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// F01: device memory walked by host code.

#include <warpsafe/args/device_view.hpp>

namespace ws = warpsafe;

float sum([[maybe_unused]] ws::DeviceView<float> view) {
  float all = 0;
#ifdef MISUSE
  for (const float x : view) all += x;  // expected-error {{"host code cannot read or write"}}
#endif
  return all;
}
