// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/kernel_api.hpp>

// Kernels that hipcc compiles, and that runtime_test.cpp launches.

namespace amd_test {

WARPSAFE_KERNEL_EXTERN void nothing();
WARPSAFE_KERNEL_EXTERN void bounded();              // at most 256 threads
WARPSAFE_KERNEL_EXTERN void with_static(float* x);  // 32 KiB of static shared memory
WARPSAFE_KERNEL_EXTERN void dynamic(float* x);      // uses dynamic shared memory
WARPSAFE_KERNEL_EXTERN void prints(int number);     // with printf
WARPSAFE_KERNEL_EXTERN void asserts(int number);    // fails unless the number is 5

}  // namespace amd_test
