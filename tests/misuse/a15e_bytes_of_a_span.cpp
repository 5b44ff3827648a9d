// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// A15: std::as_bytes has a size() too.

#include <warpsafe/dims/safe_grid.hpp>

#include <cstddef>
#include <span>

namespace ws = warpsafe;

auto made([[maybe_unused]] std::span<const float> data) {
#ifdef MISUSE
  return ws::SafeGrid<>::cover(
      std::as_bytes(data),
      ws::block<256>);  // expected-error {{"a range of std::byte counts bytes"}}
#else
  return ws::SafeGrid<>::cover(data, ws::block<256>);
#endif
}
