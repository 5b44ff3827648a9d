// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// A caching allocator hands memory to another stream. -DWRONG plants the mistake. The program names
// its blocks.

#include "../../../tools/run/pools/warpsafe_pool.h"
#include "../plain_cuda.cuh"

__global__ void fill(float* x) { x[blockIdx.x * blockDim.x + threadIdx.x] = 1; }

void run(cudaStream_t owner, cudaStream_t user) {
  static float* cached = nullptr;
  if (cached == nullptr) cudaMalloc(reinterpret_cast<void**>(&cached), bytes);
  float* const x = cached;
  warpsafe_pool_allocated(x, bytes, owner, nullptr);
  fill<<<2, 64, 0, owner>>>(x);
  // The program gives x back to its cache, which hands it out again.
  warpsafe_pool_freed(x, owner);
  float* const again = cached;
#ifndef WRONG
  order(owner, user);
#endif
  warpsafe_pool_allocated(again, bytes, user, nullptr);
  fill<<<2, 64, 0, user>>>(again);
}
