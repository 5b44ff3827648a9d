// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// C11: elements that nothing destroys.

#include <warpsafe/launch/launch_config.hpp>

#include <string>

namespace ws = warpsafe;

auto configured() {
#ifdef MISUSE
  return ws::configure(
      ws::grid<4>, ws::block<256>,
      ws::shared<std::string>(
          64));  // expected-error {{"shared memory holds trivially destructible types"}}
#else
  return ws::configure(ws::grid<4>, ws::block<256>, ws::shared<char>(64));
#endif
}
