// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// A05: -1 for "choose one for me" is 4294967295 blocks in a dim3.

#include <warpsafe/launch/launch_config.hpp>

namespace ws = warpsafe;

auto configured() {
#ifdef MISUSE
  return ws::grid<-1>;  // expected-error {{"a dimension is 0 or negative"}}
#else
  return ws::grid<1>;
#endif
}
