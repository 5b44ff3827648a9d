// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// D08: the faults of kernels come out here.
// only: g++ clang++ hipcc

#include "launches.hpp"

namespace ws = warpsafe;

#pragma GCC diagnostic error "-Wunused-result"

bool checked(ws::StreamRef stream) {
#ifdef MISUSE
  stream.synchronize();  // expected-error {{"nodiscard"}}
  return true;
#else
  return stream.synchronize().has_value();
#endif
}
