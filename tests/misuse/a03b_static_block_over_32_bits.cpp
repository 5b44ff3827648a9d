// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// A03: the same with a block: 2^32 + 256 would be 256 threads.

#include <warpsafe/launch/launch_config.hpp>

namespace ws = warpsafe;

auto configured() {
#ifdef MISUSE
  return ws::block<(1LL << 32) +
                   256>;  // expected-error {{"more than 1024 threads along one axis"}}
#else
  return ws::block<256>;
#endif
}
