// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// Shared by the tests of the stand-in: a declared kernel, because a host compiler's program has no
// code objects. The tests assert the behaviour in the runtime's source, release by release.
#pragma once

#include "stand_in_hip.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstddef>

class StandInHipHost : public testing::Test {
 protected:
  void SetUp() override {
    stand_in_hip_reset();
    const std::array arguments{StandInHipArgument{0, 4}, StandInHipArgument{8, 8}};
    const StandInHipKernelInfo info{1024, 0, 32, 16, 256, 64};
    stand_in_hip_declare_kernel(kernel, "declared", arguments.data(), arguments.size(), &info);
  }

  /// Launches the kernel with the arguments 7 and 2.5.
  hipError_t launch(dim3 grid, dim3 block, std::size_t shared_bytes = 0,
                    hipStream_t stream = nullptr) {
    return hipLaunchKernel(kernel, grid, block, pointers.data(), shared_bytes, stream);
  }

  hipError_t launch_cooperative(dim3 grid, dim3 block, unsigned shared_bytes = 0,
                                hipStream_t stream = nullptr) {
    return hipLaunchCooperativeKernel(kernel, grid, block, pointers.data(), shared_bytes, stream);
  }

  static hipStream_t make_stream(unsigned flags = hipStreamNonBlocking) {
    hipStream_t stream = nullptr;
    EXPECT_EQ(hipStreamCreateWithFlags(&stream, flags), hipSuccess);
    return stream;
  }

  static void* make_memory(std::size_t bytes) {
    void* memory = nullptr;
    EXPECT_EQ(hipMalloc(&memory, bytes), hipSuccess);
    return memory;
  }

  static void host_side(int, double) {}

  const void* kernel = reinterpret_cast<const void*>(&host_side);
  int whole = 7;
  double real = 2.5;
  std::array<void*, 2> pointers{&whole, &real};
};
