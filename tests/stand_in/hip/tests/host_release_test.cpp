// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

#include "host_fixture.hpp"

#include <climits>
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

TEST_P(StandInHipReleases, NeverAddsStaticToDynamicSharedMemory) {
  EXPECT_EQ(launch(1, 64, 65536), hipSuccess);  // 1024 more are the kernel's own
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
  for (const auto query : {hipRuntimeGetVersion, hipDriverGetVersion}) {
    int version = 0;
    ASSERT_EQ(query(&version), hipSuccess);
    EXPECT_EQ(version / 10000000, int{GetParam().release});
    EXPECT_EQ(query(nullptr), hipErrorInvalidValue);
  }
}

INSTANTIATE_TEST_SUITE_P(
    Releases, StandInHipReleases,
    testing::Values(
        Answers{STAND_IN_HIP_5, hipErrorInvalidValue, hipErrorInvalidValue, hipErrorInvalidValue,
                hipErrorInvalidValue, hipErrorLaunchFailure, hipErrorInvalidConfiguration},
        Answers{STAND_IN_HIP_6, hipErrorInvalidValue, hipErrorInvalidValue, hipErrorInvalidValue,
                hipErrorInvalidValue, hipErrorLaunchFailure, hipErrorInvalidConfiguration},
        Answers{STAND_IN_HIP_7, hipErrorInvalidConfiguration, hipErrorInvalidConfiguration,
                hipErrorInvalidConfiguration, hipErrorInvalidValue, hipErrorLaunchFailure,
                hipErrorInvalidConfiguration}),
    [](const auto& answers) { return "Release" + std::to_string(answers.param.release); });

}  // namespace
