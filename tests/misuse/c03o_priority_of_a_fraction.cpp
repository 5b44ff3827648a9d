// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// C03: a priority is a whole number.

#include <warpsafe/dims/launch_options.hpp>

namespace ws = warpsafe;

auto made([[maybe_unused]] int n) {
#ifdef MISUSE
  return ws::priority(0.5);  // expected-error {{"a priority is a whole number"}}
#else
  return ws::priority(-1);
#endif
}
