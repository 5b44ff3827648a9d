// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// C02: every pointer converts to a bool.

#include "launches.hpp"

namespace ws = warpsafe;

WARPSAFE_KERNEL void scale(bool) {}

auto launched(ws::StreamRef stream, const float* host, int n) {
  const auto config = ws::configure(ws::SafeGrid<>::cover(n, ws::block<256>));
#ifdef MISUSE
  return ws::launch(stream, config, ws::kernel<scale>,
                    host);  // expected-error {{"or is a pointer, which converts to bool"}}
#else
  return ws::launch(stream, config, ws::kernel<scale>, host != nullptr);
#endif
}
