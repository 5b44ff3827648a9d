// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// A01: n + 255 overflows an int before anybody can check it.

#include <warpsafe/launch/launch_config.hpp>

namespace ws = warpsafe;

auto configured(int n) {
#ifdef MISUSE
  return ws::configure((n + 255) / 256,
                       ws::block<256>);  // expected-error {{"a bare number is no launch option"}}
#else
  return ws::configure(ws::SafeGrid<>::cover(n, ws::block<256>));
#endif
}
