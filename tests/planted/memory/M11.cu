// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// A free that orders nothing, during a kernel. -DWRONG plants the mistake.

#include "../plain_cuda.cuh"

__global__ void fill(float* x) { x[blockIdx.x * blockDim.x + threadIdx.x] = 1; }

void run(cudaStream_t owner, cudaStream_t user) {
  static_cast<void>(user);
  void* x = nullptr;
  cudaMalloc(&x, bytes);
  fill<<<2, 64, 0, owner>>>(static_cast<float*>(x));
#ifndef WRONG
  cudaStreamSynchronize(owner);
#endif
  cudaFree(x);
}
