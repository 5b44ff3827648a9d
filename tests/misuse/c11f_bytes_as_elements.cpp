// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// C11: bytes taken for elements, four times too much.

#include <warpsafe/launch/launch_config.hpp>

namespace ws = warpsafe;

auto configured() {
#ifdef MISUSE
  return ws::configure(
      ws::grid<4>, ws::block<256>,
      ws::shared<float>(ws::Bytes(1024)));  // expected-error {{"counts elements of T"}}
#else
  return ws::configure(ws::grid<4>, ws::block<256>, ws::shared(ws::Bytes(1024)));
#endif
}
