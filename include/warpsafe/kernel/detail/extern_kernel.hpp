// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

// A system header, so that g++ does not warn (-Wignored-qualifiers) where the macro is used.
#pragma GCC system_header

// Declares, in a translation unit of the host compiler, a kernel that nvcc or hipcc compiles. The
// `const` before its `void` only changes the function's type, by which a launch distinguishes the
// kernel from a host function. A function's return type is no part of its mangled name.
#if defined(__clang__)
#define WARPSAFE_KERNEL_EXTERN                                                           \
  _Pragma("clang diagnostic push")                                                       \
      _Pragma("clang diagnostic ignored \"-Wignored-qualifiers\"") extern const _Pragma( \
          "clang diagnostic pop")
#else
#define WARPSAFE_KERNEL_EXTERN extern const
#endif
