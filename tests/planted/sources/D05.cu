// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// Blocks with a mask do not wait. -DWRONG plants the mistake.

#include <cuda_runtime.h>

__global__ void quantize(const float* in, float* out) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = in[i] / 2;
}
__global__ void consume(unsigned blocks_with_mask, const float* in, float* out) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  const bool has_mask = blockIdx.x < blocks_with_mask;
#ifdef WRONG
  if (!has_mask) cudaGridDependencySynchronize();
#else
  cudaGridDependencySynchronize();
#endif
  out[i] = has_mask ? in[i] : 2 * in[i];
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
  cudaLaunchKernelEx(&config, consume, 1u, (const float*)y, z);
}
