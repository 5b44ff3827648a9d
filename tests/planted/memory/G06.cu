// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// An offset in bytes is used as an index. -DWRONG plants the mistake.

#include "../plain_cuda.cuh"

__global__ void strided(float* x, unsigned n, unsigned unit) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i * unit] = 1;
}

constexpr unsigned odd = 100;  // of 128 threads

void run(cudaStream_t owner, cudaStream_t user) {
  static_cast<void>(user);
  float* const x = made(odd);
#ifdef WRONG
  strided<<<2, 64, 0, owner>>>(x, odd, 4);
#else
  strided<<<2, 64, 0, owner>>>(x, odd, 1);
#endif
  cudaStreamSynchronize(owner);
  cudaFree(x);
}
