// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// A03: 2^32 + 1 items for each thread would be 1 item.

#include <warpsafe/launch/launch_config.hpp>

namespace ws = warpsafe;

auto configured(long long n) {
#ifdef MISUSE
  return ws::SafeGrid<>::cover(
      n, ws::block<256>,
      ws::items_per_thread<(1LL << 32) +
                           1>);  // expected-error {{"a thread handles at most 2^32-1 items"}}
#else
  return ws::SafeGrid<>::cover(n, ws::block<256>, ws::items_per_thread<4>);
#endif
}
