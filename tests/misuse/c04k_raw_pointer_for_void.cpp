// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// C04: void* takes every raw pointer.

#include "launches.hpp"

#include <vector>

namespace ws = warpsafe;

WARPSAFE_KERNEL void fill(void*, int) {}

auto launched(ws::StreamRef stream, ws::device_ptr<unsigned char> data, int n,
              [[maybe_unused]] std::vector<float>& host) {
  const auto config = ws::configure(ws::SafeGrid<>::cover(n, ws::block<256>));
#ifdef MISUSE
  return ws::launch(stream, config, ws::kernel<fill>, static_cast<void*>(host.data()),
                    n);  // expected-error {{"a raw pointer may be host memory"}}
#else
  return ws::launch(stream, config, ws::kernel<fill>, data, n);
#endif
}
