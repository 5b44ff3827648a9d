// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// An address is kept, and used after another buffer has the memory. -DWRONG plants the mistake.

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
#ifndef WRONG
  fill<<<2, 64, 0, user>>>(x);
  order(user, owner);
#endif
  cudaFreeAsync(x, owner);
  cudaStreamSynchronize(owner);
  float* const next = zeros(owner);
#ifdef WRONG
  fill<<<2, 64, 0, user>>>(x);
#endif
  cudaStreamSynchronize(user);
  cudaFreeAsync(next, owner);
  cudaFreeAsync(y, user);
}
