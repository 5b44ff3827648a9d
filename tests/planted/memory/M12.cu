// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// Host code writes through an old span. -DWRONG plants the mistake.

#include "../plain_cuda.cuh"

void run(cudaStream_t owner, cudaStream_t user) {
  static_cast<void>(owner);
  static_cast<void>(user);
  void* memory = nullptr;
  cudaMallocHost(&memory, bytes);
  auto* const values = static_cast<volatile float*>(memory);
#ifndef WRONG
  values[5] = 1;
#endif
  cudaFreeHost(memory);
  void* next = nullptr;
  cudaMallocHost(&next, bytes);
#ifdef WRONG
  values[5] = 1;
#endif
  cudaFreeHost(next);
}
