// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// C15: a number for a device, which a launch count might be as well.

#include "launches.hpp"

namespace ws = warpsafe;

ws::DeviceId launched() {
#ifdef MISUSE
  return 0;  // expected-error {{"conver"}}
#else
  return ws::DeviceId(0);
#endif
}
