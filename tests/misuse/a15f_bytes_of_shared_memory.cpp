// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// A15: what shared memory takes in bytes, as a number of elements.

#include <warpsafe/launch/launch_config.hpp>

namespace ws = warpsafe;

auto made(int n) {
  [[maybe_unused]] const auto memory = ws::shared<float>(n);
#ifdef MISUSE
  return ws::SafeGrid<>::cover(
      memory.bytes(), ws::block<256>);  // expected-error {{"a grid covers elements, not bytes"}}
#else
  return ws::SafeGrid<>::cover(n, ws::block<256>);
#endif
}
