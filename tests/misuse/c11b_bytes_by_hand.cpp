// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// C11: bytes by hand, right today.

#include <warpsafe/launch/launch_config.hpp>

#include <cstdint>

namespace ws = warpsafe;

auto configured(std::uint64_t n) {
#ifdef MISUSE
  return ws::configure(
      ws::grid<4>, ws::block<256>,
      n * sizeof(float));  // expected-error {{"a bare number is no launch option"}}
#else
  return ws::configure(ws::grid<4>, ws::block<256>, ws::shared<float>(n));
#endif
}
