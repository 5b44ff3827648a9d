// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// Kernels for the tests of the stand-in, behind plain functions: clang 15 crashes on GoogleTest's
// headers in HIP's C++20 mode, so the tests themselves are compiled by the host compiler.
#pragma once

#include <hip/hip_runtime_api.h>

#include <cstddef>

struct Pair {
  double a;
  char b;
};

/// mixed<<<grid, block, shared_bytes>>>(…): 64 ints of static shared memory.
void launch_mixed(dim3 grid, dim3 block, std::size_t shared_bytes, int a, double b, char c,
                  const float* p, Pair pair);
/// bounded<int><<<grid, block>>>(p): __launch_bounds__(256).
void launch_bounded(dim3 grid, dim3 block, int* p);
/// hipLaunchKernelGGL of the same kernel.
void launch_bounded_ggl(dim3 grid, dim3 block, int* p);
/// nothing<<<grid, block>>>().
void launch_nothing(dim3 grid, dim3 block);

/// printing<<<1, 1>>>(a): prints, so that the compiler adds hidden arguments.
void launch_printing(int a);

const void* mixed_kernel();
const void* bounded_kernel();
const void* nothing_kernel();
/// A __managed__ int that begins as 5.
int* managed_variable();
/// A __constant__ int[4].
const void* weights_symbol();
