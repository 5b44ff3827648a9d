// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// C11: half an element.

#include <warpsafe/launch/launch_config.hpp>

namespace ws = warpsafe;

auto configured(int n) {
#ifdef MISUSE
  return ws::configure(
      ws::grid<4>, ws::block<256>,
      ws::shared<float>(1.5 * n));  // expected-error {{"a size is a whole number of elements"}}
#else
  return ws::configure(ws::grid<4>, ws::block<256>, ws::shared<float>(n));
#endif
}
