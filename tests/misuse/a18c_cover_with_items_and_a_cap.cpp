// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// A18: the same behind another option.

#include <warpsafe/launch/launch_config.hpp>

namespace ws = warpsafe;

auto configured(int n) {
#ifdef MISUSE
  return ws::SafeGrid<>::cover(
      n, ws::block<256>, ws::items_per_thread<4>,
      ws::max_blocks(64));  // expected-error {{"cover gives every item its thread"}}
#else
  return ws::SafeGrid<>::cover(n, ws::block<256>, ws::items_per_thread<4>);
#endif
}
