// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// C15: is 1 a device, or a priority?

#include "launches.hpp"

namespace ws = warpsafe;

auto made() {
#ifdef MISUSE
  return ws::Stream::create(1);  // expected-error {{"a bare number may be a device or a priority"}}
#else
  return ws::Stream::create(ws::DeviceId(1));
#endif
}
