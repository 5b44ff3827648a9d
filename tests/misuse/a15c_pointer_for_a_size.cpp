// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// A15: the pointer instead of the number of elements behind it.

#include <warpsafe/launch/launch_config.hpp>

namespace ws = warpsafe;

auto configured([[maybe_unused]] const float* data, [[maybe_unused]] int n) {
#ifdef MISUSE
  return ws::SafeGrid<>::cover(data,
                               ws::block<256>);  // expected-error {{"a pointer is not a size"}}
#else
  return ws::SafeGrid<>::cover(n, ws::block<256>);
#endif
}
