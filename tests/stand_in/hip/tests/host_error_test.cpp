// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

#include "host_fixture.hpp"

#include <thread>

namespace {

TEST_F(StandInHipHost, OverwritesTheLastErrorWithSuccessUntilRelease7) {
  int device = -1;
  for (const auto release : {STAND_IN_HIP_5_2, STAND_IN_HIP_5_7, STAND_IN_HIP_6_4}) {
    stand_in_hip_set_release(release);
    EXPECT_EQ(launch(0, 1), hipErrorInvalidValue);
    EXPECT_EQ(hipPeekAtLastError(), hipErrorInvalidValue);
    EXPECT_EQ(hipPeekAtLastError(), hipErrorInvalidValue);
    EXPECT_EQ(hipGetDevice(&device), hipSuccess);
    EXPECT_EQ(hipGetLastError(), hipSuccess);
  }
  stand_in_hip_set_release(STAND_IN_HIP_7);
  EXPECT_EQ(launch(0, 1), hipErrorInvalidConfiguration);
  EXPECT_EQ(hipGetDevice(&device), hipSuccess);
  EXPECT_EQ(hipGetLastError(), hipErrorInvalidConfiguration);
  EXPECT_EQ(hipGetLastError(), hipSuccess);
}

TEST_F(StandInHipHost, KeepsNotReadyOutOfTheLastErrorInRelease7) {
  const hipStream_t stream = make_stream();
  stand_in_hip_set_deferred(1);
  void* memory = nullptr;
  ASSERT_EQ(hipMalloc(&memory, 16), hipSuccess);
  ASSERT_EQ(hipMemsetAsync(memory, 1, 16, stream), hipSuccess);
  EXPECT_EQ(hipStreamQuery(stream), hipErrorNotReady);
  EXPECT_EQ(stand_in_hip_last_error(), hipErrorNotReady);
  stand_in_hip_set_release(STAND_IN_HIP_7);
  stand_in_hip_plant_last_error(hipSuccess);
  EXPECT_EQ(hipStreamQuery(stream), hipErrorNotReady);
  EXPECT_EQ(stand_in_hip_last_error(), hipSuccess);
  EXPECT_EQ(hipStreamSynchronize(stream), hipSuccess);
  EXPECT_EQ(hipStreamQuery(stream), hipSuccess);
}

TEST_F(StandInHipHost, HasALastErrorPerThread) {
  stand_in_hip_plant_last_error(hipErrorNotFound);
  hipError_t elsewhere = hipErrorUnknown;
  std::thread([&] { elsewhere = hipPeekAtLastError(); }).join();
  EXPECT_EQ(elsewhere, hipSuccess);
  EXPECT_EQ(hipPeekAtLastError(), hipErrorNotFound);
}

TEST_F(StandInHipHost, FailsTheCallThatWasAskedFor) {
  stand_in_hip_fail("hipMalloc", 2, hipErrorOutOfMemory);
  void* first = nullptr;
  void* second = nullptr;
  EXPECT_EQ(hipMalloc(&first, 8), hipSuccess);
  EXPECT_EQ(hipMalloc(&second, 8), hipErrorOutOfMemory);
  EXPECT_EQ(second, nullptr);
  EXPECT_EQ(hipMalloc(&second, 8), hipSuccess);
  EXPECT_EQ(stand_in_hip_count("hipMalloc"), 3u);
  EXPECT_EQ(stand_in_hip_live_objects(), 2u);
}

TEST_F(StandInHipHost, SurfacesAnAsynchronousErrorAtASynchronisingCall) {
  stand_in_hip_post_async_error(hipErrorIllegalAddress);
  EXPECT_EQ(launch(1, 1), hipSuccess);
  EXPECT_EQ(hipDeviceSynchronize(), hipErrorIllegalAddress);
  EXPECT_EQ(launch(1, 1), hipSuccess);
  stand_in_hip_set_release(STAND_IN_HIP_7);
  stand_in_hip_post_async_error(hipErrorIllegalAddress);
  EXPECT_EQ(hipStreamSynchronize(nullptr), hipErrorIllegalAddress);
  EXPECT_EQ(launch(1, 1), hipErrorIllegalAddress);
  EXPECT_EQ(hipGetLastError(), hipErrorIllegalAddress);
}

TEST_F(StandInHipHost, SaysThereIsNoDeviceAndKeepsTheLastError) {
  stand_in_hip_set_device_count(0);
  int count = -1;
  EXPECT_EQ(hipGetDeviceCount(&count), hipErrorNoDevice);
  EXPECT_EQ(count, 0);
  EXPECT_EQ(hipSetDevice(0), hipErrorNoDevice);
  EXPECT_EQ(launch(1, 1), hipErrorNoDevice);
  EXPECT_EQ(hipGetLastError(), hipErrorNoDevice);
  EXPECT_EQ(hipGetLastError(), hipErrorNoDevice);
}

TEST_F(StandInHipHost, NamesErrors) {
  EXPECT_STREQ(hipGetErrorName(hipErrorInvalidConfiguration), "hipErrorInvalidConfiguration");
  EXPECT_STREQ(hipGetErrorString(hipErrorInvalidConfiguration), "invalid configuration argument");
  EXPECT_STREQ(hipGetErrorName(static_cast<hipError_t>(912)), "hipErrorUnknown");
  EXPECT_STREQ(hipGetErrorName(static_cast<hipError_t>(1999)), "hipErrorUnknown");
  stand_in_hip_set_release(STAND_IN_HIP_7);
  EXPECT_STREQ(hipGetErrorName(static_cast<hipError_t>(912)), "hipErrorInvalidTexture");
  EXPECT_STREQ(hipGetErrorString(static_cast<hipError_t>(912)), "unknown error");
  stand_in_hip_set_release(STAND_IN_HIP_5_2);  // which has no texts
  EXPECT_STREQ(hipGetErrorString(hipErrorInvalidConfiguration), "hipErrorInvalidConfiguration");
}

TEST_F(StandInHipHost, RecordsCallsThatHaveNoStatus) {
  static_cast<void>(hipGetErrorName(hipSuccess));
  static_cast<void>(hipGetErrorString(hipSuccess));
  EXPECT_EQ(stand_in_hip_count("hipGetErrorName"), 1u);
  EXPECT_EQ(stand_in_hip_count("hipGetErrorString"), 1u);
  EXPECT_EQ(stand_in_hip_count("hipMalloc"), 0u);
}

TEST_F(StandInHipHost, ResetsEveryThreadsLastError) {
  stand_in_hip_plant_last_error(hipErrorNotFound);
  std::thread([] { stand_in_hip_reset(); }).join();
  EXPECT_EQ(stand_in_hip_last_error(), hipSuccess);
}

}  // namespace
