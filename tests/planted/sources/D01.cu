// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// A kernel reads its input, then waits. -DWRONG plants the mistake.

#include <cuda_runtime.h>

__global__ void quantize(const float* in, float* out) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = in[i] / 2;
}
__global__ void consume(const float* in, float* out) {
#ifndef WRONG
  cudaGridDependencySynchronize();
#endif
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  const float value = in[i];
#ifdef WRONG
  cudaGridDependencySynchronize();
#endif
  out[i] = value * value;
}

void run(cudaStream_t stream, const float* x, float* y, float* z) {
  cudaLaunchAttribute attribute[1];
  attribute[0].id = cudaLaunchAttributeProgrammaticStreamSerialization;
  attribute[0].val.programmaticStreamSerializationAllowed = 1;
  cudaLaunchConfig_t config{};
  config.gridDim = 2;
  config.blockDim = 64;
  config.stream = stream;
  config.attrs = attribute;
  config.numAttrs = 1;
  quantize<<<2, 64, 0, stream>>>(x, y);
  cudaLaunchKernelEx(&config, consume, (const float*)y, z);
}
