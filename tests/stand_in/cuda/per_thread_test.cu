// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// Compiled with `--default-stream per-thread`, so the same source calls other entry points.
#include <cuda_runtime.h>

namespace per_thread_kernels {
__global__ void nothing() {}
}  // namespace per_thread_kernels

// Without this the device compiler would take most of its time for GoogleTest.
#if !defined(__CUDA_ARCH__)
#include "stand_in_cuda.hpp"

#include <gmock/gmock.h>

namespace {

using namespace per_thread_kernels;

class StandInCudaPerThread : public testing::Test {
 protected:
  void SetUp() override { stand_in_cuda_reset(); }
};

TEST_F(StandInCudaPerThread, LaunchesGoToTheThreadsOwnStream) {
  nothing<<<1, 32>>>();
  EXPECT_EQ(cudaLaunchKernel(reinterpret_cast<const void*>(&nothing), 1, 32, nullptr, 0, nullptr),
            cudaSuccess);
  cudaLaunchConfig_t config{};
  config.gridDim = 1;
  config.blockDim = 32;
  EXPECT_EQ(cudaLaunchKernelEx(&config, nothing), cudaSuccess);
  const auto launches = stand_in_cuda::launches();
  ASSERT_EQ(launches.size(), 3U);
  EXPECT_STREQ(launches[0].function, "__cudaLaunchKernel_ptsz");
  EXPECT_STREQ(launches[1].function, "cudaLaunchKernel_ptsz");
  EXPECT_STREQ(launches[2].function, "cudaLaunchKernelExC_ptsz");
  for (const StandInCudaLaunch& launch : launches) EXPECT_EQ(launch.stream, cudaStreamPerThread);
}

TEST_F(StandInCudaPerThread, NullIsHeldWithTheThreadsOwnStream) {
  nothing<<<1, 32>>>();
  EXPECT_EQ(cudaStreamQuery(nullptr), cudaSuccess);
  stand_in_cuda_hold(cudaStreamPerThread);
  EXPECT_EQ(cudaStreamQuery(nullptr), cudaErrorNotReady);
  stand_in_cuda_release(cudaStreamPerThread);
  EXPECT_EQ(cudaStreamSynchronize(nullptr), cudaSuccess);
}

TEST_F(StandInCudaPerThread, CallsCarryTheNameOfTheirEntryPoint) {
  void* memory = nullptr;
  ASSERT_EQ(cudaMalloc(&memory, 16), cudaSuccess);
  EXPECT_EQ(cudaMemset(memory, 0, 16), cudaSuccess);
  EXPECT_EQ(cudaMemsetAsync(memory, 0, 16, nullptr), cudaSuccess);
  EXPECT_EQ(cudaFree(memory), cudaSuccess);
  EXPECT_EQ(stand_in_cuda_count("cudaMemset_ptds"), 1U);
  EXPECT_EQ(stand_in_cuda_count("cudaMemsetAsync_ptsz"), 1U);
  EXPECT_EQ(stand_in_cuda_count("cudaMalloc"), 1U);
}

}  // namespace
#endif
