// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

#include "launch_fixture.hpp"
#include <warpsafe/core/limits_table.hpp>
#include <warpsafe/debug/journal/journal_reader.hpp>
#include <warpsafe/launch/validate.hpp>

#include <gmock/gmock.h>

#include <cstddef>
#include <cstdint>
#include <vector>

WARPSAFE_KERNEL void early() {}
WARPSAFE_KERNEL void late() {}

namespace warpsafe::core_test {
namespace {

using debug::JournalReader;

constexpr LaunchConfig one_thread{grid<1>, block<1>};
using JournalReaderTest = LaunchTest;

TEST_F(JournalReaderTest, HasTheLaunchesOldestFirstInTheirPresentState) {
  ASSERT_TRUE(launch(stream, one_thread, kernel<early>).has_value());
  wait();
  ASSERT_TRUE(launch(stream, one_thread, kernel<late>).has_value());
  host::fail_next(call_of<&host_backend::launch>, 1, HostStatus::invalid_value);
  ASSERT_FALSE(launch(stream, one_thread, kernel<late>).has_value());
  const JournalReader launches;
  ASSERT_GE(launches.size(), 3U);
  const LaunchRecord* const newest = launches.end() - 1;
  EXPECT_EQ(newest->state, LaunchState::refused);
  EXPECT_EQ((newest - 1)->state, LaunchState::submitted);
  EXPECT_EQ((newest - 2)->state, LaunchState::complete);
  EXPECT_EQ(text((newest - 2)->kernel), "early");
  EXPECT_EQ(newest->sequence, debug::Journal::get().last());
  for (std::size_t i = 1; i < launches.size(); ++i) {
    EXPECT_LT(launches[i - 1].sequence, launches[i].sequence);
  }
}

TEST_F(JournalReaderTest, PicksWhatItIsAskedForAndTellsWhatIsGone) {
  for (std::size_t i = 0; i < debug::Journal::capacity + 5; ++i) {
    ASSERT_TRUE(launch(stream, one_thread, kernel<early>).has_value());
  }
  ASSERT_TRUE(launch(stream, one_thread, kernel<late>).has_value());
  wait();
  EXPECT_EQ(JournalReader().size(), debug::Journal::capacity);
  EXPECT_EQ(JournalReader().overwritten(), debug::Journal::get().last() - debug::Journal::capacity);
  const Name wanted = Name::of("late");
  const JournalReader of_one([&](const LaunchRecord& record) { return record.kernel == wanted; });
  EXPECT_EQ(of_one.size(), 1U);
  EXPECT_TRUE(JournalReader(&debug::is_in_flight).empty());
}

TEST_F(JournalReaderTest, ARecordIsJudgedByAnotherGpusLimits) {
  LaunchRecord record{};
  record.kernel = Name::of("transpose");
  record.sequence = 7;
  record.vendor = Vendor::nvidia;
  for (int axis = 0; axis < 3; ++axis) record.grid[axis] = record.block[axis] = 1;
  record.block[0] = 512;
  record.dynamic_shared = 200 * 1024;
  record.max_threads_per_block = 256;
  record.site = app;
  EXPECT_EQ(error_in(revalidate(record, limits::sm_90)).code, Errc::kernel_threads_exceeded);
  // The registers' limit on one vendor's GPU does not apply to the other's.
  const LaunchError on_amd = error_in(revalidate(record, limits::gfx942));
  EXPECT_EQ(on_amd.code, Errc::shared_too_large);
  EXPECT_EQ(on_amd.sequence, 7U);
  EXPECT_TRUE(is_app(on_amd.site));
  EXPECT_EQ(text(on_amd.kernel), "transpose");
  record.max_threads_per_block = 1024;
  EXPECT_TRUE(revalidate(record, limits::sm_90).has_value());
  EXPECT_EQ(error_in(revalidate(record, limits::sm_75)).code, Errc::shared_too_large);
  record.static_shared = 40 * 1024;
  EXPECT_EQ(error_in(revalidate(record, limits::sm_90)).code, Errc::shared_too_large);
}

TEST_F(JournalReaderTest, WhatALaunchAsksForBesidesItsSizesIsInItsRecord) {
  const LaunchConfig config{grid<4>, block<32>, cluster<2>, priority(-3)};
  host::set_limits(0, limits::sm_90);
  ASSERT_TRUE(launch(stream, config, kernel<late>).has_value());
  const JournalReader all;
  ASSERT_FALSE(all.empty());
  const LaunchRecord record = all[all.size() - 1];
  EXPECT_TRUE(record.has(LaunchOption::cluster));
  EXPECT_EQ(record.cluster[0], 2);
  EXPECT_EQ(record.cluster[1], 1);
  EXPECT_EQ(record.cluster[2], 1);
  EXPECT_TRUE(record.has(LaunchOption::priority));
  EXPECT_EQ(record.priority, -3);
  EXPECT_FALSE(record.has(LaunchOption::cooperative));
  EXPECT_FALSE(record.has(LaunchOption::programmatic));
  EXPECT_FALSE(record.has(LaunchOption::non_portable_cluster));
  ASSERT_TRUE(launch(stream, one_thread, kernel<late>).has_value());
  EXPECT_EQ(
      JournalReader()[all.size() == debug::Journal::capacity ? all.size() - 1 : all.size()].options,
      0);
  EXPECT_TRUE(revalidate(record, limits::sm_90).has_value());
  EXPECT_EQ(error_in(revalidate(record, limits::sm_80)).code, Errc::cluster_unsupported);
  EXPECT_EQ(error_in(revalidate(record, limits::gfx942)).code, Errc::cluster_unsupported);
}

}  // namespace
}  // namespace warpsafe::core_test
