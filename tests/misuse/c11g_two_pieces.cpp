// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// C11: two pieces, of which a launch would pass one.

#include <warpsafe/launch/launch_config.hpp>

namespace ws = warpsafe;

auto configured() {
#ifdef MISUSE
  return ws::configure(
      ws::grid<4>, ws::block<256>, ws::shared<float>(64),
      ws::shared<int>(64));  // expected-error {{"dynamic shared memory is given twice"}}
#else
  return ws::configure(ws::grid<4>, ws::block<256>, ws::shared<int>(128));
#endif
}
