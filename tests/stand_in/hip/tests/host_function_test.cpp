// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

#include "host_fixture.hpp"

namespace {

TEST_F(StandInHipHost, AnswersKernelAttributesAndOverrides) {
  hipFuncAttributes attributes{};
  ASSERT_EQ(hipFuncGetAttributes(&attributes, kernel), hipSuccess);
  EXPECT_EQ(attributes.maxThreadsPerBlock, 256);
  EXPECT_EQ(attributes.numRegs, 32);
  EXPECT_EQ(attributes.sharedSizeBytes, 1024u);
  EXPECT_EQ(attributes.maxDynamicSharedSizeBytes, 65536 - 1024);
  const StandInHipKernelInfo change{-1, -1, 64, -1, 128, -1};
  ASSERT_EQ(stand_in_hip_override_kernel(kernel, &change), 0);
  ASSERT_EQ(hipFuncGetAttributes(&attributes, kernel), hipSuccess);
  EXPECT_EQ(attributes.maxThreadsPerBlock, 128);
  EXPECT_EQ(attributes.numRegs, 64);
  EXPECT_EQ(attributes.sharedSizeBytes, 1024u);
  EXPECT_EQ(launch(1, 129), hipErrorLaunchFailure);
  EXPECT_EQ(stand_in_hip_override_kernel(this, &change), -1);
}

TEST_F(StandInHipHost, StoresTheDynamicMaximumAndIgnoresItAtLaunch) {
  constexpr auto maximum = hipFuncAttributeMaxDynamicSharedMemorySize;
  EXPECT_EQ(hipFuncSetAttribute(kernel, maximum, 65536), hipErrorInvalidValue);
  EXPECT_EQ(hipFuncSetAttribute(kernel, maximum, -1), hipErrorInvalidValue);
  EXPECT_EQ(hipFuncSetAttribute(kernel, maximum, 4096), hipSuccess);
  hipFuncAttributes attributes{};
  ASSERT_EQ(hipFuncGetAttributes(&attributes, kernel), hipSuccess);
  EXPECT_EQ(attributes.maxDynamicSharedSizeBytes, 4096);
  EXPECT_EQ(launch(1, 1, 8192), hipSuccess);
}

TEST_F(StandInHipHost, CalculatesOccupancy) {
  int blocks = -1;
  // 32 vector registers of 512: eight waves (the limit) on each of four SIMDs, of 64 threads each.
  ASSERT_EQ(hipOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, 256, 0), hipSuccess);
  EXPECT_EQ(blocks, 8);
  // 1024 + 31744 bytes twice fill the 65536 of a compute unit.
  ASSERT_EQ(hipOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, 256, 31744), hipSuccess);
  EXPECT_EQ(blocks, 2);
  ASSERT_EQ(hipOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, 1025, 0), hipSuccess);
  EXPECT_EQ(blocks, 0);
  EXPECT_EQ(hipOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, 0, 0),
            hipErrorInvalidValue);
  const StandInHipKernelInfo heavy{0, -1, 256, -1, 1024, -1};
  ASSERT_EQ(stand_in_hip_override_kernel(kernel, &heavy), 0);
  ASSERT_EQ(hipOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, 256, 0), hipSuccess);
  EXPECT_EQ(blocks, 2);
}

TEST_F(StandInHipHost, CountsScalarRegisters) {
  const StandInHipKernelInfo scalar{0, -1, 1, 200, -1, -1};
  ASSERT_EQ(stand_in_hip_override_kernel(kernel, &scalar), 0);
  int blocks = 0;
  // 800 by 208 are three waves on each of four SIMDs: 768 threads.
  ASSERT_EQ(hipOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, 256, 0), hipSuccess);
  EXPECT_EQ(blocks, 3);
}

TEST_F(StandInHipHost, SuggestsABlockSize) {
  int grid = 0;
  int block = 0;
  ASSERT_EQ(hipOccupancyMaxPotentialBlockSize(&grid, &block, kernel, 0, 0), hipSuccess);
  EXPECT_EQ(block, 1024);
  EXPECT_EQ(grid, 2 * 110);
  ASSERT_EQ(hipOccupancyMaxPotentialBlockSize(&grid, &block, kernel, 0, 100), hipSuccess);
  EXPECT_EQ(block, 128);  // whole wavefronts
  EXPECT_EQ(grid, 16 * 110);
  // 1024 + 31744 bytes fit a compute unit twice.
  ASSERT_EQ(hipOccupancyMaxPotentialBlockSize(&grid, &block, kernel, 31744, 256), hipSuccess);
  EXPECT_EQ(block, 256);
  EXPECT_EQ(grid, 2 * 110);
}

TEST_F(StandInHipHost, CountsRegistersInWideWavesOnNarrowHardware) {
  ASSERT_EQ(stand_in_hip_set_device_preset(0, "gfx1100"), 0);
  const StandInHipKernelInfo wide{0, 0, 128, 16, 1024, 64};
  ASSERT_EQ(stand_in_hip_override_kernel(kernel, &wide), 0);
  int blocks = 0;
  // 768 registers in twelves: five waves of 132 on each of two SIMDs, so ten blocks of one wave.
  ASSERT_EQ(hipOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, 64, 0), hipSuccess);
  EXPECT_EQ(blocks, 10);
}

TEST_F(StandInHipHost, ReportsWhatItKnowsOfAKernel) {
  StandInHipKernelInfo info{};
  ASSERT_EQ(stand_in_hip_kernel_info(kernel, &info), 0);
  EXPECT_EQ(info.vector_registers, 32);
  EXPECT_EQ(info.max_threads_per_block, 256);
  EXPECT_EQ(stand_in_hip_kernel_info(this, &info), -1);
}

}  // namespace
