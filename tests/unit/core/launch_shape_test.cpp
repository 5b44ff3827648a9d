// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

#include <warpsafe/core/launch_shape.hpp>

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>

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

}  // namespace
}  // namespace warpsafe::core_test
