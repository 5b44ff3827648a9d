// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// The last element reads its neighbour. -DWRONG plants the mistake.

#include "../plain_cuda.cuh"

__global__ void shift(const float* x, float* y, unsigned n, unsigned first) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = x[i + 1 - first];
}

constexpr unsigned odd = 100;  // of 128 threads

void run(cudaStream_t owner, cudaStream_t user) {
  static_cast<void>(user);
  float* const x = made(odd);
  float* const y = made(128);
#ifdef WRONG
  shift<<<2, 64, 0, owner>>>(x, y, odd, 0);
#else
  shift<<<2, 64, 0, owner>>>(x, y, odd, 1);
#endif
  cudaStreamSynchronize(owner);
  cudaFree(x);
  cudaFree(y);
}
