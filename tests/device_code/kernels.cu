// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// Each kernel twice: with kernel_api.hpp (ours_…), and by hand (hand_…).

#if defined(__HIPCC__) && !defined(__CUDACC__)
#include <hip/hip_runtime.h>
#endif
#include <warpsafe/kernel_api.hpp>

namespace ws = warpsafe;

extern "C" {

__global__ void ours_stride(float a, const float* x, float* y, ws::size_type n) {
  for (auto i : ws::grid_stride(n)) y[i] += a * x[i];
}
__global__ void hand_stride(float a, const float* x, float* y, ws::size_type n) {
  const ws::size_type step = static_cast<ws::size_type>(gridDim.x) * blockDim.x;
  for (ws::size_type i = static_cast<ws::size_type>(blockIdx.x) * blockDim.x + threadIdx.x; i < n;
       i += step) {
    y[i] += a * x[i];
  }
}

__global__ void ours_index(float* out, ws::size_type rows, ws::size_type cols) {
  const auto i = ws::thread_index();
  if (i.x < cols && i.y < rows) out[i.y * cols + i.x] = 1.0F;
}
__global__ void hand_index(float* out, ws::size_type rows, ws::size_type cols) {
  const ws::size_type x = static_cast<ws::size_type>(blockIdx.x) * blockDim.x + threadIdx.x;
  const ws::size_type y = static_cast<ws::size_type>(blockIdx.y) * blockDim.y + threadIdx.y;
  if (x < cols && y < rows) out[y * cols + x] = 1.0F;
}

__global__ void ours_dynamic(float* out) {
  float* shared = ws::dynamic_shared<float>();
  shared[threadIdx.x] = out[threadIdx.x];
  ws::sync_block();
  out[threadIdx.x] = shared[blockDim.x - 1 - threadIdx.x];
}
__global__ void hand_dynamic(float* out) {
  extern __shared__ __align__(16) unsigned char bytes[];
  float* shared = reinterpret_cast<float*>(bytes);
  shared[threadIdx.x] = out[threadIdx.x];
  __syncthreads();
  out[threadIdx.x] = shared[blockDim.x - 1 - threadIdx.x];
}

__global__ void ours_array(float* out) {
  float* shared = ws::shared_array<float, 256>([] {});
  shared[threadIdx.x] = out[threadIdx.x];
  ws::sync_block();
  out[threadIdx.x] = shared[255 - threadIdx.x];
}
__global__ void hand_array(float* out) {
  __shared__ float shared[256];
  shared[threadIdx.x] = out[threadIdx.x];
  __syncthreads();
  out[threadIdx.x] = shared[255 - threadIdx.x];
}

// Two arrays of one type and size. As one array, the first store would be dead.
__global__ void ours_arrays(float* out) {
  float* first = ws::shared_array<float, 256>([] {});
  float* second = ws::shared_array<float, 256>([] {});
  first[threadIdx.x] = out[threadIdx.x];
  second[threadIdx.x] = out[threadIdx.x + 256];
  ws::sync_block();
  out[threadIdx.x] = first[255 - threadIdx.x] + second[threadIdx.x ^ 1U];
}
__global__ void hand_arrays(float* out) {
  __shared__ float first[256];
  __shared__ float second[256];
  first[threadIdx.x] = out[threadIdx.x];
  second[threadIdx.x] = out[threadIdx.x + 256];
  __syncthreads();
  out[threadIdx.x] = first[255 - threadIdx.x] + second[threadIdx.x ^ 1U];
}

#if defined(__CUDACC__)
// On a GPU that begins no kernel early, the calls are nothing.
__global__ void ours_dependent(const float* x, float* y) {
  ws::wait_for_predecessor();
  y[threadIdx.x] = x[threadIdx.x];
  ws::allow_dependents();
  y[threadIdx.x + 1] = 0;
}
__global__ void hand_dependent(const float* x, float* y) {
#if __CUDA_ARCH__ >= 900
  cudaGridDependencySynchronize();
#endif
  y[threadIdx.x] = x[threadIdx.x];
#if __CUDA_ARCH__ >= 900
  cudaTriggerProgrammaticLaunchCompletion();
#endif
  y[threadIdx.x + 1] = 0;
}
#endif

// Different on purpose: the comparison must notice the additional step.
__global__ void ours_different(float* out) { out[threadIdx.x] = 2.0F * out[threadIdx.x]; }
__global__ void hand_different(float* out) { out[threadIdx.x] = 2.0F; }
}
