// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

#include <warpsafe/debug/journal/detail/completion.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <memory>

namespace warpsafe::debug {
namespace {

using warpsafe::detail::StreamNumber;

LaunchRecord launch_on(std::uint64_t stream, std::int32_t device = 0,
                       Vendor vendor = Vendor::host) {
  LaunchRecord record{};
  record.stream_number = stream;
  record.device = device;
  record.vendor = vendor;
  return record;
}

struct CompletionTest : ::testing::Test {
  std::unique_ptr<Completion> known{new Completion()};
  const std::uint64_t a = 1;
  const std::uint64_t b = 2;
};

TEST_F(CompletionTest, AWaitThatBeganAfterTheLaunchCompletesIt) {
  const std::uint64_t submitted = known->now();
  EXPECT_FALSE(known->is_complete(launch_on(a), submitted));
  known->stream_waited(Vendor::host, 0, a, known->begin_wait());
  EXPECT_TRUE(known->is_complete(launch_on(a), submitted));
}

TEST_F(CompletionTest, AWaitThatBeganBeforeTheLaunchDoesNot) {
  const std::uint64_t began = known->begin_wait();
  const std::uint64_t submitted = known->now();
  known->stream_waited(Vendor::host, 0, a, began);
  EXPECT_FALSE(known->is_complete(launch_on(a), submitted));
}

TEST_F(CompletionTest, OneThatIsNotSubmittedYetIsNeverComplete) {
  known->stream_waited(Vendor::host, 0, a, known->begin_wait());
  EXPECT_FALSE(known->is_complete(launch_on(a), 0));
}

TEST_F(CompletionTest, AnotherStreamOrVendorIsAnother) {
  const std::uint64_t submitted = known->now();
  known->stream_waited(Vendor::host, 0, a, known->begin_wait());
  EXPECT_FALSE(known->is_complete(launch_on(b), submitted));
  EXPECT_FALSE(known->is_complete(launch_on(a, 0, Vendor::nvidia), submitted));
}

TEST_F(CompletionTest, AnEarlierWaitThatReturnsLateTakesNothingBack) {
  const std::uint64_t early = known->begin_wait();
  const std::uint64_t submitted = known->now();
  known->stream_waited(Vendor::host, 0, a, known->begin_wait());
  known->stream_waited(Vendor::host, 0, a, early);
  EXPECT_TRUE(known->is_complete(launch_on(a), submitted));
}

TEST_F(CompletionTest, AHandleThatMayMeanTwoStreamsTellsOnlyThatTheDeviceIsWell) {
  int stream = 0;
  const std::uint64_t by_handle = StreamNumber::of_handle(&stream, 0).value();
  const std::uint64_t submitted = known->now();
  const std::uint64_t began = known->begin_wait();
  known->stream_waited(Vendor::amd, 0, by_handle, began);
  EXPECT_FALSE(known->is_complete(launch_on(by_handle, 0, Vendor::amd), submitted));
  EXPECT_EQ(known->succeeded_at(Vendor::amd, 0), began);
}

TEST_F(CompletionTest, ADefaultStreamIsOneOfItsDeviceOrThread) {
  const std::uint64_t submitted = known->now();
  const std::uint64_t legacy = StreamNumber::legacy(0).value();
  known->stream_waited(Vendor::host, 0, legacy, known->begin_wait());
  EXPECT_TRUE(known->is_complete(launch_on(legacy), submitted));
  EXPECT_FALSE(known->is_complete(launch_on(StreamNumber::legacy(1).value(), 1), submitted));
  EXPECT_FALSE(
      known->is_complete(launch_on(StreamNumber::per_thread(0).here().value()), submitted));
}

TEST_F(CompletionTest, AWaitForTheDeviceCompletesAllItsStreams) {
  const std::uint64_t submitted = known->now();
  known->device_waited(Vendor::host, 0, known->begin_wait());
  EXPECT_TRUE(known->is_complete(launch_on(a), submitted));
  EXPECT_TRUE(known->is_complete(launch_on(0), submitted));
  EXPECT_FALSE(known->is_complete(launch_on(a, 1), submitted));
}

TEST_F(CompletionTest, DevicesBeyondItsTableAreNotJudged) {
  const std::uint64_t submitted = known->now();
  known->device_waited(Vendor::host, Completion::devices, known->begin_wait());
  known->device_waited(Vendor::host, -1, known->begin_wait());
  EXPECT_FALSE(known->is_complete(launch_on(a, Completion::devices), submitted));
  EXPECT_FALSE(known->is_complete(launch_on(a, -1), submitted));
}

TEST_F(CompletionTest, ItKnowsTheNewestStreamsOfAProgramThatMakesMany) {
  const std::uint64_t submitted = known->now();
  constexpr std::uint64_t last = 10 * Completion::streams;
  for (std::uint64_t i = 1; i <= last; ++i) {
    known->stream_waited(Vendor::host, 0, i, known->begin_wait());
  }
  EXPECT_FALSE(known->is_complete(launch_on(1), submitted)) << "there is no room for it";
  for (std::uint64_t i = last - Completion::streams / 2; i <= last; ++i) {
    EXPECT_TRUE(known->is_complete(launch_on(i), submitted)) << i;
  }
}

TEST_F(CompletionTest, AStreamOfEachVendorMayHaveTheSameNumber) {
  constexpr Vendor vendors[] = {Vendor::host, Vendor::amd, Vendor::nvidia};
  for (int round = 0; round < 2; ++round) {
    const std::uint64_t submitted = known->now();
    for (const Vendor one : vendors) known->stream_waited(one, 0, a, known->begin_wait());
    for (const Vendor one : vendors) {
      EXPECT_TRUE(known->is_complete(launch_on(a, 0, one), submitted));
    }
  }
}

TEST_F(CompletionTest, TheNewestSuccessIsThatOfTheDeviceOrOfAnyDevice) {
  EXPECT_EQ(known->succeeded_at(Vendor::host, 0), 0U);
  EXPECT_EQ(known->succeeded_at(Vendor::host, -1), 0U);
  const std::uint64_t second = known->begin_wait();
  const std::uint64_t newest = known->begin_wait();
  known->stream_waited(Vendor::host, Completion::devices - 1, a, newest);
  known->device_waited(Vendor::host, 1, second);
  known->stream_waited(Vendor::amd, 1, a, known->begin_wait());
  EXPECT_EQ(known->succeeded_at(Vendor::host, 0), 0U);
  EXPECT_EQ(known->succeeded_at(Vendor::host, 1), second);
  EXPECT_EQ(known->succeeded_at(Vendor::host, Completion::devices - 1), newest);
  EXPECT_EQ(known->succeeded_at(Vendor::host, Completion::devices), 0U);
  EXPECT_EQ(known->succeeded_at(Vendor::host, -1), newest);
}

}  // namespace
}  // namespace warpsafe::debug
