// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

#include <warpsafe/debug/journal/detail/completion.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <memory>

namespace warpsafe::debug {
namespace {

const void* stream_number(std::size_t number) {
  return reinterpret_cast<const void*>(std::uintptr_t{0x1000} * (number + 1));
}

LaunchRecord launch_on(const void* stream, std::int32_t device = 0, Vendor vendor = Vendor::host) {
  LaunchRecord record{};
  record.stream = stream;
  record.device = device;
  record.vendor = vendor;
  return record;
}

struct CompletionTest : ::testing::Test {
  std::unique_ptr<Completion> known{new Completion()};
  const void* const a = stream_number(0);
  const void* const b = stream_number(1);
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

TEST_F(CompletionTest, AnotherStreamDeviceOrVendorIsAnother) {
  const std::uint64_t submitted = known->now();
  known->stream_waited(Vendor::host, 0, a, known->begin_wait());
  EXPECT_FALSE(known->is_complete(launch_on(b), submitted));
  EXPECT_FALSE(known->is_complete(launch_on(a, 1), submitted));
  EXPECT_FALSE(known->is_complete(launch_on(a, 0, Vendor::nvidia), submitted));
}

TEST_F(CompletionTest, AStreamMayHaveTheNumberOfTheOneThatMakesRoom) {
  const std::uint64_t submitted = known->now();
  for (std::size_t i = 0; i != Completion::streams; ++i) {
    known->stream_waited(Vendor::host, 0, stream_number(i), known->begin_wait());
  }
  known->stream_waited(Vendor::host, 1, a, known->begin_wait());
  EXPECT_TRUE(known->is_complete(launch_on(a, 1), submitted));
  EXPECT_FALSE(known->is_complete(launch_on(a, 0), submitted)) << "there is no room for it";
}

TEST_F(CompletionTest, AnEarlierWaitThatReturnsLateTakesNothingBack) {
  const std::uint64_t early = known->begin_wait();
  const std::uint64_t submitted = known->now();
  known->stream_waited(Vendor::host, 0, a, known->begin_wait());
  known->stream_waited(Vendor::host, 0, a, early);
  EXPECT_TRUE(known->is_complete(launch_on(a), submitted));
}

TEST_F(CompletionTest, ADefaultStreamsNameTellsOnlyThatTheDeviceIsWell) {
  for (const std::uintptr_t name : {std::uintptr_t{0}, std::uintptr_t{1}, std::uintptr_t{2}}) {
    const void* const stream = reinterpret_cast<const void*>(name);
    const std::uint64_t submitted = known->now();
    const std::uint64_t began = known->begin_wait();
    known->stream_waited(Vendor::nvidia, 0, stream, began);
    EXPECT_FALSE(known->is_complete(launch_on(stream, 0, Vendor::nvidia), submitted)) << name;
    EXPECT_EQ(known->succeeded_at(Vendor::nvidia, 0), began);
  }
}

TEST_F(CompletionTest, AWaitForTheDeviceCompletesAllItsStreams) {
  const std::uint64_t submitted = known->now();
  known->device_waited(Vendor::host, 0, known->begin_wait());
  EXPECT_TRUE(known->is_complete(launch_on(a), submitted));
  EXPECT_TRUE(known->is_complete(launch_on(nullptr), submitted));
  EXPECT_FALSE(known->is_complete(launch_on(a, 1), submitted));
}

TEST_F(CompletionTest, DevicesBeyondItsTableAreNotJudged) {
  const std::uint64_t submitted = known->now();
  known->device_waited(Vendor::host, Completion::devices, known->begin_wait());
  known->device_waited(Vendor::host, -1, known->begin_wait());
  EXPECT_FALSE(known->is_complete(launch_on(a, Completion::devices), submitted));
  EXPECT_FALSE(known->is_complete(launch_on(a, -1), submitted));
}

TEST_F(CompletionTest, WithMoreStreamsTheOneLongestAgoIsForgottenAndOnlyThat) {
  const std::uint64_t submitted = known->now();
  for (std::size_t i = 0; i <= Completion::streams; ++i) {
    known->stream_waited(Vendor::host, 0, stream_number(i), known->begin_wait());
  }
  EXPECT_FALSE(known->is_complete(launch_on(stream_number(0)), submitted));
  for (std::size_t i = 1; i <= Completion::streams; ++i) {
    EXPECT_TRUE(known->is_complete(launch_on(stream_number(i)), submitted)) << i;
  }
}

TEST_F(CompletionTest, AStreamOfEachDeviceAndVendorMayHaveTheSameAddress) {
  struct Place {
    std::int32_t device;
    Vendor vendor;
  };
  constexpr Place places[] = {{0, Vendor::host}, {1, Vendor::host}, {0, Vendor::amd}};
  for (int round = 0; round < 2; ++round) {
    const std::uint64_t submitted = known->now();
    for (const Place& one : places) {
      known->stream_waited(one.vendor, one.device, a, known->begin_wait());
    }
    for (const Place& one : places) {
      EXPECT_TRUE(known->is_complete(launch_on(a, one.device, one.vendor), submitted))
          << one.device;
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
