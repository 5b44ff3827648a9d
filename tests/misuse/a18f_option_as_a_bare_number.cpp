// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// A18: the items of a thread as a bare number.

#include <warpsafe/launch/launch_config.hpp>

namespace ws = warpsafe;

auto configured(int n) {
#ifdef MISUSE
  return ws::SafeGrid<>::cover(n, ws::block<256>,
                               4);  // expected-error {{"cover takes items_per_thread<N>"}}
#else
  return ws::SafeGrid<>::cover(n, ws::block<256>, ws::items_per_thread<4>);
#endif
}
