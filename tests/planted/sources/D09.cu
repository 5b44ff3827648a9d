// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// A kernel triggers before it waits, and the next prefetches. -DWRONG plants the mistake.

#include <cuda_runtime.h>

__global__ void quantize_early(const float* in, float* out) {
  cudaTriggerProgrammaticLaunchCompletion();
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = in[i] / 2;
}
__global__ void middle(const float* in, float* out) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
#ifdef WRONG
  cudaTriggerProgrammaticLaunchCompletion();
#endif
  cudaGridDependencySynchronize();
#ifndef WRONG
  cudaTriggerProgrammaticLaunchCompletion();
#endif
  out[i] = in[i];
}
__global__ void consume(const float* table, const float* in, float* out) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  const float value = table[i];
  cudaGridDependencySynchronize();
  out[i] = value + in[i];
}

void run(cudaStream_t stream, const float* x, float* table, float* y, float* z) {
  cudaLaunchAttribute attribute[1];
  attribute[0].id = cudaLaunchAttributeProgrammaticStreamSerialization;
  attribute[0].val.programmaticStreamSerializationAllowed = 1;
  cudaLaunchConfig_t config{};
  config.gridDim = 2;
  config.blockDim = 64;
  config.stream = stream;
  config.attrs = attribute;
  config.numAttrs = 1;
  quantize_early<<<2, 64, 0, stream>>>(x, table);
  cudaLaunchKernelEx(&config, middle, x, y);
  cudaLaunchKernelEx(&config, consume, (const float*)table, (const float*)y, z);
}
