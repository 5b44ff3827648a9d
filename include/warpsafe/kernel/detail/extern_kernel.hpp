// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

// A system header, only so that g++ does not warn (-Wignored-qualifiers) where the macro is used.
#pragma GCC system_header

// The declaration, in a translation unit of the host compiler, of a kernel that nvcc or hipcc
// compiles. `const` before its `void` changes nothing but the type of the function, and by that
// type a launch tells it from a function of the host: the return type of a function is no part of
// its mangled name.
#if defined(__clang__)
#define WARPSAFE_KERNEL_EXTERN                                                           \
  _Pragma("clang diagnostic push")                                                       \
      _Pragma("clang diagnostic ignored \"-Wignored-qualifiers\"") extern const _Pragma( \
          "clang diagnostic pop")
#else
#define WARPSAFE_KERNEL_EXTERN extern const
#endif
