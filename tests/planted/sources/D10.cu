// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// The threads of the rest do not wait. -DWRONG plants the mistake.

#include <cuda_runtime.h>

__global__ void quantize(const float* in, float* out) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = in[i] / 2;
}
__global__ void consume(unsigned n, const float* in, float* out) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
#ifdef WRONG
  if (i >= n) {
    out[i] = in[i];
    return;
  }
#endif
  cudaGridDependencySynchronize();
  out[i] = in[i];
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
  cudaLaunchKernelEx(&config, consume, 127u, (const float*)y, z);
}
