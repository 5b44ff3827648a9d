// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// Compiled by nvcc into a fatbin and by hipcc into a bundle, which the tests load.
#include <warpsafe/kernel_api.hpp>

extern "C" __global__ void scale(float factor, float* values, unsigned long n) {
  for (auto i : warpsafe::grid_stride(n)) values[i] *= factor;
}
extern "C" __global__ void WARPSAFE_LAUNCH_BOUNDS(256, 1) bounded(int* out) { *out = 1; }
extern "C" __global__ void shared_sum(float* out) { *out = warpsafe::dynamic_shared<float>()[0]; }

namespace app {
template <class T>
__global__ void offset(T* values, T by) {
  values[warpsafe::thread_index().x] += by;
}
template __global__ void offset<double>(double*, double);
__global__ void add_to(const float* from, float* to, unsigned long n) {
  for (auto i : warpsafe::grid_stride(n)) to[i] += from[i];
}
}  // namespace app
