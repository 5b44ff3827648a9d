// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

#include "host_fixture.hpp"

#include <csignal>
#include <thread>
#include <vector>

namespace {

TEST_F(StandInHipHost, RecordsALaunchWithItsArguments) {
  const hipStream_t stream = make_stream();
  ASSERT_EQ(launch(dim3(2, 3, 4), dim3(8, 4, 2), 100, stream), hipSuccess);
  const auto launches = stand_in_hip::launches();
  ASSERT_EQ(launches.size(), 1u);
  const StandInHipLaunch& made = launches[0];
  EXPECT_STREQ(made.function, "hipLaunchKernel");
  EXPECT_STREQ(made.kernel, "declared");
  EXPECT_EQ(made.host_function, kernel);
  EXPECT_EQ(made.grid.x, 2u);
  EXPECT_EQ(made.grid.y, 3u);
  EXPECT_EQ(made.grid.z, 4u);
  EXPECT_EQ(made.block.x, 8u);
  EXPECT_EQ(made.block.y, 4u);
  EXPECT_EQ(made.block.z, 2u);
  EXPECT_EQ(made.dynamic_shared_bytes, 100u);
  EXPECT_EQ(made.stream, stream);
  EXPECT_EQ(made.device, 0);
  ASSERT_EQ(made.arguments_known, 1);
  ASSERT_EQ(made.argument_count, 2u);
  EXPECT_EQ(made.argument_byte_count, 16u);
  EXPECT_EQ(stand_in_hip::argument<int>(made, 0), 7);
  EXPECT_EQ(stand_in_hip::argument<double>(made, 1), 2.5);
  const auto calls = stand_in_hip::calls();
  ASSERT_EQ(made.sequence, calls.size());
  EXPECT_STREQ(calls.back().function, "hipLaunchKernel");
  EXPECT_EQ(calls.back().stream, stream);
}

TEST_F(StandInHipHost, RecordsARefusedLaunchWithoutReadingItsArguments) {
  EXPECT_EQ(hipLaunchKernel(kernel, 0, 1, nullptr, 0, nullptr), hipErrorInvalidValue);
  const auto launches = stand_in_hip::launches();
  ASSERT_EQ(launches.size(), 1u);
  EXPECT_EQ(launches[0].result, hipErrorInvalidValue);
  EXPECT_EQ(launches[0].arguments_known, 0);
}

TEST_F(StandInHipHost, RunsOnTheStreamsDeviceUntilRelease7RefusesIt) {
  stand_in_hip_set_device_count(2);
  ASSERT_EQ(hipSetDevice(1), hipSuccess);
  const hipStream_t stream = make_stream();
  ASSERT_EQ(hipSetDevice(0), hipSuccess);
  EXPECT_EQ(launch(1, 1, 0, stream), hipSuccess);
  EXPECT_EQ(stand_in_hip::launches().back().device, 1);
  stand_in_hip_set_release(STAND_IN_HIP_7);
  EXPECT_EQ(launch(1, 1, 0, stream), hipErrorInvalidResourceHandle);
}

TEST_F(StandInHipHost, CountsConcurrentCalls) {
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      for (int k = 0; k < 50; ++k) EXPECT_EQ(launch(1, 1), hipSuccess);
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(stand_in_hip_count("hipLaunchKernel"), 200u);
  EXPECT_EQ(stand_in_hip_launch_count(), 200u);
}

TEST_F(StandInHipHost, LimitsACooperativeGridAndWrapsItsSizeBeforeRelease7) {
  EXPECT_EQ(launch_cooperative(110 * 8, 256), hipSuccess);
  EXPECT_EQ(launch_cooperative(110 * 8 + 1, 256), hipErrorCooperativeLaunchTooLarge);
  EXPECT_EQ(launch_cooperative(dim3(1 << 16, 1 << 16), 1), hipSuccess);
  stand_in_hip_set_release(STAND_IN_HIP_7);
  EXPECT_EQ(launch_cooperative(dim3(1 << 16, 1 << 16), 1), hipErrorCooperativeLaunchTooLarge);
  stand_in_hip_set_release(STAND_IN_HIP_6_4);
  stand_in_hip_set_attribute(0, hipDeviceAttributeCooperativeLaunch, 0);
  EXPECT_EQ(launch_cooperative(1, 64), hipErrorLaunchFailure);
}

TEST_F(StandInHipHost, AnswersCooperativeMistakesByRelease) {
  const void* no_kernel = nullptr;
  const hipStream_t gone = make_stream();
  ASSERT_EQ(hipStreamDestroy(gone), hipSuccess);
  struct Case {
    StandInHipRelease release;
    hipError_t destroyed, over_shared, zero_grid;
  };
  for (const Case& expected :
       {Case{STAND_IN_HIP_5_2, hipErrorInvalidValue, hipErrorCooperativeLaunchTooLarge,
             hipErrorInvalidValue},
        Case{STAND_IN_HIP_5_7, hipErrorInvalidValue, hipErrorInvalidValue, hipErrorInvalidValue},
        Case{STAND_IN_HIP_6_4, hipErrorContextIsDestroyed, hipErrorCooperativeLaunchTooLarge,
             hipErrorInvalidValue},
        Case{STAND_IN_HIP_7, hipErrorInvalidValue, hipErrorCooperativeLaunchTooLarge,
             hipErrorInvalidConfiguration}}) {
    stand_in_hip_set_release(expected.release);
    EXPECT_EQ(launch_cooperative(1, 64, 0, gone), expected.destroyed);
    EXPECT_EQ(launch_cooperative(1, 64, 65537), expected.over_shared);
    EXPECT_EQ(launch_cooperative(0, 64), expected.zero_grid);
    EXPECT_EQ(launch_cooperative(1, 1025), hipErrorInvalidConfiguration);
    EXPECT_EQ(launch_cooperative(1, 257), hipErrorLaunchFailure);
  }
  EXPECT_EQ(hipLaunchCooperativeKernel(no_kernel, 1, 1, nullptr, 0, nullptr),
            hipErrorInvalidDeviceFunction);
}

TEST_F(StandInHipHost, SendsACooperativeLaunchPastACaptureUntil6_4) {
  const hipStream_t stream = make_stream();
  for (const auto release :
       {STAND_IN_HIP_5_2, STAND_IN_HIP_5_7, STAND_IN_HIP_6_4, STAND_IN_HIP_7}) {
    stand_in_hip_set_release(release);
    ASSERT_EQ(hipStreamBeginCapture(stream, hipStreamCaptureModeRelaxed), hipSuccess);
    EXPECT_EQ(launch_cooperative(1, 64, 0, stream), hipSuccess);
    EXPECT_EQ(stand_in_hip::launches().back().captured, release >= STAND_IN_HIP_6_4 ? 1 : 0);
    hipGraph_t graph = nullptr;
    ASSERT_EQ(hipStreamEndCapture(stream, &graph), hipSuccess);
  }
}

TEST_F(StandInHipHost, MultipliesABlocksThreadsIn32BitsUntilRelease7) {
  // 65536 * 65536 wraps to 0 threads, which no limit refuses; each axis stays below 2^32.
  EXPECT_EQ(launch(1, dim3(1 << 16, 1 << 16)), hipSuccess);
  EXPECT_EXIT(static_cast<void>(launch_cooperative(1, dim3(1 << 16, 1 << 16))),
              testing::KilledBySignal(SIGFPE), "ends the process here: a cooperative block");
  stand_in_hip_set_release(STAND_IN_HIP_7);
  EXPECT_EQ(launch(1, dim3(1 << 16, 1 << 16)), hipErrorInvalidConfiguration);
}

TEST_F(StandInHipHost, LimitsTheGridsYAndZOfLaterArchitectures) {
  stand_in_hip_set_attribute(0, hipDeviceAttributeComputeCapabilityMajor, 12);
  EXPECT_EQ(launch(dim3(1, 65536, 65536), 1), hipSuccess);
  EXPECT_EQ(launch(dim3(1, 65537, 1), 1), hipErrorInvalidConfiguration);
  EXPECT_EQ(launch(dim3(1, 1, 65537), 1), hipErrorInvalidConfiguration);
}

extern "C" hipError_t hipLaunchKernel_spt(const void* kernel, dim3 grid, dim3 block,
                                          void** arguments, std::size_t shared, hipStream_t stream);

TEST_F(StandInHipHost, LaunchesOnTheThreadsOwnStream) {
  ASSERT_EQ(hipLaunchKernel_spt(kernel, 1, 1, pointers.data(), 0, nullptr), hipSuccess);
  EXPECT_EQ(stand_in_hip::launches().back().stream, hipStreamPerThread);
  EXPECT_EQ(launch(1, 1, 0, hipStreamPerThread), hipSuccess);
}

TEST_F(StandInHipHost, RefusesAnExtendedLaunchWithADeadEvent) {
  hipEvent_t event = nullptr;
  ASSERT_EQ(hipEventCreate(&event), hipSuccess);
  const auto launch_with = [&] {
    return hipExtLaunchKernel(kernel, 1, 1, pointers.data(), 0, nullptr, event, nullptr, 0);
  };
  EXPECT_EQ(launch_with(), hipSuccess);
  ASSERT_EQ(hipEventDestroy(event), hipSuccess);
  EXPECT_EQ(launch_with(), hipErrorInvalidValue);
}

}  // namespace
