// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// A kernel overwrites what its predecessor still reads. -DWRONG plants the mistake.

#include <cuda_runtime.h>

__global__ void quantize_early(const float* in, float* out) {
  cudaTriggerProgrammaticLaunchCompletion();
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = in[i] / 2;
}
__global__ void consume(float* input) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
#ifndef WRONG
  cudaGridDependencySynchronize();
#endif
  input[i] = 4;
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
  quantize_early<<<2, 64, 0, stream>>>(x, y);
  cudaLaunchKernelEx(&config, consume, x);
}
