// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// C14: a function of the host compiler, on a stream of a device.
// only: g++ clang++

#include "launches.hpp"

namespace ws = warpsafe;

WARPSAFE_KERNEL void fill(float*, int) {}

auto launched([[maybe_unused]] ws::basic_stream_ref<ws::cuda_backend> device,
              [[maybe_unused]] ws::StreamRef stream, ws::device_ptr<float> data, int n) {
  const auto config = ws::configure(ws::SafeGrid<>::cover(n, ws::block<256>));
#ifdef MISUSE
  return ws::launch(device, config, ws::kernel<fill>, data,
                    n);  // expected-error {{"this kernel is a function of the host compiler"}}
#else
  return ws::launch(stream, config, ws::kernel<fill>, data, n);
#endif
}
