// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// A15: a grid four times too large.

#include <warpsafe/launch/launch_config.hpp>

#include <cstdint>

namespace ws = warpsafe;

auto configured(std::uint64_t n) {
#ifdef MISUSE
  return ws::SafeGrid<>::cover(
      ws::Bytes(n * sizeof(float)),
      ws::block<256>);  // expected-error {{"a grid covers elements, not bytes"}}
#else
  return ws::SafeGrid<>::cover(n, ws::block<256>);
#endif
}
