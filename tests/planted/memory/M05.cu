// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// An address is kept, and used after another buffer has the memory. -DWRONG plants the mistake.

#include "../plain_cuda.cuh"

__global__ void fill(float* x) { x[blockIdx.x * blockDim.x + threadIdx.x] = 1; }

void run(cudaStream_t owner, cudaStream_t user) {
  float* const x = zeros(owner);
  float* const y = zeros(user);
  order(owner, user);
#ifndef WRONG
  fill<<<2, 64, 0, user>>>(x);
  order(user, owner);
#endif
  cudaFreeAsync(x, owner);
  cudaStreamSynchronize(owner);
  float* const next = zeros(owner);
#ifdef WRONG
  fill<<<2, 64, 0, user>>>(x);
#endif
  cudaStreamSynchronize(user);
  cudaFreeAsync(next, owner);
  cudaFreeAsync(y, user);
}
