// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// C02: a pointer to a class is one to its base too, and the kernel would step by the base's size.

#include "launches.hpp"

namespace ws = warpsafe;

struct Particle {
  float mass;
};
struct Charged : Particle {
  float charge;
};

WARPSAFE_KERNEL void move(Particle*, int) {}
WARPSAFE_KERNEL void move_charged(Charged*, int) {}

auto launched(ws::StreamRef stream, ws::device_ptr<Charged> data, int n) {
  const auto config = ws::configure(ws::SafeGrid<>::cover(n, ws::block<256>));
#ifdef MISUSE
  return ws::launch(stream, config, ws::kernel<move>, data,
                    n);  // expected-error {{"elements are of another type"}}
#else
  return ws::launch(stream, config, ws::kernel<move_charged>, data, n);
#endif
}
