// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// D01: a launch that failed did nothing, and nobody asked.

#include "launches.hpp"

namespace ws = warpsafe;

WARPSAFE_KERNEL void fill(float*, int) {}

#if defined(__CUDACC__)
#pragma nv_diag_error 2809, 2810
#else
#pragma GCC diagnostic error "-Wunused-result"
#endif

bool checked(ws::StreamRef stream, ws::device_ptr<float> data, int n) {
  const auto config = ws::configure(ws::SafeGrid<>::cover(n, ws::block<256>));
#ifdef MISUSE
  ws::launch(stream, config, ws::kernel<fill>, data, n);  // expected-error {{"nodiscard"}}
  return true;
#else
  return ws::launch(stream, config, ws::kernel<fill>, data, n).has_value();
#endif
}
