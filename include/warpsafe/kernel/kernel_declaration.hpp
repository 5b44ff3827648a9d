// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

// The macros that declare a kernel, for each compiler of kernel code. C++17, without standard
// headers.

#if defined(__CUDACC__) || defined(__HIPCC__)
#if defined(__HIPCC__) && !defined(__CUDACC__) && !defined(__HIPCC_RTC__)
#include <hip/hip_runtime.h>
#endif

// AMD's own macro for __launch_bounds__ with a second number. The message addresses code that comes
// from CUDA.
#if defined(__HIP_PLATFORM_AMD__) && defined(launch_bounds_impl1)
#pragma clang deprecated(launch_bounds_impl1,                                                 \
                         "warpsafe: the second number of __launch_bounds__ counts warps per " \
                         "execution unit here, and blocks per multiprocessor on CUDA; "       \
                         "WARPSAFE_LAUNCH_BOUNDS(threads, min_blocks) means the same on both")
#endif

/// Write it before a kernel's `void` if only the kernel's own translation unit launches it.
#define WARPSAFE_KERNEL [[maybe_unused]] static __global__
/// Write it before a kernel's `void`, at the declaration and at the definition, if another
/// translation unit launches the kernel. A device's kernel and its launch are in the same shared
/// object. In a file of the host compiler, the default backend decides where the kernel comes from:
/// from another file of the host compiler, or with WARPSAFE_BACKEND_CUDA or _HIP from a file of
/// nvcc or hipcc. With -rdc=true, nvcc 13 drops a kernel that no file compiled by nvcc names in
/// host code; the option `-Xnvlink --ignore-host-info` keeps it.
#define WARPSAFE_KERNEL_EXTERN __global__
/// As WARPSAFE_KERNEL_EXTERN, with C linkage: a module has the kernel under its plain name.
#define WARPSAFE_KERNEL_EXTERN_C extern "C" __global__

/// Write it after WARPSAFE_KERNEL to allow at most `threads` threads per block, and to limit the
/// registers so that `min_blocks` blocks fit on a multiprocessor. The second number counts blocks
/// per multiprocessor for both vendors. HIP's own __launch_bounds__ counts warps per execution
/// unit, so the macro converts it (4 units of 64 lanes in a CDNA compute unit, 2 of 32 in an RDNA
/// one). Declare the same numbers at the launch with `kernel<k, launch_bounds<threads,
/// min_blocks>>`: a larger static block then does not compile. (amd_hip_runtime.h expands its
/// __launch_bounds__ to the same two attributes.)
#if defined(__HIP_PLATFORM_AMD__) && (defined(__GFX9__) || !defined(__HIP_DEVICE_COMPILE__))
#define WARPSAFE_LAUNCH_BOUNDS(threads, min_blocks)         \
  __attribute__((amdgpu_flat_work_group_size(1, (threads)), \
                 amdgpu_waves_per_eu(((threads) * (min_blocks) + 255) / 256)))
#elif defined(__HIP_PLATFORM_AMD__)
#define WARPSAFE_LAUNCH_BOUNDS(threads, min_blocks)         \
  __attribute__((amdgpu_flat_work_group_size(1, (threads)), \
                 amdgpu_waves_per_eu(((threads) * (min_blocks) + 63) / 64)))
#else
#define WARPSAFE_LAUNCH_BOUNDS(threads, min_blocks) __launch_bounds__((threads), (min_blocks))
#endif

#else
#include <warpsafe/backend/detail/host_thread.hpp>
#include <warpsafe/kernel/detail/extern_kernel.hpp>

#define WARPSAFE_KERNEL [[maybe_unused]] static
#define WARPSAFE_LAUNCH_BOUNDS(threads, min_blocks)
#endif
