// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// Two arrays get the size of the longer one. -DWRONG plants the mistake.

#include "../plain_cuda.cuh"

__global__ void both(float* x, float* y, unsigned n, unsigned ny) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] = 1;
  if (i < ny) y[i] = 1;
}

constexpr unsigned odd = 100;  // of 128 threads

void run(cudaStream_t owner, cudaStream_t user) {
  static_cast<void>(user);
  float* const x = made(128);
  float* const y = made(odd);
#ifdef WRONG
  both<<<2, 64, 0, owner>>>(x, y, 128, 128);
#else
  both<<<2, 64, 0, owner>>>(x, y, 128, odd);
#endif
  cudaStreamSynchronize(owner);
  cudaFree(x);
  cudaFree(y);
}
