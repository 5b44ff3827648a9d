// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// A09: n / 256 + 1 is one block too many whenever 256 divides n.

#include <warpsafe/launch/launch_config.hpp>

namespace ws = warpsafe;

auto configured(int n) {
#ifdef MISUSE
  return ws::configure(n / 256 + 1,
                       ws::block<256>);  // expected-error {{"a bare number is no launch option"}}
#else
  return ws::configure(ws::SafeGrid<>::cover(n, ws::block<256>));
#endif
}
