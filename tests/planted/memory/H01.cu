// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// A kernel uses dynamic shared memory, and the launch gives none. -DWRONG plants the mistake.

#include "../plain_cuda.cuh"

__global__ void reverse(float* x, unsigned n) {
  extern __shared__ float part[];
  const unsigned i = threadIdx.x;
  part[i] = x[i];
  __syncthreads();
  x[i] = part[n - 1 - i];
}

void run(cudaStream_t owner, cudaStream_t user) {
  static_cast<void>(user);
  float* const x = made(128);
#ifdef WRONG
  reverse<<<1, 64, 0, owner>>>(x, 64);
#else
  reverse<<<1, 64, 64 * sizeof(float), owner>>>(x, 64);
#endif
  cudaStreamSynchronize(owner);
  cudaFree(x);
}
