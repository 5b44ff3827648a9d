// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// A11: 70000 in y, where 65535 is the limit of every device.

#include <warpsafe/launch/launch_config.hpp>

namespace ws = warpsafe;

auto configured() {
#ifdef MISUSE
  return ws::grid<1, 70000>;  // expected-error {{"65535 in y and z; put the long axis in x"}}
#else
  return ws::grid<70000>;
#endif
}
