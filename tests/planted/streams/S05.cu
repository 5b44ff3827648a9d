// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// A fill overwrites what a kernel of another stream reads. -DWRONG plants the mistake.

#include "../plain_cuda.cuh"

__global__ void consume(const float* x, float* y) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  y[i] = x[i];
}

void run(cudaStream_t owner, cudaStream_t user) {
  float* const x = made(128);
  float* const y = made(128);
  consume<<<2, 64, 0, user>>>(x, y);
#ifndef WRONG
  order(user, owner);
#endif
  cudaMemsetAsync(x, 0, 128 * sizeof(float), owner);
  cudaDeviceSynchronize();
  cudaFree(x);
  cudaFree(y);
}
