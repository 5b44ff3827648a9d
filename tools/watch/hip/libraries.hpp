// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include "../core/call_stack.hpp"

namespace warpsafe::watch {

/// AMD's, with a stream in their handles.
inline constexpr const char* hip_libraries[] = {
    "libhipblaslt", "libhipblas",   "librocblas",   "libhipfft",    "librocfft",
    "libhipsolver", "librocsolver", "libhipsparse", "librocsparse", "libMIOpen"};

}  // namespace warpsafe::watch
