// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

// Declarations that take the place of kernel code in the host's pass over device code. A device
// compiler parses kernel code twice, and a functor's call operator is host and device code, so it
// must compile for the host; it must not run there. None of these is defined. If the host's
// compiler generates a call of one, it prints the text of the attribute.
#if (defined(__CUDACC__) || defined(__HIPCC__)) && !defined(__CUDACC_RTC__) && \
    !defined(__HIPCC_RTC__)

namespace warpsafe::detail {

// noexcept, since clang ignores the attribute on a call that may throw.
template <class T>
__host__ __device__ __attribute__((error(
    "warpsafe: host code called a device function; call it from a kernel, and launch that"))) T
called_from_host_code() noexcept;

template <class T>
__host__ __device__ __attribute__((error(
    "warpsafe: host code cannot read or write device memory; copy it with buffer.to_host(stream)"))) T
device_memory_from_host_code() noexcept;

}  // namespace warpsafe::detail

#endif
