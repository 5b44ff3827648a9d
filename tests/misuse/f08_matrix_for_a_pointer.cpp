// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// F08: the kernel reads rows that are apart as if they followed one another.

#include "launches.hpp"
#include <warpsafe/memory/pitched_buffer.hpp>

namespace ws = warpsafe;

using Matrix = ws::PitchedBuffer<float>;
WARPSAFE_KERNEL void flat(float*) {}
WARPSAFE_KERNEL void rows(ws::PitchedSpan<float>) {}

auto copied(ws::StreamRef stream, Matrix& matrix) {
#ifdef MISUSE
  return ws::launch(stream, ws::LaunchConfig{ws::grid<1>, ws::block<64>}, ws::kernel<flat>,
                    matrix.view());  // expected-error {{"the rows of this matrix are apart"}}
#else
  return ws::launch(stream, ws::LaunchConfig{ws::grid<1>, ws::block<64>}, ws::kernel<rows>,
                    matrix.view());
#endif
}
