// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// C02: the kernel takes the base, and what the class adds would be left behind.

#include "launches.hpp"

namespace ws = warpsafe;

struct Settings {
  float step;
};
struct MoreSettings : Settings {
  float damping;
};

WARPSAFE_KERNEL void step(Settings) {}
WARPSAFE_KERNEL void damp(MoreSettings) {}

auto launched(ws::StreamRef stream, MoreSettings settings, int n) {
  const auto config = ws::configure(ws::SafeGrid<>::cover(n, ws::block<256>));
#ifdef MISUSE
  return ws::launch(stream, config, ws::kernel<step>,
                    settings);  // expected-error {{"loses what its class adds"}}
#else
  return ws::launch(stream, config, ws::kernel<damp>, settings);
#endif
}
