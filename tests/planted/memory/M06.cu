// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// An address is kept, and used in the same stream after the free. -DWRONG plants the mistake.

#include "../plain_cuda.cuh"

__global__ void fill(float* x) { x[blockIdx.x * blockDim.x + threadIdx.x] = 1; }

void run(cudaStream_t owner, cudaStream_t user) {
  static_cast<void>(user);
  float* const x = zeros(owner);
#ifndef WRONG
  fill<<<2, 64, 0, owner>>>(x);
#endif
  cudaFreeAsync(x, owner);
#ifdef WRONG
  fill<<<2, 64, 0, owner>>>(x);
#endif
}
