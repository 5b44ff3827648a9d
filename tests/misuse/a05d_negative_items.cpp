// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// A05: the same in the items of a thread.

#include <warpsafe/launch/launch_config.hpp>

namespace ws = warpsafe;

auto configured(int n) {
#ifdef MISUSE
  return ws::SafeGrid<>::cover(
      n, ws::block<256>,
      ws::items_per_thread<-1>);  // expected-error {{"a thread handles at least one item"}}
#else
  return ws::SafeGrid<>::cover(n, ws::block<256>, ws::items_per_thread<1>);
#endif
}
