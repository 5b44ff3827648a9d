// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// B16: an option given twice.

#include <warpsafe/launch/launch_config.hpp>

namespace ws = warpsafe;

auto configured() {
#ifdef MISUSE
  return ws::configure(ws::grid<4>, ws::block<32>, ws::cooperative,
                       ws::cooperative);  // expected-error {{"a launch option is given twice"}}
#else
  return ws::configure(ws::grid<4>, ws::block<32>, ws::cooperative);
#endif
}
