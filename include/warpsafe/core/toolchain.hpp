// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

// What the library needs of language, compiler and platform. Every header reads this before any
// code, so that the first error of a wrong command is one sentence, and the only one: a header that
// does not exist ends the compilation, where a compiler goes on after #error.

#if defined(_MSC_VER) && !defined(__clang__) && !defined(__CUDACC_RTC__)
#error \
    "warpsafe supports g++ 12+, clang++ 14+, nvcc 12+ and hipcc 5.2+ on Linux; MSVC is not supported"
#include "the error above ends this compilation"
#endif

// NVRTC and hipRTC have no platform, and a compiler for a device is that of the host.
#if !defined(__CUDACC_RTC__) && !defined(__HIPCC_RTC__) && !defined(__CUDA_ARCH__) && \
    !defined(__HIP_DEVICE_COMPILE__)
#if !defined(__linux__) || !defined(__LP64__)
#error \
    "warpsafe supports 64-bit Linux alone: compile there, and without -m32; Windows has it in WSL 2"
#include "the error above ends this compilation"
#endif
#if defined(__clang__) && __clang_major__ < 14
#error "warpsafe needs clang++ 14 or later (ROCm 5.2): use a newer compiler"
#include "the error above ends this compilation"
#endif
#if !defined(__clang__) && defined(__GNUC__) && __GNUC__ < 12
#error "warpsafe needs g++ 12 or later: use a newer compiler; nvcc takes that of its option -ccbin"
#include "the error above ends this compilation"
#endif
#if defined(__CUDACC_VER_MAJOR__) && __CUDACC_VER_MAJOR__ < 12
#error "warpsafe needs CUDA 12 or later: use a newer nvcc"
#include "the error above ends this compilation"
#endif
#endif

#if __cplusplus < 201703L
#error \
    "warpsafe needs C++20, and C++17 for code of kernels alone: add -std=c++20, or to CMakeLists.txt target_compile_features(TARGET PRIVATE cxx_std_20)"
#include "the error above ends this compilation"
#endif
