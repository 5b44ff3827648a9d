// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// C01: an array of pointers to the arguments, as cudaLaunchKernel takes it.

#include "launches.hpp"

namespace ws = warpsafe;

WARPSAFE_KERNEL void fill(float*, int) {}

auto launched(ws::StreamRef stream, ws::device_ptr<float> data, int n) {
  const auto config = ws::configure(ws::SafeGrid<>::cover(n, ws::block<256>));
  [[maybe_unused]] void* arguments[] = {&data, &n};
#ifdef MISUSE
  return ws::launch(
      stream, config, ws::kernel<fill>,
      arguments);  // expected-error {{"the number of arguments is not the kernel's number"}}
#else
  return ws::launch(stream, config, ws::kernel<fill>, data, n);
#endif
}
