// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// The owner waits for an event before the last use. -DWRONG plants the mistake.

#include <cuda_runtime.h>

#include <cstddef>

__global__ void fill(float* x) { x[blockIdx.x * blockDim.x + threadIdx.x] = 1; }
__global__ void sum(const float* x, float* y) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  y[i] += x[i];
}

constexpr std::size_t bytes = std::size_t{128} * sizeof(float);

/// Lets a stream wait for all work of another one so far.
void order(cudaStream_t first, cudaStream_t then) {
  cudaEvent_t event;
  cudaEventCreateWithFlags(&event, cudaEventDisableTiming);
  cudaEventRecord(event, first);
  cudaStreamWaitEvent(then, event, 0);
  cudaEventDestroy(event);
}

float* zeros(cudaStream_t stream) {
  void* made = nullptr;
  cudaMallocAsync(&made, bytes, stream);
  cudaMemsetAsync(made, 0, bytes, stream);
  return static_cast<float*>(made);
}

void run(cudaStream_t owner, cudaStream_t user) {
  float* const x = zeros(owner);
  float* const y = zeros(user);
  order(owner, user);
  sum<<<2, 64, 0, user>>>(x, y);
#ifdef WRONG
  order(user, owner);
#endif
  fill<<<2, 64, 0, user>>>(x);
#ifndef WRONG
  order(user, owner);
#endif
  cudaFreeAsync(x, owner);
  cudaFreeAsync(y, user);
}
