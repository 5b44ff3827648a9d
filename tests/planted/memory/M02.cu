// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// Memory is freed and reused while another stream writes it. -DWRONG plants the mistake.

#include "../plain_cuda.cuh"

__global__ void fill(float* x) { x[blockIdx.x * blockDim.x + threadIdx.x] = 1; }

void run(cudaStream_t owner, cudaStream_t user) {
  float* const x = zeros(owner);
  float* const y = zeros(user);
  order(owner, user);
  fill<<<2, 64, 0, user>>>(x);
#ifndef WRONG
  order(user, owner);
#endif
  cudaFreeAsync(x, owner);
  float* const next = zeros(owner);
  fill<<<2, 64, 0, owner>>>(next);
  cudaFreeAsync(next, owner);
  cudaFreeAsync(y, user);
}
