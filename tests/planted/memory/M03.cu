// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// The owner waits for an event before the last use. -DWRONG plants the mistake.

#include "../plain_cuda.cuh"

__global__ void fill(float* x) { x[blockIdx.x * blockDim.x + threadIdx.x] = 1; }
__global__ void sum(const float* x, float* y) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  y[i] += x[i];
}

void run(cudaStream_t owner, cudaStream_t user) {
  float* const x = zeros(owner);
  float* const y = zeros(user);
  order(owner, user);
  sum<<<2, 64, 0, user>>>(x, y);
#ifdef WRONG
  order(user, owner);
#endif
  fill<<<2, 64, 0, user>>>(x);
#ifndef WRONG
  order(user, owner);
#endif
  cudaFreeAsync(x, owner);
  cudaFreeAsync(y, user);
}
