// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// A consumer on another stream does not wait for its producer. -DWRONG plants the mistake.

#include "../plain_cuda.cuh"

__global__ void produce(float* x) { x[blockIdx.x * blockDim.x + threadIdx.x] = 1; }
__global__ void consume(const float* x, float* y) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  y[i] = x[i];
}

void run(cudaStream_t owner, cudaStream_t user) {
  float* const x = made(128);
  float* const y = made(128);
  produce<<<2, 64, 0, owner>>>(x);
#ifndef WRONG
  order(owner, user);
#endif
  consume<<<2, 64, 0, user>>>(x, y);
  cudaDeviceSynchronize();
  cudaFree(x);
  cudaFree(y);
}
