// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/kernel_api.hpp>

// Kernels that other files launch, in the usual layout: declared here, defined in two other files.

namespace right {

WARPSAFE_KERNEL_EXTERN void add_one(int* values, warpsafe::size_type n);
WARPSAFE_KERNEL_EXTERN void block_totals(const int* values, int* totals);
template <class T>
WARPSAFE_KERNEL_EXTERN void times(warpsafe::DeviceSpan<T> values, T factor);

// With C linkage: a module has it under this name, without the namespace.
WARPSAFE_KERNEL_EXTERN_C void right_programs_negate(int* values, warpsafe::size_type n);

namespace image {
struct Pixel {
  unsigned char r, g, b, a;
};
WARPSAFE_KERNEL_EXTERN void grey(const Pixel* in, unsigned char* out, warpsafe::size_type n);
}  // namespace image

}  // namespace right
