// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// In a static library.

#include "extern_kernels.hpp"

namespace ws = warpsafe;

namespace right {

WARPSAFE_KERNEL_EXTERN void add_one(int* values, ws::size_type n) {
  for (auto i : ws::grid_stride(n)) values[i] += 1;
}

WARPSAFE_KERNEL_EXTERN void block_totals(const int* values, int* totals) {
  int* mine = ws::shared_array<int, 64>([] {});
  const unsigned t = ws::thread_in_block().x;
  mine[t] = values[ws::thread_index().x];
  ws::sync_block();
  if (t == 0) {
    int total = 0;
    for (unsigned i = 0; i < 64; ++i) total += mine[i];
    totals[ws::block_index().x] = total;
  }
}

WARPSAFE_KERNEL_EXTERN_C void right_programs_negate(int* values, ws::size_type n) {
  for (auto i : ws::grid_stride(n)) values[i] = -values[i];
}

template <class T>
WARPSAFE_KERNEL_EXTERN void times(ws::DeviceSpan<T> values, T factor) {
  for (auto i : ws::grid_stride(values.size())) values[i] *= factor;
}
template WARPSAFE_KERNEL_EXTERN void times<float>(ws::DeviceSpan<float>, float);
template WARPSAFE_KERNEL_EXTERN void times<double>(ws::DeviceSpan<double>, double);

}  // namespace right
