// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// Compiled twice: by the host compiler, for a kernel of another translation unit, and by nvcc.

#include "launches.hpp"

namespace ws = warpsafe;

#if defined(__CUDACC__)
WARPSAFE_KERNEL void axpy_here(float a, const float* x, float* y, std::size_t n) {
  for (auto i : ws::grid_stride(n)) y[i] += a * x[i];
}
static constexpr auto launched = ws::kernel<axpy_here>;
#else
WARPSAFE_KERNEL_EXTERN void axpy(float a, const float* x, float* y, std::size_t n);
static constexpr auto launched = ws::kernel<axpy>;
#endif

ws::result<void> static_returned(Stream stream, float a, In x, Out y) {
  const auto config = ws::configure(ws::SafeGrid<>::cover(x.size(), ws::block<256>));
  return ws::launch(stream, config, launched, a, x, y, x.size());
}
ws::result<void> dynamic_returned(Stream stream, ws::GridDim grid, ws::BlockDim block, float a,
                                  In x, Out y) {
  return ws::launch(stream, ws::LaunchConfig{grid, block}, launched, a, x, y, x.size());
}
ws::result<void> configured_returned(Stream stream, ws::GridDim grid, ws::BlockDim block, float a,
                                     In x, Out y) {
  return ws::launch(stream, ws::configure(grid, block), launched, a, x, y, x.size());
}
bool static_inlined(Stream stream, float a, In x, Out y) {
  const auto config = ws::configure(ws::SafeGrid<>::cover(x.size(), ws::block<256>));
  return ws::launch(stream, config, launched, a, x, y, x.size()).has_value();
}
bool dynamic_inlined(Stream stream, ws::GridDim grid, ws::BlockDim block, float a, In x, Out y) {
  return ws::launch(stream, ws::LaunchConfig{grid, block}, launched, a, x, y, x.size()).has_value();
}
bool configured_inlined(Stream stream, ws::GridDim grid, ws::BlockDim block, float a, In x, Out y) {
  return ws::launch(stream, ws::configure(grid, block), launched, a, x, y, x.size()).has_value();
}
