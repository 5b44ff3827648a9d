// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// D08: the faults of kernels come out here.

#include "launches.hpp"

namespace ws = warpsafe;

#if defined(__CUDACC__)
#pragma nv_diag_error 2809, 2810
#else
#pragma GCC diagnostic error "-Wunused-result"
#endif

bool checked(ws::StreamRef stream) {
#ifdef MISUSE
  stream.synchronize();  // expected-error {{"nodiscard"}}
  return true;
#else
  return stream.synchronize().has_value();
#endif
}
