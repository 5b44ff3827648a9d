// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// B06: a block of 33 threads for a kernel that reduces whole warps.

#include "launches.hpp"

namespace ws = warpsafe;

WARPSAFE_KERNEL void nothing() {}

auto launched(ws::StreamRef stream) {
  constexpr auto reduce = ws::kernel<nothing, ws::block_multiple_of<32>>;
#ifdef MISUSE
  return ws::launch(stream, ws::configure(ws::grid<1>, ws::block<33>),
                    reduce);  // expected-error {{"not a multiple of what the kernel declares"}}
#else
  return ws::launch(stream, ws::configure(ws::grid<1>, ws::block<32>), reduce);
#endif
}
