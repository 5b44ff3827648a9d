// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// C07: the address of a host object, for the sake of a copy.

#include "launches.hpp"

namespace ws = warpsafe;

struct Params {
  int n = 0;
};

WARPSAFE_KERNEL void bad(const Params&) {}
WARPSAFE_KERNEL void good(Params) {}

auto launched(ws::StreamRef stream, int n) {
  const auto config = ws::configure(ws::SafeGrid<>::cover(n, ws::block<256>));
#ifdef MISUSE
  return ws::launch(stream, config, ws::kernel<bad>,
                    Params{});  // expected-error {{"the kernel takes a reference"}}
#else
  return ws::launch(stream, config, ws::kernel<good>, Params{});
#endif
}
