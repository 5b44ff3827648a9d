// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

#include <warpsafe/kernel/needs.hpp>

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>

namespace warpsafe::core_test {
namespace {

using detail::collect_needs;

TEST(Needs, NoneIsDeclaredByDefault) {
  constexpr KernelNeeds none = collect_needs<>();
  EXPECT_EQ(none.max_threads, 0U);
  EXPECT_EQ(none.block_multiple, 0U);
  EXPECT_EQ(none.warp_size, 0U);
  EXPECT_EQ(none.index_max, 2147483647U) << "one that does not say counts like an int";
  EXPECT_TRUE(none.index_assumed);
  EXPECT_EQ(none.min_dynamic_shared, 0U);
  EXPECT_FALSE(none.portable);
}

TEST(Needs, AreCollectedInAnyOrder) {
  constexpr KernelNeeds all =
      collect_needs<portable, needs_shared<double, 3>, index<int>, requires_warp<64>,
                    block_multiple_of<32>, max_threads<256>, grid_stride_kernel>();
  EXPECT_EQ(all.max_threads, 256U);
  EXPECT_EQ(all.block_multiple, 32U);
  EXPECT_EQ(all.warp_size, 64U);
  EXPECT_EQ(all.index_max, 2147483647U);
  EXPECT_FALSE(all.index_assumed);
  EXPECT_EQ(all.min_dynamic_shared, 24U);
  EXPECT_TRUE(all.portable);
}

TEST(Needs, TheStricterOfTwoHolds) {
  EXPECT_EQ((collect_needs<max_threads<256>, launch_bounds<128, 2>>().max_threads), 128U);
  EXPECT_EQ((collect_needs<launch_bounds<128, 2>, max_threads<256>>().max_threads), 128U);
  EXPECT_EQ((collect_needs<block_multiple_of<32>, block_multiple_of<64>>().block_multiple), 64U);
  EXPECT_EQ((collect_needs<block_multiple_of<32>, block_multiple_of<48>>().block_multiple), 96U)
      << "both hold";
  EXPECT_EQ((collect_needs<index<std::uint64_t>, index<std::int16_t>>().index_max), 32767U);
}

TEST(Needs, LaunchBoundsKeepBothNumbersForTheAttribute) {
  using bounds = launch_bounds<256, 2>;
  EXPECT_EQ(bounds::threads, 256U);
  EXPECT_EQ(bounds::min_blocks, 2U);
}

template <class T>
void expect_index_max_of() {
  EXPECT_EQ(index<T>::its_index_max, static_cast<std::uint64_t>(std::numeric_limits<T>::max()));
}

TEST(Needs, AnIndexTypeCountsToItsLargestValue) {
  expect_index_max_of<signed char>();
  expect_index_max_of<unsigned char>();
  expect_index_max_of<short>();
  expect_index_max_of<unsigned short>();
  expect_index_max_of<int>();
  expect_index_max_of<unsigned>();
  expect_index_max_of<long>();
  expect_index_max_of<unsigned long>();
  expect_index_max_of<long long>();
  expect_index_max_of<unsigned long long>();
}

TEST(Needs, StrictestTakesZeroForNone) {
  EXPECT_EQ(detail::strictest(0, 5), 5U);
  EXPECT_EQ(detail::strictest(5, 0), 5U);
  EXPECT_EQ(detail::strictest(4, 5), 4U);
  EXPECT_EQ(detail::strictest(0, 0), 0U);
}

}  // namespace
}  // namespace warpsafe::core_test
