// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// A05: the same in a block.

#include <warpsafe/launch/launch_config.hpp>

namespace ws = warpsafe;

auto configured() {
#ifdef MISUSE
  return ws::block<-1>;  // expected-error {{"a dimension is 0 or negative"}}
#else
  return ws::block<1>;
#endif
}
