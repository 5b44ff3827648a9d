// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// Kernels with known bounds, shared memory, registers and clusters, and some that fault.
#pragma once

#include <cuda_runtime.h>

#include <cassert>

extern "C" {
__global__ void empty() {}
__global__ void __launch_bounds__(256) bound_256() {}
__global__ void __launch_bounds__(1024) bound_1024() {}
__global__ void __launch_bounds__(64, 8) bound_64_min_8() {}
__global__ void __launch_bounds__(100) bound_100() {}
__global__ void arguments(int, double, char, const float*) {}

__global__ void static_1k(int* out) {
  __shared__ int values[256];
  values[threadIdx.x % 256] = *out;
  __syncthreads();
  out[threadIdx.x] = values[255 - threadIdx.x % 256];
}

__global__ void static_40k(int* out) {
  __shared__ int values[10240];
  values[threadIdx.x] = *out;
  __syncthreads();
  out[threadIdx.x] = values[10239 - threadIdx.x];
}

__global__ void static_48k(int* out) {
  __shared__ int values[12288];
  values[threadIdx.x] = *out;
  __syncthreads();
  out[threadIdx.x] = values[12287 - threadIdx.x];
}

__global__ void dynamic(int* out) {
  extern __shared__ int values[];
  if (out != nullptr) {
    values[threadIdx.x] = *out;
    __syncthreads();
    out[threadIdx.x] = values[threadIdx.x ^ 1U];
  }
}

__global__ void many_registers(float* data) {
  if (data == nullptr) return;
  float values[120];
#pragma unroll
  for (int i = 0; i < 120; ++i) values[i] = data[i * 1024 + threadIdx.x];
  __syncthreads();
#pragma unroll
  for (int i = 0; i < 120; ++i)
    data[(119 - i) * 1024 + threadIdx.x] = values[i] * values[(i * 7 + 3) % 120];
}

__global__ void __maxnreg__(64) registers_64(float* data) {
  if (data == nullptr) return;
  float values[120];
#pragma unroll
  for (int i = 0; i < 120; ++i) values[i] = data[i * 1024 + threadIdx.x];
  __syncthreads();
#pragma unroll
  for (int i = 0; i < 120; ++i)
    data[(119 - i) * 1024 + threadIdx.x] = values[i] * values[(i * 7 + 3) % 120];
}

__global__ void local_array(int* data, int index) {
  if (data == nullptr) return;
  volatile int values[64];
  for (int i = 0; i < 64; ++i) values[i] = data[i];
  *data = values[index];
}

__constant__ int constants[300];
__global__ void constant_user(int* data) {
  if (data != nullptr) *data = constants[threadIdx.x];
}

__global__ void __cluster_dims__(2, 1, 1) cluster_2() {}
__global__ void __cluster_dims__(2, 2, 1) cluster_2_2() {}
__global__ void __cluster_dims__(16, 1, 1) cluster_16() {}

__global__ void fault_null() { *reinterpret_cast<volatile int*>(threadIdx.x) = 1; }
__global__ void fault_trap() { __trap(); }
__global__ void fault_misaligned(char* data) { *reinterpret_cast<volatile int*>(data + 1) = 1; }
__global__ void fault_assert() { assert(false); }
}
