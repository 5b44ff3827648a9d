// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// Iterations that trigger first read too early. -DWRONG plants the mistake.

#include <cuda_runtime.h>

__global__ void consume(const float* in, float* out) {
  cudaTriggerProgrammaticLaunchCompletion();
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
#ifndef WRONG
  cudaGridDependencySynchronize();
#endif
  out[i] = in[i] + 1;
#ifdef WRONG
  cudaGridDependencySynchronize();
#endif
}

void run(cudaStream_t stream, float* x, float* y) {
  cudaLaunchAttribute attribute[1];
  attribute[0].id = cudaLaunchAttributeProgrammaticStreamSerialization;
  attribute[0].val.programmaticStreamSerializationAllowed = 1;
  cudaLaunchConfig_t config{};
  config.gridDim = 2;
  config.blockDim = 64;
  config.stream = stream;
  config.attrs = attribute;
  config.numAttrs = 1;
  for (int step = 0; step < 4; ++step) {
    cudaLaunchKernelEx(&config, consume, (const float*)x, y);
    cudaLaunchKernelEx(&config, consume, (const float*)y, x);
  }
}
