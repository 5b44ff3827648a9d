// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// A caching allocator hands memory to another stream. -DWRONG plants the mistake.

#include <cuda_runtime.h>

#include <cstddef>

__global__ void fill(float* x) { x[blockIdx.x * blockDim.x + threadIdx.x] = 1; }

constexpr std::size_t bytes = std::size_t{128} * sizeof(float);

/// Lets a stream wait for all work of another one so far.
void order(cudaStream_t first, cudaStream_t then) {
  cudaEvent_t event;
  cudaEventCreateWithFlags(&event, cudaEventDisableTiming);
  cudaEventRecord(event, first);
  cudaStreamWaitEvent(then, event, 0);
  cudaEventDestroy(event);
}

void run(cudaStream_t owner, cudaStream_t user) {
  static float* cached = nullptr;
  if (cached == nullptr) cudaMalloc(reinterpret_cast<void**>(&cached), bytes);
  float* const x = cached;
  fill<<<2, 64, 0, owner>>>(x);
  // The program gives x back to its cache, which hands it out again.
  float* const again = cached;
#ifndef WRONG
  order(owner, user);
#endif
  fill<<<2, 64, 0, user>>>(again);
}
