// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// A13: the block comes first, as in <<<>>> it does not.

#include <warpsafe/launch/launch_config.hpp>

namespace ws = warpsafe;

auto configured(int n) {
#ifdef MISUSE
  return ws::SafeGrid<>::cover(ws::block<256>,
                               n);  // expected-error {{"a size is a whole number, extent"}}
#else
  return ws::SafeGrid<>::cover(n, ws::block<256>);
#endif
}
