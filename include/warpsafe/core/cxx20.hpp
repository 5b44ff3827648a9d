// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

// Every header that kernel code under C++17 does not read includes this before any code of C++20.

#include <warpsafe/core/config.hpp>

#if __cplusplus < 202002L
#error \
    "warpsafe needs C++20: add -std=c++20, or to CMakeLists.txt target_compile_features(TARGET PRIVATE cxx_std_20); only <warpsafe/kernel_api.hpp> compiles as C++17"
#include "the error above ends this compilation"
#endif
