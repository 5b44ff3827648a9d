// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// A ring of buffers is refilled before it was read. -DWRONG plants the mistake.

#include "../plain_cuda.cuh"

__global__ void fill(float* x) { x[blockIdx.x * blockDim.x + threadIdx.x] = 1; }
__global__ void sum(const float* x, float* y) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  y[i] += x[i];
}

void run(cudaStream_t owner, cudaStream_t user) {
  float* slots[2] = {zeros(owner), zeros(owner)};
  float* const y = zeros(user);
  for (int i = 0; i < 4; ++i) {
    float* const slot = slots[i % 2];
#ifndef WRONG
    if (i >= 2) order(user, owner);
#endif
    fill<<<2, 64, 0, owner>>>(slot);
    order(owner, user);
    sum<<<2, 64, 0, user>>>(slot, y);
  }
  order(user, owner);
  for (float* const slot : slots) cudaFreeAsync(slot, owner);
  cudaFreeAsync(y, user);
}
