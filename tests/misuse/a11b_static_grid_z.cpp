// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// A11: AMD reports 65536 and documents 65535.

#include <warpsafe/launch/launch_config.hpp>

namespace ws = warpsafe;

auto configured() {
#ifdef MISUSE
  return ws::grid<1, 1, 65536>;  // expected-error {{"65535 in y and z; put the long axis in x"}}
#else
  return ws::grid<65536>;
#endif
}
