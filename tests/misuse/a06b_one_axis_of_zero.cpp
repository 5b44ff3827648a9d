// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// A06: 0 for an axis that is not used.

#include <warpsafe/launch/launch_config.hpp>

namespace ws = warpsafe;

auto configured() {
#ifdef MISUSE
  return ws::block<256, 0>;  // expected-error {{"leave out the axes that are not used"}}
#else
  return ws::block<256>;
#endif
}
