// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// A18: a cap that does not say what it counts.

#include <warpsafe/launch/launch_config.hpp>

namespace ws = warpsafe;

auto configured(int n) {
#ifdef MISUSE
  return ws::SafeGrid<>::grid_stride(n, ws::block<256>,
                                     64);  // expected-error {{"as max_blocks(m)"}}
#else
  return ws::SafeGrid<>::grid_stride(n, ws::block<256>, ws::max_blocks(64));
#endif
}
