// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/error/message.hpp>
#include <warpsafe/memory/buffer.hpp>
#include <warpsafe/stream/device.hpp>

#include <gtest/gtest.h>

#include <type_traits>

// Compiled as CUDA, or as HIP for NVIDIA's platform (tests/gpu/run --hip), where streams, kernels
// and status codes are CUDA's own. In both, a test's own queries go to CUDA.

/// Finds the GPU: CUDA even in a host compiler's file, whose default backend is the host.
using gpu_test_backend =
    std::conditional_t<std::is_same_v<warpsafe::default_backend, warpsafe::host_backend>,
                       warpsafe::cuda_backend, warpsafe::default_backend>;

/// Skips a test, and says why, where there is no NVIDIA GPU or no driver.
#define WARPSAFE_TEST_NEEDS_GPU()                                                          \
  if (const auto count = warpsafe::device_count<gpu_test_backend>(); !count.has_value()) { \
    GTEST_SKIP() << "needs a GPU: " << warpsafe::message(count.error());                   \
  } else if (count.value() == 0) {                                                         \
    GTEST_SKIP() << "needs a GPU: the driver reports no device";                           \
  }
