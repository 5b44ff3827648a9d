// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// A staging buffer is freed during its copy. -DWRONG plants the mistake.

#include "../plain_cuda.cuh"

void run(cudaStream_t owner, cudaStream_t user) {
  static_cast<void>(user);
  static float* x = nullptr;
  if (x == nullptr) cudaMalloc(reinterpret_cast<void**>(&x), bytes);
  void* staging = nullptr;
  cudaMallocHost(&staging, bytes);
  cudaMemcpyAsync(x, staging, bytes, cudaMemcpyHostToDevice, owner);
#ifndef WRONG
  cudaStreamSynchronize(owner);
#endif
  cudaFreeHost(staging);
}
