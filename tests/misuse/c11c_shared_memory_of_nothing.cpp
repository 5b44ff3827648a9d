// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// C11: shared memory of no type.

#include <warpsafe/launch/launch_config.hpp>

namespace ws = warpsafe;

auto configured(int n) {
#ifdef MISUSE
  return ws::configure(ws::grid<4>, ws::block<256>,
                       ws::shared(n));  // expected-error {{"shared memory of what?"}}
#else
  return ws::configure(ws::grid<4>, ws::block<256>, ws::shared<float>(n));
#endif
}
