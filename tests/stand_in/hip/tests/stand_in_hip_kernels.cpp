// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

#include "stand_in_hip_kernels.hpp"

#include <hip/hip_runtime.h>

__device__ int total;
__constant__ int weights[4];
__managed__ int shared_value = 5;

__global__ void mixed(int a, double b, char c, const float* p, Pair pair) {
  __shared__ int staged[64];
  staged[threadIdx.x % 64] = a;
  __syncthreads();
  if (p != nullptr && staged[0] > 0) total = weights[0] + static_cast<int>(b + pair.a) + c;
}

template <class T>
__global__ __launch_bounds__(256) void bounded(T* p) {
  *p = T{};
}

__global__ void printing(int a) { printf("%d\n", a); }

__global__ void nothing() {}

void launch_mixed(dim3 grid, dim3 block, std::size_t shared_bytes, int a, double b, char c,
                  const float* p, Pair pair) {
  mixed<<<grid, block, shared_bytes>>>(a, b, c, p, pair);
}

void launch_bounded(dim3 grid, dim3 block, int* p) { bounded<int><<<grid, block>>>(p); }

void launch_bounded_ggl(dim3 grid, dim3 block, int* p) {
  hipLaunchKernelGGL(bounded<int>, grid, block, 0, nullptr, p);
}

void launch_nothing(dim3 grid, dim3 block) { nothing<<<grid, block>>>(); }

void launch_printing(int a) { printing<<<1, 1>>>(a); }

const void* mixed_kernel() { return reinterpret_cast<const void*>(&mixed); }
const void* bounded_kernel() { return reinterpret_cast<const void*>(&bounded<int>); }
const void* nothing_kernel() { return reinterpret_cast<const void*>(&nothing); }
const void* weights_symbol() { return HIP_SYMBOL(weights); }
int* managed_variable() { return &shared_value; }
