// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// A16: 2^32 threads, for a kernel that computes `int i = blockIdx.x * blockDim.x + threadIdx.x`, as
// one that does not say otherwise is taken to do.

#include "launches.hpp"

namespace ws = warpsafe;

WARPSAFE_KERNEL void clear(float*) {}

auto launched(ws::StreamRef stream) {
  constexpr auto config = ws::configure(ws::grid<4194304>, ws::block<1024>);
#ifdef MISUSE
  return ws::launch(stream, config, ws::kernel<clear>,
                    nullptr);  // expected-error {{"more threads than the kernel's index counts"}}
#else
  return ws::launch(stream, config, ws::kernel<clear, ws::index<long>>, nullptr);
#endif
}
