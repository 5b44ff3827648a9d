// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <hip/hip_runtime_api.h>

#include <cstddef>
#include <cstdint>

// AMD's own launch function, which takes the grid in threads. rocBLAS and MIOpen call it by a C++
// name, from HIP 6.4 on by a C name. The header that declares it, hip/hip_ext.h, needs a device
// compiler.
[[gnu::visibility("default")]] hipError_t hipExtModuleLaunchKernel(
    hipFunction_t function, std::uint32_t threads_x, std::uint32_t threads_y,
    std::uint32_t threads_z, std::uint32_t block_x, std::uint32_t block_y, std::uint32_t block_z,
    std::size_t bytes, hipStream_t stream, void** parameters, void** extra, hipEvent_t started,
    hipEvent_t stopped, std::uint32_t flags);
[[gnu::visibility("default")]] hipError_t ext_module_launch_kernel(
    hipFunction_t function, std::uint32_t threads_x, std::uint32_t threads_y,
    std::uint32_t threads_z, std::uint32_t block_x, std::uint32_t block_y, std::uint32_t block_z,
    std::size_t bytes, hipStream_t stream, void** parameters, void** extra, hipEvent_t started,
    hipEvent_t stopped, std::uint32_t flags) asm("hipExtModuleLaunchKernel");
