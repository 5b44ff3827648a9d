// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// C02: trust answers for where the memory is, not for what is in it.

#include "launches.hpp"

namespace ws = warpsafe;

WARPSAFE_KERNEL void fill(float*, int) {}

auto launched(ws::StreamRef stream, [[maybe_unused]] double* other, [[maybe_unused]] float* mine,
              int n) {
  const auto config = ws::configure(ws::SafeGrid<>::cover(n, ws::block<256>));
#ifdef MISUSE
  return ws::launch(stream, config, ws::kernel<fill>, ws::trust(other),
                    n);  // expected-error {{"the buffer's elements are of another type"}}
#else
  return ws::launch(stream, config, ws::kernel<fill>, ws::trust(mine), n);
#endif
}
