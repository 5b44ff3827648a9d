// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// Kernels with and without programmatic dependent launch and shared memory, for the reader of
// machine code (kernel_code.hpp) and for dependent.cpp.

#include <cuda_runtime.h>

__device__ __noinline__ void wait_in_a_function(float* out) {
  cudaGridDependencySynchronize();
  out[0] += 1;
}

__global__ void plain(const float* in, float* out) { out[threadIdx.x] = in[threadIdx.x]; }
__global__ void waits(const float* in, float* out) {
  cudaGridDependencySynchronize();
  out[threadIdx.x] = in[threadIdx.x];
}
__global__ void calls_a_wait(const float* in, float* out) {
  wait_in_a_function(out);
  out[threadIdx.x] = in[threadIdx.x];
}
__global__ void some_wait(const float* in, float* out) {
  if (threadIdx.x < 32) cudaGridDependencySynchronize();
  out[threadIdx.x] = in[threadIdx.x];
}
__global__ void triggers(const float* in, float* out) {
  cudaTriggerProgrammaticLaunchCompletion();
  out[threadIdx.x] = in[threadIdx.x];
}
__global__ void waits_then_triggers(const float* in, float* out) {
  cudaGridDependencySynchronize();
  cudaTriggerProgrammaticLaunchCompletion();
  out[threadIdx.x] = in[threadIdx.x];
}
__global__ void triggers_then_waits(const float* in, float* out) {
  cudaTriggerProgrammaticLaunchCompletion();
  cudaGridDependencySynchronize();
  out[threadIdx.x] = in[threadIdx.x];
}
/// The launch gives it its shared memory.
__global__ void shared_out_of_bounds(const float* in, float* out) {
  extern __shared__ float part[];
  part[threadIdx.x] = in[threadIdx.x];
  __syncthreads();
  out[threadIdx.x] = part[blockDim.x - 1 - threadIdx.x];
}
/// Both parameters may be written.
__global__ void swaps(float* one, float* other) {
  cudaTriggerProgrammaticLaunchCompletion();
  const float kept = one[threadIdx.x];
  one[threadIdx.x] = other[threadIdx.x];
  other[threadIdx.x] = kept;
}
