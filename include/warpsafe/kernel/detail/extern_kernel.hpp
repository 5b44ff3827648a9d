// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/core/config.hpp>

// A system header, so that g++ does not warn (-Wignored-qualifiers) where the macro is used.
#pragma GCC system_header

// WARPSAFE_KERNEL_EXTERN and _C in a translation unit of the host compiler.
#if !defined(WARPSAFE_BACKEND_CUDA) && !defined(WARPSAFE_BACKEND_HIP)
// The default backend is the host: another file of the host compiler defines the kernel, a plain
// function. The tag is part of its symbol, so that the linker never takes a device compiler's stub
// of the same name for it. Functions with C linkage have no tags. Hidden, because each shared
// object launches its own kernel, also if another one has a kernel of the same name.
#define WARPSAFE_KERNEL_EXTERN __attribute__((abi_tag("warpsafe_host"), visibility("hidden")))
#define WARPSAFE_KERNEL_EXTERN_C extern "C" __attribute__((visibility("hidden")))
// Otherwise nvcc or hipcc compiles the kernel. The `const` before its `void` only changes the
// function's type, by which a launch distinguishes the kernel from a host function. A function's
// return type is no part of its mangled name.
#elif defined(__clang__)
#define WARPSAFE_DETAIL_EXTERN_CONST(linkage)                                                   \
  _Pragma("clang diagnostic push") _Pragma("clang diagnostic ignored \"-Wignored-qualifiers\"") \
      linkage const _Pragma("clang diagnostic pop")
#define WARPSAFE_KERNEL_EXTERN WARPSAFE_DETAIL_EXTERN_CONST(extern)
#define WARPSAFE_KERNEL_EXTERN_C WARPSAFE_DETAIL_EXTERN_CONST(extern "C")
#else
#define WARPSAFE_KERNEL_EXTERN extern const
#define WARPSAFE_KERNEL_EXTERN_C extern "C" const
#endif
