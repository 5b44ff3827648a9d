// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// One warp waits, and the others do not wait for it. -DWRONG plants the mistake.

#include <cuda_runtime.h>

__global__ void quantize(const float* in, float* out) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = in[i] / 2;
}
__global__ void consume(const float* in, float* out) {
  __shared__ float tile[64];
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (threadIdx.x < 32) cudaGridDependencySynchronize();
#ifndef WRONG
  __syncthreads();
#endif
  tile[threadIdx.x] = in[i];
  __syncthreads();
  out[i] = tile[63 - threadIdx.x];
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
