// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// A03: a dim3 of another library, whose 64 bits would be cut to 32.

#include <warpsafe/launch/launch_config.hpp>

#include <cstdint>

namespace ws = warpsafe;

struct Vendor3 {
#ifdef MISUSE
  std::int64_t x, y, z;
#else
  unsigned x, y, z;
#endif
};

auto made(Vendor3 blocks) {
  return ws::GridDim::from_vendor(
      blocks);  // expected-error {{"a vendor's dim3 has three unsigned numbers of 32 bits"}}
}
