// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// D01: nobody asked either of two launches. g++ 12 looks for it where the call itself is the
// statement, and not in the arms of ?:, nor on the right of a comma.
// only: clang++ nvcc hipcc

#include "launches.hpp"

namespace ws = warpsafe;

WARPSAFE_KERNEL void nothing() {}

#if defined(__CUDACC__)
#pragma nv_diag_error 2809, 2810, 3004
#else
#pragma GCC diagnostic error "-Wunused-result"
#endif

bool checked(ws::StreamRef stream, bool large) {
  [[maybe_unused]] const auto few = ws::configure(ws::grid<4>, ws::block<256>);
  [[maybe_unused]] const auto many = ws::configure(ws::grid<64>, ws::block<256>);
#ifdef MISUSE
  large ? ws::launch(stream, many, ws::kernel<nothing>)
        : ws::launch(stream, few, ws::kernel<nothing>);  // expected-error {{"nodiscard"}}
  return true;
#else
  return (large ? ws::launch(stream, many, ws::kernel<nothing>)
                : ws::launch(stream, few, ws::kernel<nothing>))
      .has_value();
#endif
}
