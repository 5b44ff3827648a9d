// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// C14: a kernel that the device compiler compiled, on a stream of the host backend.
// only: nvcc hipcc

#include "launches.hpp"

namespace ws = warpsafe;

WARPSAFE_KERNEL void fill(float*, int) {}

auto launched([[maybe_unused]] ws::basic_stream_ref<ws::host_backend> host,
              [[maybe_unused]] ws::StreamRef stream, ws::device_ptr<float> data, int n) {
  const auto config = ws::configure(ws::SafeGrid<>::cover(n, ws::block<256>));
#ifdef MISUSE
  return ws::launch(host, config, ws::kernel<fill>, data,
                    n);  // expected-error {{"this kernel is compiled for a device"}}
#else
  return ws::launch(stream, config, ws::kernel<fill>, data, n);
#endif
}
