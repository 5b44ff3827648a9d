// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

#include "host_fixture.hpp"

#include <csignal>

namespace {

extern "C" hipError_t hipStreamGetDevice(hipStream_t stream, hipDevice_t* device);

TEST_F(StandInHipHost, KnowsAStreamsDeviceFlagsAndPriority) {
  stand_in_hip_set_device_count(2);
  ASSERT_EQ(hipSetDevice(1), hipSuccess);
  hipStream_t stream = nullptr;
  ASSERT_EQ(hipStreamCreateWithPriority(&stream, hipStreamNonBlocking, -5), hipSuccess);
  ASSERT_EQ(hipSetDevice(0), hipSuccess);
  hipDevice_t device = -1;
  EXPECT_EQ(hipStreamGetDevice(stream, &device), hipSuccess);
  EXPECT_EQ(device, 1);
  EXPECT_EQ(hipStreamGetDevice(nullptr, &device), hipSuccess);
  EXPECT_EQ(device, 0);
  unsigned flags = 0;
  EXPECT_EQ(hipStreamGetFlags(stream, &flags), hipSuccess);
  EXPECT_EQ(flags, unsigned{hipStreamNonBlocking});
  int priority = 0;
  EXPECT_EQ(hipStreamGetPriority(stream, &priority), hipSuccess);
  EXPECT_EQ(priority, -1);
  EXPECT_EQ(hipStreamCreateWithFlags(&stream, 77), hipErrorInvalidValue);
}

TEST_F(StandInHipHost, AnswersForADestroyedStream) {
  const hipStream_t stream = make_stream();
  ASSERT_EQ(hipStreamDestroy(stream), hipSuccess);
  EXPECT_EQ(launch(1, 1, 0, stream), hipErrorInvalidValue);
  EXPECT_EQ(hipStreamSynchronize(stream), hipErrorContextIsDestroyed);
  EXPECT_EQ(hipStreamDestroy(stream), hipErrorContextIsDestroyed);
  EXPECT_EQ(stand_in_hip_undefined_uses(), 0u);
  stand_in_hip_set_release(STAND_IN_HIP_7);
  EXPECT_EQ(hipStreamSynchronize(stream), hipErrorContextIsDestroyed);
  EXPECT_EQ(stand_in_hip_undefined_uses(), 1u);
  EXPECT_EQ(hipStreamDestroy(nullptr), hipErrorInvalidHandle);
}

TEST_F(StandInHipHost, DefersStreamWorkUntilASynchronisation) {
  stand_in_hip_set_deferred(1);
  const hipStream_t stream = make_stream();
  void* device = nullptr;
  ASSERT_EQ(hipMallocAsync(&device, 4, stream), hipSuccess);
  int value = 42;
  int back = 0;
  ASSERT_EQ(hipMemcpyAsync(device, &value, 4, hipMemcpyHostToDevice, stream), hipSuccess);
  ASSERT_EQ(hipMemcpyAsync(&back, device, 4, hipMemcpyDeviceToHost, stream), hipSuccess);
  hipEvent_t event = nullptr;
  ASSERT_EQ(hipEventCreateWithFlags(&event, hipEventDisableTiming), hipSuccess);
  EXPECT_EQ(hipEventQuery(event), hipSuccess);  // never recorded
  ASSERT_EQ(hipEventRecord(event, stream), hipSuccess);
  int called = 0;
  ASSERT_EQ(hipLaunchHostFunc(
                stream, [](void* data) { ++*static_cast<int*>(data); }, &called),
            hipSuccess);
  ASSERT_EQ(hipFreeAsync(device, stream), hipSuccess);
  EXPECT_EQ(hipEventQuery(event), hipErrorNotReady);
  EXPECT_EQ(back, 0);
  EXPECT_EQ(called, 0);
  EXPECT_EQ(hipEventSynchronize(event), hipSuccess);
  EXPECT_EQ(back, 42);
  EXPECT_EQ(called, 1);
  EXPECT_EQ(hipEventQuery(event), hipSuccess);
  EXPECT_EQ(hipEventDestroy(event), hipSuccess);
  EXPECT_EQ(hipStreamDestroy(stream), hipSuccess);
  EXPECT_EQ(stand_in_hip_live_objects(), 0u);
}

TEST_F(StandInHipHost, RunsWhatWasDeferredWhenNothingIsDeferredAnyMore) {
  stand_in_hip_set_deferred(1);
  int called = 0;
  const auto count = [](void* data) { ++*static_cast<int*>(data); };
  ASSERT_EQ(hipLaunchHostFunc(nullptr, count, &called), hipSuccess);
  EXPECT_EQ(called, 0);
  stand_in_hip_set_deferred(0);
  EXPECT_EQ(called, 1);
  ASSERT_EQ(hipLaunchHostFunc(nullptr, count, &called), hipSuccess);
  EXPECT_EQ(called, 2);
}

TEST_F(StandInHipHost, HasOnePerThreadStreamPerDevice) {
  stand_in_hip_set_device_count(2);
  hipDevice_t device = -1;
  ASSERT_EQ(hipStreamGetDevice(hipStreamPerThread, &device), hipSuccess);
  EXPECT_EQ(device, 0);
  ASSERT_EQ(hipSetDevice(1), hipSuccess);
  ASSERT_EQ(hipStreamGetDevice(hipStreamPerThread, &device), hipSuccess);
  EXPECT_EQ(device, 1);
  EXPECT_EQ(hipGetStreamDeviceId(hipStreamPerThread), 1);
  EXPECT_EQ(hipStreamDestroy(hipStreamPerThread), hipErrorInvalidResourceHandle);
}

TEST_F(StandInHipHost, HasThreePriorities) {
  int least = 0;
  int greatest = 0;
  ASSERT_EQ(hipDeviceGetStreamPriorityRange(&least, &greatest), hipSuccess);
  EXPECT_EQ(least, 1);
  EXPECT_EQ(greatest, -1);
}

TEST_F(StandInHipHost, CallsBackAfterTheWork) {
  stand_in_hip_set_deferred(1);
  const hipStream_t stream = make_stream();
  hipError_t told = hipErrorUnknown;
  const auto callback = [](hipStream_t, hipError_t status, void* data) {
    *static_cast<hipError_t*>(data) = status;
  };
  ASSERT_EQ(hipStreamAddCallback(stream, callback, &told, 0), hipSuccess);
  EXPECT_EQ(told, hipErrorUnknown);
  ASSERT_EQ(hipDeviceSynchronize(), hipSuccess);
  EXPECT_EQ(told, hipSuccess);
  EXPECT_EQ(hipStreamAddCallback(stream, callback, &told, 1), hipErrorInvalidValue);
}

TEST_F(StandInHipHost, TimesEvents) {
  hipEvent_t start = nullptr;
  hipEvent_t stop = nullptr;
  ASSERT_EQ(hipEventCreate(&start), hipSuccess);
  ASSERT_EQ(hipEventCreate(&stop), hipSuccess);
  float milliseconds = -1;
  EXPECT_EQ(hipEventElapsedTime(&milliseconds, start, stop), hipErrorInvalidHandle);
  ASSERT_EQ(hipEventRecord(start, nullptr), hipSuccess);
  ASSERT_EQ(hipEventRecord(stop, nullptr), hipSuccess);
  ASSERT_EQ(hipEventElapsedTime(&milliseconds, start, stop), hipSuccess);
  EXPECT_GE(milliseconds, 0);
  stand_in_hip_set_deferred(1);
  ASSERT_EQ(hipEventRecord(stop, nullptr), hipSuccess);
  EXPECT_EQ(hipEventElapsedTime(&milliseconds, start, stop), hipErrorNotReady);
}

TEST_F(StandInHipHost, RefusesEventsThatCannotBe) {
  hipEvent_t event = nullptr;
  EXPECT_EQ(hipEventCreateWithFlags(&event, hipEventInterprocess), hipErrorInvalidValue);
  EXPECT_EQ(hipEventCreateWithFlags(&event, hipEventReleaseToDevice | hipEventReleaseToSystem),
            hipErrorInvalidValue);
  ASSERT_EQ(hipEventCreate(&event), hipSuccess);
  ASSERT_EQ(hipEventDestroy(event), hipSuccess);
  stand_in_hip_plant_last_error(hipErrorNotFound);
  EXPECT_EQ(hipEventDestroy(event), hipErrorContextIsDestroyed);
  EXPECT_EQ(stand_in_hip_last_error(), hipErrorNotFound);  // the status bypasses the slot
  stand_in_hip_set_release(STAND_IN_HIP_7);
  EXPECT_EQ(hipEventRecord(event, nullptr), hipErrorInvalidHandle);
  EXPECT_EQ(stand_in_hip_undefined_uses(), 1u);
}

TEST_F(StandInHipHost, RecordsAnEventOnlyOnItsOwnDevice) {
  stand_in_hip_set_device_count(2);
  hipEvent_t event = nullptr;
  ASSERT_EQ(hipEventCreate(&event), hipSuccess);
  ASSERT_EQ(hipSetDevice(1), hipSuccess);
  const hipStream_t stream = make_stream();
  EXPECT_EQ(hipEventRecord(event, stream), hipErrorInvalidHandle);
  EXPECT_EQ(hipStreamWaitEvent(stream, event, 0), hipSuccess);
  EXPECT_EXIT(static_cast<void>(hipStreamWaitEvent(stream, event, 1)),
              testing::KilledBySignal(SIGSEGV), "hipStreamWaitEvent with flags");
  stand_in_hip_set_release(STAND_IN_HIP_5_7);
  EXPECT_EQ(hipStreamWaitEvent(stream, event, 1), hipErrorInvalidValue);
}

}  // namespace
