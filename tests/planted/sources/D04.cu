// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// A constructor reads the input before the wait. -DWRONG plants the mistake.

#include <cuda_runtime.h>

__global__ void quantize_early(const float* in, float* out) {
  cudaTriggerProgrammaticLaunchCompletion();
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = in[i] / 2;
}
struct Epilogue {
  __device__ Epilogue(const float* residual, unsigned i) : value(residual[i]) {}
  float value;
};
__global__ void consume(const float* in, float* out) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
#ifndef WRONG
  cudaGridDependencySynchronize();
#endif
  const Epilogue epilogue(in, i);
#ifdef WRONG
  cudaGridDependencySynchronize();
#endif
  out[i] = epilogue.value;
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
  quantize_early<<<2, 64, 0, stream>>>(x, y);
  cudaLaunchKernelEx(&config, consume, (const float*)y, z);
}
