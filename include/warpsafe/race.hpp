// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

// The race detector for stream code. It records runs on a real device. If the host backend is the
// default, it also runs adversarial schedules, which need no GPU.

#include <warpsafe/race/recorded.hpp>

#if defined(WARPSAFE_BACKEND_HOST) ||                                                           \
    !(defined(WARPSAFE_BACKEND_CUDA) || defined(WARPSAFE_BACKEND_HIP) || defined(__CUDACC__) || \
      defined(__HIPCC__) || defined(__HIP__))
#include <warpsafe/race/adversarial.hpp>
#endif
