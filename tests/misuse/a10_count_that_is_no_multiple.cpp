// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// A10: the last block of a kernel that checks no bound would leave the data.

#include <warpsafe/dims/safe_grid.hpp>

namespace ws = warpsafe;

auto made([[maybe_unused]] int n) {
#ifdef MISUSE
  return ws::SafeGrid<>::cover_exact(
      ws::count<1000>,
      ws::block<256>);  // expected-error {{"this count is no multiple of the block"}}
#else
  return ws::SafeGrid<>::cover_exact(ws::count<1024>, ws::block<256>);
#endif
}
