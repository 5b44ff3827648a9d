// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include "../core/call_stack.hpp"

namespace warpsafe::watch {

/// NVIDIA's, with a stream in their handles.
inline constexpr const char* cuda_libraries[] = {"libcublasLt", "libcublas",   "libcudnn",
                                                 "libcufft",    "libcusolver", "libcusparse"};

}  // namespace warpsafe::watch
