// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include "../core/suspicion/call_stack.hpp"

namespace warpsafe::watch {

/// AMD's libraries whose handles have a stream.
inline constexpr const char* hip_libraries[] = {
    "libhipblaslt", "libhipblas",   "librocblas",   "libhipfft", "librocfft",  "libhipsolver",
    "librocsolver", "libhipsparse", "librocsparse", "libMIOpen", "libhiprand", "librocrand"};

/// The libraries between these and the device.
inline constexpr const char* hip_runtimes[] = {"libamdhip64", "libhsa-runtime64"};

/// Libraries that try what a device supports, and report failures that matter by statuses of their
/// own: the ones above, and those for communication and compilation.
inline constexpr const char* hip_careful[] = {
    "libhipblaslt", "libhipblas",   "librocblas",   "libhipfft", "librocfft",  "libhipsolver",
    "librocsolver", "libhipsparse", "librocsparse", "libMIOpen", "libhiprand", "librocrand",
    "librccl",      "libuct_",      "libucm_",      "libhiprtc", "libhipcub",  "libamd_comgr"};

/// Queries about the stack of a call.
inline constexpr Caller hip_caller{
    [](const HostStack& stack) noexcept { return calling_library(stack, hip_libraries); },
    [](const HostStack& stack) { return calling_functions(stack, hip_runtimes); },
    [](const HostStack& stack) noexcept { return library_on(stack, hip_careful); }, hip_runtimes};

}  // namespace warpsafe::watch
