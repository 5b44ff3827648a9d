// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// What tools of the same program must not change in a report, and failures that no wait has told.

#include "run_fixture.hpp"
#include <warpsafe/debug.hpp>
#include <warpsafe/device_check.hpp>
#include <warpsafe/memory.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

WARPSAFE_KERNEL void checks_itself(float* x) {
  WARPSAFE_DEVICE_CHECK(x == nullptr, "the array is missing");
}

namespace warpsafe::adversarial {
namespace {

result<void> race() {
  WARPSAFE_TRY(const auto one, Stream::create());
  WARPSAFE_TRY(const auto other, Stream::create());
  WARPSAFE_TRY(auto x, DeviceBuffer<float>::create(one, 1));
  WARPSAFE_TRYV(one.synchronize());
  WARPSAFE_TRYV(launch(one, once, kernel<put>, x.view()));
  WARPSAFE_TRYV(launch(other, once, kernel<put>, x.view()));
  WARPSAFE_TRYV(one.synchronize());
  return other.synchronize();
}

TEST(Switches, BlockingLaunchesHideNoRace) {
  debug::set_blocking(true);
  const auto report = run(5, race);
  debug::set_blocking(false);
  EXPECT_FALSE(report.clean());
}

TEST(Switches, AFailedDeviceCheckThatNobodyWaitsForIsAFinding) {
  const auto report = run(5, [&]() -> result<void> {
    WARPSAFE_TRY(const auto stream, Stream::create());
    WARPSAFE_TRY(auto x, DeviceBuffer<float>::create(stream, 1));
    return launch(stream, once, kernel<checks_itself>, x.view());
  });
  EXPECT_FALSE(report.clean());
  EXPECT_THAT(report.text(), testing::HasSubstr("the array is missing"));
  EXPECT_TRUE(Stream::create().value().synchronize().has_value()) << "the report has told it";
}

}  // namespace
}  // namespace warpsafe::adversarial
