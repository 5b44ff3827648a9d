// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/kernel_api.hpp>

#include <cstddef>
#include <cstdint>

// Kernels that nvcc or hipcc compiles, and that the host compilers launch.

namespace vendor_test {

/// Seven bytes of padding behind `tag`, six behind `tail`.
struct Padded {
  char tag;
  double value;
  short tail;
};
struct Large {
  unsigned char bytes[3000];
};
/// Memory beside a number.
struct Inside {
  float number;
  warpsafe::DeviceSpan<float> x;
};
enum class Colour : short { red = 7, green = 300 };

WARPSAFE_KERNEL_EXTERN void nothing();
WARPSAFE_KERNEL_EXTERN void integers(signed char, unsigned char, short, unsigned short, int,
                                     unsigned, long, unsigned long, long long, unsigned long long,
                                     char, bool, wchar_t, char16_t, char32_t);
WARPSAFE_KERNEL_EXTERN void floats(float, double);
WARPSAFE_KERNEL_EXTERN void structures(char, Padded, Large, Colour, int);
WARPSAFE_KERNEL_EXTERN void pointers(float*, const float*, warpsafe::device_ptr<int>,
                                     warpsafe::device_ptr<const int>, void*, double**);
WARPSAFE_KERNEL_EXTERN void spans(warpsafe::DeviceSpan<float>, warpsafe::DeviceSpan<const float>,
                                  warpsafe::extent<1>, warpsafe::extent<2>, warpsafe::extent<3>);
WARPSAFE_KERNEL_EXTERN void sixteen(char, int, char, double, char, short, char, float, char, long,
                                    char, const int*, char, bool, char, Padded);
WARPSAFE_KERNEL_EXTERN void counted(const float*, unsigned);

WARPSAFE_KERNEL_EXTERN void bounded();      // at most 256 threads
WARPSAFE_KERNEL_EXTERN void with_static();  // 6000 bytes of static shared memory
WARPSAFE_KERNEL_EXTERN void other_static();
WARPSAFE_KERNEL_EXTERN void raised();
WARPSAFE_KERNEL_EXTERN void raced();
WARPSAFE_KERNEL_EXTERN void captured(const float*);
WARPSAFE_KERNEL_EXTERN void inside(Inside);

}  // namespace vendor_test
