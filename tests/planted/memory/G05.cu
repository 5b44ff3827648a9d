// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// Steps of four go past a size that four does not divide. -DWRONG plants the mistake.

#include "../plain_cuda.cuh"

__global__ void by_fours(float* x, unsigned n) {
  const unsigned first = 4 * (blockIdx.x * blockDim.x + threadIdx.x);
  for (unsigned i = first; i < first + 4 && first < n; ++i) x[i] = 1;
}

constexpr unsigned odd = 100;  // of 128 threads

void run(cudaStream_t owner, cudaStream_t user) {
  static_cast<void>(user);
#ifdef WRONG
  const unsigned size = odd - 2;
#else
  const unsigned size = odd;
#endif
  float* const x = made(size);
  by_fours<<<2, 64, 0, owner>>>(x, size);
  cudaStreamSynchronize(owner);
  cudaFree(x);
}
