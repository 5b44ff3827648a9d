// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// C11: 256 elements are taken for 256 bytes.

#include <warpsafe/launch/launch_config.hpp>

namespace ws = warpsafe;

auto configured(int n) {
#ifdef MISUSE
  return ws::configure(ws::grid<4>, ws::block<256>,
                       n);  // expected-error {{"a bare number is no launch option"}}
#else
  return ws::configure(ws::grid<4>, ws::block<256>, ws::shared<float>(n));
#endif
}
