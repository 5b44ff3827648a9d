// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// C03: the same from a container.

#include "launches.hpp"

#include <cstddef>
#include <vector>

namespace ws = warpsafe;

WARPSAFE_KERNEL void fill(float*, int) {}
WARPSAFE_KERNEL void wide(float*, std::size_t) {}

auto launched(ws::StreamRef stream, ws::device_ptr<float> data, const std::vector<float>& n) {
  const auto config = ws::configure(ws::SafeGrid<>::cover(n, ws::block<256>));
#ifdef MISUSE
  return ws::launch(
      stream, config, ws::kernel<fill>, data,
      n.size());  // expected-error {{"may lose its value in the kernel's narrower parameter"}}
#else
  return ws::launch(stream, config, ws::kernel<wide>, data, n.size());
#endif
}
