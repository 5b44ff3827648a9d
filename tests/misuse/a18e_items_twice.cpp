// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// A18: two numbers of items per thread, whose product nobody wrote down.

#include <warpsafe/launch/launch_config.hpp>

namespace ws = warpsafe;

auto configured(int n) {
#ifdef MISUSE
  return ws::SafeGrid<>::cover(
      n, ws::block<256>, ws::items_per_thread<4>,
      ws::items_per_thread<2>);  // expected-error {{"items_per_thread is given twice"}}
#else
  return ws::SafeGrid<>::cover(n, ws::block<256>, ws::items_per_thread<8>);
#endif
}
