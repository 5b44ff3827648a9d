// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#include "runtime_kernels.hpp"

#include <cassert>
#include <cstdio>

namespace amd_test {

WARPSAFE_KERNEL_EXTERN void nothing() {}
WARPSAFE_KERNEL_EXTERN void WARPSAFE_LAUNCH_BOUNDS(256, 1) bounded() {}
WARPSAFE_KERNEL_EXTERN void with_static(float* x) {
  auto* const room = warpsafe::shared_array<volatile float, 8192>([] {});
  room[warpsafe::thread_in_block().x] = x[0];
  warpsafe::sync_block();
  x[0] = room[8191 - warpsafe::thread_in_block().x];
}
WARPSAFE_KERNEL_EXTERN void dynamic(float* x) { x[0] = *warpsafe::dynamic_shared<float>(); }

WARPSAFE_KERNEL_EXTERN void prints(int number) { printf("number %d\n", number); }
WARPSAFE_KERNEL_EXTERN void asserts(int number) { assert(number == 5); }

}  // namespace amd_test
