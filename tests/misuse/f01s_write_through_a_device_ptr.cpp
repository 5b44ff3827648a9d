// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// F01: device memory written by host code.

#include <warpsafe/args/device_ptr.hpp>

namespace ws = warpsafe;

void write([[maybe_unused]] ws::device_ptr<float> data) {
#ifdef MISUSE
  *data = 1.0F;  // expected-error {{"a device_ptr is not read through"}}
#endif
}
