// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/backend/host/detail/first_launch.hpp>

// `nvcc a.cpp` compiles a file as plain C++, so its default backend is the CPU model. warpsafe.hpp
// includes this there, unless the file chooses the backend with WARPSAFE_BACKEND_HOST.

#if defined(__NVCC__) && !defined(__CUDACC__)
namespace warpsafe::inline WARPSAFE_DETAIL_VERSION::host {

[[maybe_unused]] static const bool says_that_kernels_run_on_the_cpu = say_at_first_launch(
    "warpsafe: nvcc compiled " __BASE_FILE__
    " as plain C++, so its kernels run on the CPU model of a GPU: for the GPU, name the file .cu or "
    "add -x cu; for the CPU without this line, define WARPSAFE_BACKEND_HOST\n");

}  // namespace warpsafe::inline WARPSAFE_DETAIL_VERSION::host
#endif
