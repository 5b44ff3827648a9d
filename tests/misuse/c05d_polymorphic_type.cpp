// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// C05: virtual functions of the host.

#include "launches.hpp"

namespace ws = warpsafe;

struct Shape {
  WARPSAFE_FN virtual float area() const { return 0; }
};

WARPSAFE_KERNEL void bad(Shape) {}
WARPSAFE_KERNEL void good(float) {}

auto launched(ws::StreamRef stream, int n) {
  const auto config = ws::configure(ws::SafeGrid<>::cover(n, ws::block<256>));
#ifdef MISUSE
  return ws::launch(stream, config, ws::kernel<bad>,
                    Shape{});  // expected-error {{"the kernel takes a polymorphic type"}}
#else
  return ws::launch(stream, config, ws::kernel<good>, 1.0F);
#endif
}
