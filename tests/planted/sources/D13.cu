// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// A counter is used before it is reset. -DWRONG plants the mistake.

#include <cuda_runtime.h>

__global__ void reset(float* counter) { *counter = 0; }
__global__ void consume(float* counter, float* out) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
#ifndef WRONG
  cudaGridDependencySynchronize();
#endif
  const float ticket = atomicAdd(counter, 1.0F);
#ifdef WRONG
  cudaGridDependencySynchronize();
#endif
  out[i] = ticket;
}

void run(cudaStream_t stream, float* counter, float* out) {
  cudaLaunchAttribute attribute[1];
  attribute[0].id = cudaLaunchAttributeProgrammaticStreamSerialization;
  attribute[0].val.programmaticStreamSerializationAllowed = 1;
  cudaLaunchConfig_t config{};
  config.gridDim = 2;
  config.blockDim = 64;
  config.stream = stream;
  config.attrs = attribute;
  config.numAttrs = 1;
  reset<<<1, 1, 0, stream>>>(counter);
  cudaLaunchKernelEx(&config, consume, counter, out);
}
