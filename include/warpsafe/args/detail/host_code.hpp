// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

// What stands for a kernel's own things in the host's pass over device code. A device compiler
// reads kernel code twice, and a functor's call operator is code of host and device, so all of it
// has to mean something there; none of it may run. Nothing here is ever defined: where the host's
// compiler makes code that calls it, it says the words of the attribute.
#if (defined(__CUDACC__) || defined(__HIPCC__)) && !defined(__CUDACC_RTC__) && \
    !defined(__HIPCC_RTC__)

namespace warpsafe::detail {

// noexcept: clang looks at the attribute of a call, and not of one that may throw.
template <class T>
__host__ __device__
    __attribute__((error("warpsafe: this is kernel code, and the host is in no thread of a kernel; "
                         "launch a kernel that calls it"))) T
    called_from_host_code() noexcept;

template <class T>
__host__ __device__
    __attribute__((error("warpsafe: host code cannot read or write device memory; copy it: "
                         "buffer.to_host(stream) gives it once it is there"))) T
    device_memory_from_host_code() noexcept;

}  // namespace warpsafe::detail

#endif
