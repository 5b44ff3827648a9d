// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// A kernel writes before the beginning. -DWRONG plants the mistake.

#include "../plain_cuda.cuh"

__global__ void to_the_left(float* x, unsigned n, int by) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[static_cast<int>(i) - by] = 1;
}

constexpr unsigned odd = 100;  // of 128 threads

void run(cudaStream_t owner, cudaStream_t user) {
  static_cast<void>(user);
  float* const x = made(odd);
#ifdef WRONG
  to_the_left<<<2, 64, 0, owner>>>(x, odd, 1);
#else
  to_the_left<<<2, 64, 0, owner>>>(x, odd, 0);
#endif
  cudaStreamSynchronize(owner);
  cudaFree(x);
}
