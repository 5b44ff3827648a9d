// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// Compiled by nvcc and by hipcc. No test calls a kernel: what counts is its parameters and limits.
#include "kernels.hpp"

namespace vendor_test {

WARPSAFE_KERNEL_EXTERN void nothing() {}
WARPSAFE_KERNEL_EXTERN void integers(signed char, unsigned char, short, unsigned short, int,
                                     unsigned, long, unsigned long, long long, unsigned long long,
                                     char, bool, wchar_t, char16_t, char32_t) {}
WARPSAFE_KERNEL_EXTERN void floats(float, double) {}
WARPSAFE_KERNEL_EXTERN void structures(char, Padded, Large, Colour, int) {}
WARPSAFE_KERNEL_EXTERN void pointers(float*, const float*, warpsafe::device_ptr<int>,
                                     warpsafe::device_ptr<const int>, void*, double**) {}
WARPSAFE_KERNEL_EXTERN void spans(warpsafe::DeviceSpan<float>, warpsafe::DeviceSpan<const float>,
                                  warpsafe::extent<1>, warpsafe::extent<2>, warpsafe::extent<3>) {}
WARPSAFE_KERNEL_EXTERN void sixteen(char, int, char, double, char, short, char, float, char, long,
                                    char, const int*, char, bool, char, Padded) {}
WARPSAFE_KERNEL_EXTERN void counted(const float*, unsigned) {}

WARPSAFE_KERNEL_EXTERN void WARPSAFE_LAUNCH_BOUNDS(256, 1) bounded() {}

/// `Bytes` of static shared memory, used, so that no compiler leaves it out.
template <unsigned Bytes>
static __device__ void use_shared() {
  auto* memory = warpsafe::shared_array<volatile unsigned char, Bytes>([] {});
  memory[warpsafe::thread_in_block().x] = 1;
  warpsafe::sync_block();
  memory[Bytes - 1 - warpsafe::thread_in_block().x] = memory[0];
}
WARPSAFE_KERNEL_EXTERN void with_static() { use_shared<6000>(); }
WARPSAFE_KERNEL_EXTERN void other_static() { use_shared<6000>(); }
WARPSAFE_KERNEL_EXTERN void raised() {}
WARPSAFE_KERNEL_EXTERN void raced() {}
WARPSAFE_KERNEL_EXTERN void captured(const float*) {}
WARPSAFE_KERNEL_EXTERN void inside(Inside) {}

}  // namespace vendor_test
