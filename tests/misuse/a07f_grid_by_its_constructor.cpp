// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// A07: a grid made past cover, by a constructor.

#include "launches.hpp"

namespace ws = warpsafe;

auto grid(int blocks) {
#ifdef MISUSE
  return ws::SafeGrid<>(blocks, ws::block<256>);  // expected-error {{"a SafeGrid is made by"}}
#else
  return ws::SafeGrid<>::cover(blocks, ws::block<256>);
#endif
}
