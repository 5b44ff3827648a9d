// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

// What the planted mistakes of memory and streams share, in plain CUDA.

#include <cuda_runtime.h>

#include <cstddef>

constexpr std::size_t bytes = std::size_t{128} * sizeof(float);

/// Lets a stream wait for all work of another one so far.
inline void order(cudaStream_t first, cudaStream_t then) {
  cudaEvent_t event;
  cudaEventCreateWithFlags(&event, cudaEventDisableTiming);
  cudaEventRecord(event, first);
  cudaStreamWaitEvent(then, event, 0);
  cudaEventDestroy(event);
}

inline float* zeros(cudaStream_t stream) {
  void* memory = nullptr;
  cudaMallocAsync(&memory, bytes, stream);
  cudaMemsetAsync(memory, 0, bytes, stream);
  return static_cast<float*>(memory);
}

inline float* made(unsigned elements) {
  void* memory = nullptr;
  cudaMalloc(&memory, elements * sizeof(float));
  cudaMemset(memory, 0, elements * sizeof(float));
  cudaDeviceSynchronize();
  return static_cast<float*>(memory);
}
