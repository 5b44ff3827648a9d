// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// C15: a number for a device, which a launch count might be as well.

#include "launches.hpp"

namespace ws = warpsafe;

inline int on(ws::DeviceId device) { return device.value(); }

auto launched() {
#ifdef MISUSE
  return on(0);  // expected-error {{"conver"}}
#else
  return on(ws::DeviceId(0));
#endif
}
