// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// Memory is used on another stream before its allocation. -DWRONG plants the mistake.

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
  void* x = nullptr;
  cudaMallocAsync(&x, bytes, owner);
#ifndef WRONG
  order(owner, user);
#endif
  fill<<<2, 64, 0, user>>>(static_cast<float*>(x));
  cudaStreamSynchronize(user);
  cudaFreeAsync(x, owner);
}
