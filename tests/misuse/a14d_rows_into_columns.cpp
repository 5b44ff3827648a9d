// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// A14: a number of rows becomes one of columns.

#include <warpsafe/launch/launch_config.hpp>

namespace ws = warpsafe;

auto configured([[maybe_unused]] ws::rows rows, [[maybe_unused]] int n) {
#ifdef MISUSE
  return ws::cols{rows};  // expected-error {{"a size is a built-in whole number"}}
#else
  return ws::cols{n};
#endif
}
