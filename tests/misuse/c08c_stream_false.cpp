// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// C08: false converts to a null pointer in older languages.

#include "launches.hpp"

namespace ws = warpsafe;

WARPSAFE_KERNEL void fill(float*, int) {}

auto launched([[maybe_unused]] ws::StreamRef stream, ws::device_ptr<float> data, int n) {
  const auto config = ws::configure(ws::SafeGrid<>::cover(n, ws::block<256>));
#ifdef MISUSE
  return ws::launch(false, config, ws::kernel<fill>, data,
                    n);  // expected-error {{"launch takes a Stream or StreamRef first"}}
#else
  return ws::launch(stream, config, ws::kernel<fill>, data, n);
#endif
}
