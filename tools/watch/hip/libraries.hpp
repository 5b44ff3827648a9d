// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include "../core/suspicion/call_stack.hpp"

namespace warpsafe::watch {

/// AMD's, with a stream in their handles.
inline constexpr const char* hip_libraries[] = {
    "libhipblaslt", "libhipblas",   "librocblas",   "libhipfft",    "librocfft",
    "libhipsolver", "librocsolver", "libhipsparse", "librocsparse", "libMIOpen"};

/// What stands between them and the device.
inline constexpr const char* hip_runtimes[] = {"libamdhip64", "libhsa-runtime64"};

/// What is asked about the thread that makes a call.
inline constexpr Caller hip_caller{[]() noexcept { return calling_library(hip_libraries); },
                                   [] { return calling_functions(hip_runtimes); }};

}  // namespace warpsafe::watch
