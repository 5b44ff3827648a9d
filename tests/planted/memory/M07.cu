// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// Memory is used on another stream before its allocation. -DWRONG plants the mistake.

#include "../plain_cuda.cuh"

__global__ void fill(float* x) { x[blockIdx.x * blockDim.x + threadIdx.x] = 1; }

void run(cudaStream_t owner, cudaStream_t user) {
  void* x = nullptr;
  cudaMallocAsync(&x, bytes, owner);
#ifndef WRONG
  order(owner, user);
#endif
  fill<<<2, 64, 0, user>>>(static_cast<float*>(x));
  cudaStreamSynchronize(user);
  cudaFreeAsync(x, owner);
}
