// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// F01: the kernels' own type, in the hands of host code.
// only: nvcc hipcc
// code: needed

#include <warpsafe/args/device_span.hpp>

namespace ws = warpsafe;

float first([[maybe_unused]] ws::DeviceSpan<float> span) {
#ifdef MISUSE
  return span[0];  // expected-error {{"host code cannot read or write device memory"}}
#else
  return 0.0F;
#endif
}
