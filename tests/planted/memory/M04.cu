// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// The owner waits for one of two streams. -DWRONG plants the mistake.

#include "../plain_cuda.cuh"

__global__ void sum(const float* x, float* y) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  y[i] += x[i];
}

void run(cudaStream_t owner, cudaStream_t user) {
  float* const x = zeros(owner);
  float* const y = zeros(user);
  order(owner, user);
  cudaStream_t third;
  cudaStreamCreateWithFlags(&third, cudaStreamNonBlocking);
  float* const z = zeros(third);
  order(owner, third);
  sum<<<2, 64, 0, user>>>(x, y);
  sum<<<2, 64, 0, third>>>(x, z);
  order(user, owner);
#ifndef WRONG
  order(third, owner);
#endif
  cudaFreeAsync(x, owner);
  cudaFreeAsync(y, user);
  cudaFreeAsync(z, third);
  cudaStreamDestroy(third);
}
