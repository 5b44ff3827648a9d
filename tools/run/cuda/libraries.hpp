// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include "../core/suspicion/call_stack.hpp"

namespace warpsafe::watch {

/// NVIDIA's libraries whose handles have a stream.
inline constexpr const char* cuda_libraries[] = {
    "libcublasLt", "libcublas", "libcudnn", "libcufft", "libcusolver", "libcusparse", "libcurand"};

/// The libraries between these, or a program, and the driver.
inline constexpr const char* cuda_runtimes[] = {"libcuda.", "libcudart", "libcupti"};

/// Libraries that try what a device supports, and report failures that matter by statuses of their
/// own: the ones above, and those for communication and compilation.
inline constexpr const char* cuda_careful[] = {
    "libcublasLt", "libcublas",    "libcudnn",  "libcufft",   "libcusolver", "libcusparse",
    "libcurand",   "libcutensor",  "libnccl",   "libnvshmem", "libuct_",     "libucm_",
    "libnvrtc",    "libnvJitLink", "libcufile", "libnvidia-", "libnvcomp"};

/// Objects whose calls of NVIDIA's libraries are not the program's: the ones above, and others of
/// NVIDIA's that call them.
inline constexpr const char* cuda_inside[] = {
    "libcublas",   "libcudnn",   "libcufft",  "libcusolver",     "libcusparse",    "libcurand",
    "libcutensor", "libcudss",   "libnccl",   "libnvshmem",      "libnvblas",      "libnvrtc",
    "libcufile",   "libnvidia",  "libnvcomp", "libcustatevec",   "libcupti",       "libcudart",
    "libcuda.",    "libnvinfer", "libnvonnx", "libcudensitymat", "libcupauliprop", "libwarpsafe_"};

/// Queries about the stack of a call.
inline constexpr Caller cuda_caller{
    [](const HostStack& stack) noexcept { return calling_library(stack, cuda_libraries); },
    [](const HostStack& stack) { return calling_functions(stack, cuda_runtimes); },
    [](const HostStack& stack) noexcept { return library_on(stack, cuda_careful); }, cuda_runtimes};

}  // namespace warpsafe::watch
