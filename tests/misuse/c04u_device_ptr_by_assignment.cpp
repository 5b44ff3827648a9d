// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// C04: a raw pointer where a device_ptr is declared.

#include <warpsafe/args/device_span.hpp>

namespace ws = warpsafe;

struct Arguments {
  ws::device_ptr<float> data;
};

auto declared([[maybe_unused]] float* host, [[maybe_unused]] ws::DeviceSpan<float> data) {
#ifdef MISUSE
  return Arguments{host};  // expected-error {{"a raw pointer may be host memory"}}
#else
  return Arguments{data.pointer()};
#endif
}
