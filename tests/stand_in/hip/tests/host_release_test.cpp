// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

#include "host_fixture.hpp"

#include <array>
#include <climits>
#include <csignal>
#include <cstdlib>
#include <string>

namespace {

struct Answers {
  StandInHipRelease release;
  hipError_t zero_grid, zero_block, too_many_threads, over_shared, over_bound, axis_overflow;
};

class StandInHipReleases : public StandInHipHost, public testing::WithParamInterface<Answers> {
 protected:
  void SetUp() override {
    StandInHipHost::SetUp();
    stand_in_hip_set_release(GetParam().release);
  }
};

TEST_P(StandInHipReleases, AnswersEachLaunchMistake) {
  const Answers& expected = GetParam();
  EXPECT_EQ(launch(1, 64), hipSuccess);
  EXPECT_EQ(launch(0, 64), expected.zero_grid);
  EXPECT_EQ(launch(1, 0), expected.zero_block);
  EXPECT_EQ(launch(1, 1025), expected.too_many_threads);
  EXPECT_EQ(launch(1, 64, 65537), expected.over_shared);
  EXPECT_EQ(launch(1, 257), expected.over_bound);
  EXPECT_EQ(launch(1 << 26, 64), expected.axis_overflow);
  EXPECT_EQ(launch((1 << 26) - 1, 64), hipSuccess);
  EXPECT_EQ(stand_in_hip_undefined_uses(), 0u);
}

TEST_P(StandInHipReleases, AddsStaticToDynamicSharedMemoryBeforeRelease6) {
  // 1024 more are the kernel's own.
  EXPECT_EQ(launch(1, 64, 65536),
            GetParam().release < STAND_IN_HIP_6_4 ? hipErrorOutOfMemory : hipSuccess);
  EXPECT_EQ(launch(1, 64, 64512), hipSuccess);
}

TEST_P(StandInHipReleases, ChecksNoGridAxisOnThisArchitecture) {
  EXPECT_EQ(launch(dim3(1, 70000, 70000), 64), hipSuccess);
}

TEST_P(StandInHipReleases, CountsWorkItemsUpToTheEndOf32Bits) {
  EXPECT_EQ(launch(dim3(UINT_MAX), 1), hipSuccess);
  EXPECT_EQ(launch(dim3(1, UINT_MAX), 1), hipSuccess);
  EXPECT_EQ(launch(dim3(1, 1u << 31), dim3(1, 2)), hipErrorInvalidConfiguration);
  EXPECT_EQ(launch(dim3(1, 1, 1u << 31), dim3(1, 1, 2)), hipErrorInvalidConfiguration);
}

TEST_P(StandInHipReleases, TakesSharedMemoryIn32Bits) {
  EXPECT_EQ(launch(1, 64, std::size_t{1} << 32), hipSuccess);
}

TEST_P(StandInHipReleases, KnowsNoUnregisteredFunction) {
  const void* unknown = this;
  EXPECT_EQ(hipLaunchKernel(unknown, 1, 1, nullptr, 0, nullptr), hipErrorInvalidDeviceFunction);
  hipFuncAttributes attributes{};
  EXPECT_EQ(hipFuncGetAttributes(&attributes, unknown), hipErrorInvalidSymbol);
}

TEST_P(StandInHipReleases, TakesTheVersionOfTheModel) {
  constexpr std::array versions{502, 507, 604, 700};
  for (const auto query : {hipRuntimeGetVersion, hipDriverGetVersion}) {
    int version = 0;
    ASSERT_EQ(query(&version), hipSuccess);
    EXPECT_EQ(version / 100000, versions.at(GetParam().release));
    EXPECT_EQ(query(nullptr), hipErrorInvalidValue);
  }
}

std::string name_of(const testing::TestParamInfo<Answers>& answers) {
  constexpr std::array names{"Release5_2", "Release5_7", "Release6_4", "Release7"};
  return names.at(answers.param.release);
}

INSTANTIATE_TEST_SUITE_P(
    Releases, StandInHipReleases,
    testing::Values(
        Answers{STAND_IN_HIP_5_2, hipErrorInvalidValue, hipErrorInvalidValue,
                hipErrorInvalidConfiguration, hipErrorOutOfMemory, hipErrorLaunchFailure,
                hipErrorInvalidConfiguration},
        Answers{STAND_IN_HIP_5_7, hipErrorInvalidValue, hipErrorInvalidValue, hipErrorInvalidValue,
                hipErrorInvalidValue, hipErrorLaunchFailure, hipErrorInvalidConfiguration},
        Answers{STAND_IN_HIP_6_4, hipErrorInvalidValue, hipErrorInvalidValue, hipErrorInvalidValue,
                hipErrorInvalidValue, hipErrorLaunchFailure, hipErrorInvalidConfiguration},
        Answers{STAND_IN_HIP_7, hipErrorInvalidConfiguration, hipErrorInvalidConfiguration,
                hipErrorInvalidConfiguration, hipErrorInvalidValue, hipErrorLaunchFailure,
                hipErrorInvalidConfiguration}),
    name_of);

/// What AMD's runtime does not survive ends the process here too, with a line that says why.
class StandInHipEnds : public StandInHipHost {};

TEST_F(StandInHipEnds, ALaunchOnADestroyedStreamBefore6_4) {
  for (const auto release : {STAND_IN_HIP_5_2, STAND_IN_HIP_5_7}) {
    stand_in_hip_set_release(release);
    const hipStream_t stream = make_stream();
    ASSERT_EQ(hipStreamDestroy(stream), hipSuccess);
    EXPECT_EXIT(static_cast<void>(launch(1, 1, 0, stream)), testing::KilledBySignal(SIGABRT),
                "AMD's runtime ends the process here: a launch on a stream");
  }
}

TEST_F(StandInHipEnds, ALaunchOnAStreamThatNeverWas) {
  for (const auto release : {STAND_IN_HIP_5_2, STAND_IN_HIP_5_7, STAND_IN_HIP_6_4}) {
    stand_in_hip_set_release(release);
    const auto stream = reinterpret_cast<hipStream_t>(this);
    EXPECT_EXIT(static_cast<void>(launch(1, 1, 0, stream)), testing::KilledBySignal(SIGSEGV),
                "ends the process here");
  }
}

TEST_F(StandInHipEnds, TheDestructionOfAStreamAfterFreeAsyncIn5_2) {
  stand_in_hip_set_release(STAND_IN_HIP_5_2);
  const hipStream_t stream = make_stream();
  void* memory = nullptr;
  ASSERT_EQ(hipMallocAsync(&memory, 64, stream), hipSuccess);
  ASSERT_EQ(hipFreeAsync(memory, stream), hipSuccess);
  EXPECT_EXIT(static_cast<void>(hipStreamDestroy(stream)), testing::KilledBySignal(SIGALRM),
              "AMD's runtime never returns from this call");
}

TEST_F(StandInHipEnds, AFunctionThat5_2Lacks) {
  stand_in_hip_set_release(STAND_IN_HIP_5_2);
  EXPECT_EQ(stand_in_hip_lacks("hipLaunchHostFunc"), 1);
  EXPECT_EQ(stand_in_hip_lacks("hipLaunchKernel"), 0);
  EXPECT_EXIT(static_cast<void>(hipLaunchHostFunc(
                  nullptr, [](void*) {}, nullptr)),
              testing::KilledBySignal(SIGABRT), "this release has no hipLaunchHostFunc");
}

TEST_F(StandInHipEnds, ADestroyedEvent) {
  hipEvent_t event = nullptr;
  ASSERT_EQ(hipEventCreate(&event), hipSuccess);
  ASSERT_EQ(hipEventDestroy(event), hipSuccess);
  EXPECT_EXIT(static_cast<void>(hipEventQuery(event)), testing::KilledBySignal(SIGSEGV),
              "a destroyed event");
}

TEST(StandInHipRelease, RefusesANameThatItDoesNotKnow) {
  EXPECT_EXIT(
      {
        setenv("STAND_IN_HIP_RELEASE", "6", 1);
        stand_in_hip_reset();
      },
      testing::KilledBySignal(SIGABRT), "STAND_IN_HIP_RELEASE is '6'; use 5.2, 5.7, 6.4 or 7");
}

}  // namespace
