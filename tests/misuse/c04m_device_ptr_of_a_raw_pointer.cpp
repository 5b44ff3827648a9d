// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// C04: a raw pointer called a device pointer.

#include <warpsafe/args/device_ptr.hpp>
#include <warpsafe/args/trust.hpp>

namespace ws = warpsafe;

auto given([[maybe_unused]] float* host) {
#ifdef MISUSE
  return ws::device_ptr<float>(host);  // expected-error {{"a raw pointer may be host memory"}}
#else
  return ws::trust(host);
#endif
}
