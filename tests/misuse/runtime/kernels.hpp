// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/kernel_api.hpp>

#include <cstdint>

// The kernels of the run-time rows, at global scope: messages are compared with their plain names.
// The host backend runs functions of each test file; for CUDA and HIP they are compiled by nvcc and
// hipcc from kernels.cpp, and g++ sees declarations.

#if defined(WARPSAFE_BACKEND_HOST)
#define MISUSE_KERNEL WARPSAFE_KERNEL
#else
#define MISUSE_KERNEL WARPSAFE_KERNEL_EXTERN
#endif
#if defined(WARPSAFE_BACKEND_HOST) || defined(MISUSE_KERNELS)
#define MISUSE_BODY(...) \
  { __VA_ARGS__ }
#else
#define MISUSE_BODY(...) ;
#endif

MISUSE_KERNEL void nothing() MISUSE_BODY();
MISUSE_KERNEL void another() MISUSE_BODY();
MISUSE_KERNEL void mark(unsigned* hits, std::uint64_t n)
    MISUSE_BODY(const std::uint64_t i = warpsafe::thread_index().x;
                if (i < n) warpsafe::atomic_add(hits + i, 1U););
MISUSE_KERNEL void mark_through(warpsafe::device_ptr<unsigned> hits, std::uint64_t n)
    MISUSE_BODY(const std::uint64_t i = warpsafe::thread_index().x;
                if (i < n) warpsafe::atomic_add(hits.get() + i, 1U););
MISUSE_KERNEL void mark_strided(unsigned* hits, std::uint64_t n)
    MISUSE_BODY(for (auto i
                     : warpsafe::grid_stride(n)) warpsafe::atomic_add(hits + i, 1U););
MISUSE_KERNEL void mark_matrix(unsigned* hits, warpsafe::extent<2> size)
    MISUSE_BODY(const warpsafe::Index3 at = warpsafe::thread_index();
                if (size.contains(at)) warpsafe::atomic_add(hits + size.offset(at), 1U););
MISUSE_KERNEL void takes_unsigned(unsigned) MISUSE_BODY();
MISUSE_KERNEL void takes_structure(double, int, char) MISUSE_BODY();

// Each of these is used by one test, which first prepares the machine for it.
MISUSE_KERNEL void heavy() MISUSE_BODY();
MISUSE_KERNEL void with_static()
    MISUSE_BODY(auto* memory = warpsafe::shared_array<volatile unsigned char, 40960>([] {});
                memory[warpsafe::thread_in_block().x] = 1; warpsafe::sync_block();
                memory[40959 - warpsafe::thread_in_block().x] = memory[0];);
MISUSE_KERNEL void bounded() MISUSE_BODY();
MISUSE_KERNEL void opted_in() MISUSE_BODY();
MISUSE_KERNEL void opted_in_per_device() MISUSE_BODY();
MISUSE_KERNEL void raised_only() MISUSE_BODY();
MISUSE_KERNEL void without_code() MISUSE_BODY();
MISUSE_KERNEL void prepared() MISUSE_BODY();

/// The check level of the device compiler's files, and a launch made there.
int level_of_device_code();
