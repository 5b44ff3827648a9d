// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// A05: the same in a count.

#include <warpsafe/launch/launch_config.hpp>

namespace ws = warpsafe;

auto configured() {
#ifdef MISUSE
  return ws::SafeGrid<>::cover(
      ws::count<-1>, ws::block<256>);  // expected-error {{"a size is negative; it is at least 0"}}
#else
  return ws::SafeGrid<>::cover(ws::count<1>, ws::block<256>);
#endif
}
