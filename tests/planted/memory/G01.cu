// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// A kernel does not compare its index with the size. -DWRONG plants the mistake.

#include "../plain_cuda.cuh"

__global__ void fill_all(float* x, unsigned n) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] = 1;
}

constexpr unsigned odd = 100;  // of 128 threads

void run(cudaStream_t owner, cudaStream_t user) {
  static_cast<void>(user);
  float* const x = made(odd);
#ifdef WRONG
  fill_all<<<2, 64, 0, owner>>>(x, 128);
#else
  fill_all<<<2, 64, 0, owner>>>(x, odd);
#endif
  cudaStreamSynchronize(owner);
  cudaFree(x);
}
