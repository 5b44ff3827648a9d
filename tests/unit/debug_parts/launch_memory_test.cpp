// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// Which memory of a launch is copied, and what happens if a call fails.

#include "hand_made_launch.hpp"
#include "host_test_kernel.hpp"
#include <warpsafe/debug/data/detail/launch_memory.hpp>

#include <gmock/gmock.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

namespace warpsafe::core_test {
namespace {

using debug::LaunchMemory;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST_F(LaunchData, OverlappingArgumentsShareOneCopy) {
  launch.reaches(device.data(), 10, false);
  launch.reaches(device.data() + 20, 10);
  launch.reaches(device.data() + 40, 8, false);
  launch.reaches(device.data() + 5, 20, false);  // joins the first two
  launch.reaches(device.data() + 40, 8, false);
  launch.reaches(device.data() + 48, 1);  // a neighbour
  launch.reaches(nullptr, 8);
  launch.reaches(device.data() + 50, detail::unknown_extent);
  LaunchMemory memory(launch.arguments(), record);
  ASSERT_TRUE(memory.valid());
  EXPECT_EQ(memory.arguments(), 8U);
  ASSERT_TRUE(memory.copy_before(error));
  std::vector<std::string> calls = std::move(data.calls);
  std::sort(calls.begin(), calls.end());
  EXPECT_THAT(calls, ElementsAre("out 1", "out 30", "out 8"));
  EXPECT_EQ(memory.before(1), memory.before(0) + 20);
  EXPECT_EQ(memory.before(3), memory.before(0) + 5);
  EXPECT_EQ(memory.before(4), memory.before(2));
  for (const std::size_t place : {0U, 1U, 2U, 3U, 5U}) {
    EXPECT_TRUE(memory.reaches(place));
    EXPECT_EQ(std::memcmp(memory.before(place), launch.memory[place].begin,
                          static_cast<std::size_t>(memory.bytes(place))),
              0)
        << place;
  }
  for (const std::size_t place : {6U, 7U}) {
    EXPECT_FALSE(memory.reaches(place));
    EXPECT_EQ(memory.before(place), nullptr);
  }
  EXPECT_EQ(memory.bytes(7), 0U);
  // Only what a kernel may have written is copied afterwards: an overlap is written as a whole.
  data.calls.clear();
  device.fill(7);
  ASSERT_TRUE(memory.copy_after(error));
  EXPECT_EQ(data.calls.size(), 2U);
  EXPECT_EQ(memory.after(2), nullptr);
  EXPECT_EQ(memory.after(3)[0], 7);
  EXPECT_EQ(memory.after(5)[0], 7);
  EXPECT_EQ(memory.before(5)[0], 48);
  // What a reference changes goes back, and no more: another stream may have written the rest.
  ASSERT_TRUE(memory.note_before());
  data.calls.clear();
  ASSERT_TRUE(memory.write_back(error));
  EXPECT_THAT(data.calls, IsEmpty());
  for (const std::size_t at : {3U, 4U, 9U}) memory.before(1)[at] = 99;
  memory.before(5)[0] = 98;
  ASSERT_TRUE(memory.write_back(error));
  EXPECT_THAT(data.calls, ElementsAre("in 2", "in 1", "in 1"));
  EXPECT_EQ(device[22], 7);
  EXPECT_EQ(device[23], 99);
  EXPECT_EQ(device[24], 99);
  EXPECT_EQ(device[25], 7);
  EXPECT_EQ(device[29], 99);
  EXPECT_EQ(device[30], 7);
  EXPECT_EQ(device[48], 98);
}
TEST_F(LaunchData, AnElementThatAReferenceChangesGoesBackAsAWhole) {
  launch.reaches(device.data(), 16, true, {ElementType::float32, 4});
  LaunchMemory memory(launch.arguments(), record);
  ASSERT_TRUE(memory.copy_before(error));
  ASSERT_TRUE(memory.note_before());
  device.fill(7);
  data.calls.clear();
  memory.before(0)[5] = 99;
  memory.before(0)[15] = 99;
  ASSERT_TRUE(memory.write_back(error));
  EXPECT_THAT(data.calls, ElementsAre("in 4", "in 4"));
  EXPECT_EQ(device[3], 7);
  EXPECT_EQ(device[4], 4);
  EXPECT_EQ(device[5], 99);
  EXPECT_EQ(device[8], 7);
  EXPECT_EQ(device[15], 99);
}
TEST_F(LaunchData, AdjacentArgumentsStayApart) {
  launch.reaches(device.data() + 8, 8);
  launch.reaches(device.data(), 8);
  launch.reaches(device.data() + 16, 8);
  LaunchMemory memory(launch.arguments(), record);
  ASSERT_TRUE(memory.copy_before(error));
  EXPECT_EQ(data.calls.size(), 3U);
}
TEST_F(LaunchData, AnEmptyArrayNeedsNoCopy) {
  launch.reaches(device.data(), 0);
  launch.reaches(device.data(), 0, false);
  LaunchMemory memory(launch.arguments(), record);
  ASSERT_TRUE(memory.copy_before(error));
  EXPECT_THAT(data.calls, IsEmpty());
  EXPECT_TRUE(memory.reaches(0));
  EXPECT_NE(memory.before(0), nullptr);
}
TEST_F(LaunchData, ACallThatFailsEndsTheCopyWithItsError) {
  launch.reaches(device.data(), 4);
  LaunchMemory memory(launch.arguments(), record);
  data.copies = 0;
  EXPECT_FALSE(memory.copy_before(error));
  EXPECT_EQ(error.raw, 9);
  EXPECT_EQ(text(error.operation), "copy to host");
  EXPECT_EQ(error.device, 41);
  data = {};
  ASSERT_TRUE(memory.copy_before(error));
  ASSERT_TRUE(memory.note_before());
  memory.before(0)[0] = 99;
  data.copies = 0;
  EXPECT_FALSE(memory.write_back(error));
  EXPECT_EQ(text(error.operation), "copy to device");
  data = {};
  data.waits = 0;
  EXPECT_FALSE(memory.copy_after(error));
  EXPECT_EQ(error.raw, 8);
  EXPECT_EQ(text(error.operation), "stream synchronize");
}
TEST_F(LaunchData, MoreDataThanTheHostHasMemoryForIsAnError) {
  if (host_test::under_sanitizer) {
    GTEST_SKIP() << "the sanitizers' allocators end a program that asks for so much";
  }
  constexpr std::uint64_t bytes = std::uint64_t{1} << 61U;
  launch.reaches(device.data(), bytes);
  record.site = app;
  LaunchMemory memory(launch.arguments(), record);
  EXPECT_FALSE(memory.copy_before(error));
  EXPECT_EQ(error.code, Errc::out_of_memory);
  EXPECT_EQ(error.value, bytes);
  EXPECT_EQ(error.limit, 0U);
  EXPECT_TRUE(is_app(error.site));
  EXPECT_THAT(data.calls, IsEmpty());
}
TEST_F(LaunchData, AnArgumentFindsItsCopyAmongThoseThatWereMoved) {
  launch.reaches(device.data() + 40, 8, false);
  launch.reaches(device.data(), 8, false);
  launch.reaches(device.data() + 44, 8, false);
  LaunchMemory memory(launch.arguments(), record);
  ASSERT_TRUE(memory.copy_before(error));
  EXPECT_EQ(memory.before(2), memory.before(0) + 4);
  EXPECT_EQ(memory.before(0)[0], 40);
  EXPECT_EQ(memory.before(1)[0], 0);
  EXPECT_EQ(memory.before(2)[7], 51);
}
TEST_F(LaunchData, AWaitForDataIsNotPartOfTheProgramsRun) {
  static int told;
  told = 0;
  Observer listener;
  listener.waited = [](void*, const WaitRecord&) noexcept { ++told; };
  observe(listener);
  launch.reaches(device.data(), 4);
  EXPECT_TRUE(LaunchMemory(launch.arguments(), record).copy_before(error));
  stop_observing(listener);
  EXPECT_EQ(told, 0);
}

}  // namespace
}  // namespace warpsafe::core_test
