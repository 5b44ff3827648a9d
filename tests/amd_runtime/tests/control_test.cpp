// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// What the interposer answers in the runtime's place, and what it counts.
#include "amd_control.hpp"

#include <gtest/gtest.h>

namespace {

class AmdControl : public testing::Test {
 protected:
  void SetUp() override {
    amd_control_reset();
    amd_control_set_device_count(2);
  }
};

TEST_F(AmdControl, MakesTheKthCallOfAFunctionFail) {
  amd_control_fail("hipSetDevice", 2, hipErrorOutOfMemory);
  EXPECT_EQ(hipSetDevice(0), hipSuccess);
  EXPECT_EQ(hipSetDevice(1), hipErrorOutOfMemory);
  EXPECT_EQ(amd_control_last_error(), hipErrorOutOfMemory);
  int device = -1;
  EXPECT_EQ(hipGetDevice(&device), hipSuccess);
  EXPECT_EQ(device, 0) << "the call did nothing";
  EXPECT_EQ(hipSetDevice(1), hipSuccess) << "only the second one fails";
  EXPECT_EQ(amd_control_count("hipSetDevice"), 3U);
}

TEST_F(AmdControl, ShowsFewerDevicesAndOtherLimits) {
  int value = 0;
  ASSERT_EQ(hipGetDeviceCount(&value), hipSuccess);
  EXPECT_EQ(value, 2);
  amd_control_set_attribute(1, hipDeviceAttributeMaxThreadsPerBlock, 0);
  EXPECT_EQ(hipDeviceGetAttribute(&value, hipDeviceAttributeMaxThreadsPerBlock, 1), hipSuccess);
  EXPECT_EQ(value, 0);
  EXPECT_EQ(hipDeviceGetAttribute(&value, hipDeviceAttributeMaxThreadsPerBlock, 0), hipSuccess);
  EXPECT_EQ(value, 1024);
  amd_control_set_device_count(0);
  EXPECT_EQ(hipGetDeviceCount(&value), hipErrorNoDevice);
  EXPECT_EQ(hipSetDevice(0), hipErrorNoDevice);
}

TEST_F(AmdControl, KeepsTheLastErrorAsRelease7Does) {
  int device = -1;
  amd_control_plant_last_error(hipErrorOutOfMemory);
  EXPECT_EQ(hipGetDevice(&device), hipSuccess);
  amd_control_keep_last_error(1);
  amd_control_plant_last_error(hipErrorOutOfMemory);
  EXPECT_EQ(hipGetDevice(&device), hipSuccess);
  EXPECT_EQ(hipPeekAtLastError(), hipErrorOutOfMemory);
  EXPECT_EQ(hipGetLastError(), hipErrorOutOfMemory);
  EXPECT_EQ(hipGetLastError(), hipSuccess);
}

TEST_F(AmdControl, CountsWhatTheProgramHasNotReleased) {
  const auto before = amd_control_live_objects();
  hipStream_t stream = nullptr;
  hipEvent_t event = nullptr;
  void* device = nullptr;
  void* host = nullptr;
  ASSERT_EQ(hipStreamCreate(&stream), hipSuccess);
  ASSERT_EQ(hipEventCreate(&event), hipSuccess);
  ASSERT_EQ(hipMalloc(&device, 64), hipSuccess);
  ASSERT_EQ(hipHostMalloc(&host, 64, 0), hipSuccess);
  EXPECT_EQ(amd_control_live_objects() - before, 4U);
  hipGraph_t graph = nullptr;
  hipGraphExec_t executable = nullptr;
  ASSERT_EQ(hipStreamBeginCapture(stream, hipStreamCaptureModeRelaxed), hipSuccess);
  ASSERT_EQ(hipMemsetAsync(device, 0, 64, stream), hipSuccess);
  ASSERT_EQ(hipStreamEndCapture(stream, &graph), hipSuccess);
  ASSERT_EQ(hipGraphInstantiate(&executable, graph, nullptr, nullptr, 0), hipSuccess);
  EXPECT_EQ(amd_control_live_objects() - before, 6U);
  amd_control_fail("hipFree", 1, hipErrorInvalidValue);
  EXPECT_EQ(hipFree(device), hipErrorInvalidValue);
  EXPECT_EQ(hipGraphExecDestroy(executable), hipSuccess);
  EXPECT_EQ(hipGraphDestroy(graph), hipSuccess);
  EXPECT_EQ(hipEventDestroy(event), hipSuccess);
  EXPECT_EQ(hipStreamDestroy(stream), hipSuccess);
  EXPECT_EQ(hipHostFree(host), hipSuccess);
  EXPECT_EQ(amd_control_live_objects() - before, 1U) << "the free that failed has freed nothing";
  EXPECT_EQ(hipFree(device), hipSuccess);
  EXPECT_EQ(amd_control_live_objects(), before);
}

}  // namespace
