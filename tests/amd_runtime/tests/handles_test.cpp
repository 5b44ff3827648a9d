// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// Over the interposer, handles come back as early as HIP may hand them out again.
#include "amd_control.hpp"

#include <gtest/gtest.h>

namespace {

constexpr std::size_t bytes = 4096;

hipStream_t make_stream() {
  hipStream_t stream = nullptr;
  EXPECT_EQ(hipStreamCreateWithFlags(&stream, hipStreamNonBlocking), hipSuccess);
  return stream;
}

TEST(AmdHandles, NextStreamHasTheHandleOfADestroyedOneWhoseWorkIsHeld) {
  amd_control_reset();
  amd_control_set_device_count(1);
  void* memory = nullptr;
  ASSERT_EQ(hipMalloc(&memory, bytes), hipSuccess);
  ASSERT_EQ(hipMemset(memory, 1, bytes), hipSuccess);
  ASSERT_EQ(hipDeviceSynchronize(), hipSuccess);
  const hipStream_t first = make_stream();
  amd_control_set_deferred(1);
  ASSERT_EQ(hipMemsetAsync(memory, 7, bytes, first), hipSuccess);
  EXPECT_EQ(hipStreamQuery(first), hipErrorNotReady);
  ASSERT_EQ(hipStreamDestroy(first), hipSuccess);
  const hipStream_t second = make_stream();
  EXPECT_EQ(second, first);
  EXPECT_EQ(hipStreamQuery(second), hipSuccess) << "it has no work";
  amd_control_set_deferred(0);
  ASSERT_EQ(hipDeviceSynchronize(), hipSuccess);
  unsigned char last = 0;
  ASSERT_EQ(
      hipMemcpy(&last, static_cast<unsigned char*>(memory) + bytes - 1, 1, hipMemcpyDeviceToHost),
      hipSuccess);
  EXPECT_EQ(last, 7) << "the destroyed stream's work has run";
  EXPECT_EQ(hipStreamDestroy(second), hipSuccess);
  EXPECT_EQ(hipFree(memory), hipSuccess);
}

TEST(AmdHandles, StreamsAndEventsThatLiveHaveHandlesOfTheirOwn) {
  amd_control_reset();
  amd_control_set_device_count(1);
  const hipStream_t one = make_stream();
  const hipStream_t other = make_stream();
  EXPECT_NE(one, other);
  hipEvent_t event = nullptr;
  hipEvent_t again = nullptr;
  ASSERT_EQ(hipEventCreate(&event), hipSuccess);
  EXPECT_EQ(hipEventRecord(event, one), hipSuccess);
  EXPECT_EQ(hipStreamWaitEvent(other, event, 0), hipSuccess);
  EXPECT_EQ(hipEventSynchronize(event), hipSuccess);
  EXPECT_EQ(hipEventDestroy(event), hipSuccess);
  ASSERT_EQ(hipEventCreateWithFlags(&again, hipEventDisableTiming), hipSuccess);
  EXPECT_EQ(again, event);
  EXPECT_EQ(hipEventDestroy(again), hipSuccess);
  EXPECT_EQ(hipStreamDestroy(one), hipSuccess);
  EXPECT_EQ(hipStreamDestroy(other), hipSuccess);
}

}  // namespace
