// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include "../core/suspicion/call_stack.hpp"

namespace warpsafe::watch {

/// AMD's libraries whose handles have a stream.
inline constexpr const char* hip_libraries[] = {
    "libhipblaslt", "libhipblas",   "librocblas",   "libhipfft",    "librocfft",
    "libhipsolver", "librocsolver", "libhipsparse", "librocsparse", "libMIOpen"};

/// The libraries between these and the device.
inline constexpr const char* hip_runtimes[] = {"libamdhip64", "libhsa-runtime64"};

/// Queries about the thread that makes a call.
inline constexpr Caller hip_caller{[]() noexcept { return calling_library(hip_libraries); },
                                   [] { return calling_functions(hip_runtimes); }};

}  // namespace warpsafe::watch
