// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

#include <warpsafe/core/launch_shape.hpp>

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

namespace warpsafe::core_test {
namespace {

TEST(LaunchShape, CountsThreadsBlocksAndClusters) {
  LaunchShape shape;
  EXPECT_EQ(shape.threads_per_block(), 0U);
  EXPECT_EQ(shape.blocks_per_cluster(), 1U);
  for (int axis = 0; axis < 3; ++axis) {
    shape.grid[axis] = static_cast<std::uint32_t>(axis + 2);
    shape.block[axis] = static_cast<std::uint32_t>(axis + 3);
    shape.cluster[axis] = 2;
  }
  EXPECT_EQ(shape.blocks(), 24U);
  EXPECT_EQ(shape.threads_per_block(), 60U);
  EXPECT_EQ(shape.blocks_per_cluster(), 8U);
}

TEST(LaunchShape, ProductsSaturate) {
  constexpr std::uint32_t most = std::numeric_limits<std::uint32_t>::max();
  EXPECT_EQ(LaunchShape::saturating_product({most, most, 1}), std::uint64_t{most} * most);
  EXPECT_EQ(LaunchShape::saturating_product({most, most, 2}),
            std::numeric_limits<std::uint64_t>::max());
  EXPECT_EQ(LaunchShape::saturating_product({most, most, 0}), 0U);
  static_assert(LaunchShape::saturating_product({most, most, most}) ==
                std::numeric_limits<std::uint64_t>::max());
}

TEST(LaunchShape, OnlyOptionsNeedAttributes) {
  LaunchShape shape;
  shape.dynamic_shared = 1;
  EXPECT_FALSE(shape.has_attributes());
  for (bool LaunchShape::*option : {&LaunchShape::has_priority, &LaunchShape::has_cluster,
                                    &LaunchShape::cooperative, &LaunchShape::programmatic}) {
    LaunchShape with = shape;
    with.*option = true;
    EXPECT_TRUE(with.has_attributes());
  }
}

TEST(LaunchShape, AnEmptyShapeLaunchesNothing) {
  const LaunchShape shape;
  for (int axis = 0; axis < 3; ++axis) {
    EXPECT_EQ(shape.grid[axis], 0U);
    EXPECT_EQ(shape.block[axis], 0U);
    EXPECT_EQ(shape.cluster[axis], 1U);
  }
  EXPECT_EQ(shape.blocks(), 0U);
  EXPECT_EQ(shape.dynamic_shared, 0U);
  EXPECT_EQ(shape.priority, 0);
  EXPECT_FALSE(shape.has_attributes());
  EXPECT_FALSE(shape.non_portable_cluster);
}

TEST(LaunchShape, MoreSharedMemoryThanARuntimeCanTakeIsNotTruncated) {
  for (const auto& [bytes, passed] : std::vector<std::pair<std::uint64_t, std::uint32_t>>{
           {0, 0},
           {49152, 49152},
           {0xfffffffe, 0xfffffffe},
           {0xffffffff, 0xffffffff},
           {0x100000000, 0xffffffff},  // 0 in 32 bits
           {0x100000001, 0xffffffff},
           {std::numeric_limits<std::uint64_t>::max(), 0xffffffff}}) {
    LaunchShape shape;
    shape.dynamic_shared = bytes;
    EXPECT_EQ(shape.dynamic_shared_32(), passed) << bytes;
  }
}

}  // namespace
}  // namespace warpsafe::core_test
