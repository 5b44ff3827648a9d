// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

#include <warpsafe/dims/extent.hpp>

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>

namespace warpsafe::core_test {
namespace {

TEST(Extent, ColumnsRunAlongXAndRowsAlongYInAnyOrder) {
  const extent matrix{rows{3}, cols{5}};
  const extent same{cols{5}, rows{3}};
  for (const auto& shape : {matrix, same}) {
    EXPECT_EQ(shape.size(0), 5U);
    EXPECT_EQ(shape.size(1), 3U);
    EXPECT_EQ(shape.cols(), 5U);
    EXPECT_EQ(shape.rows(), 3U);
  }
  const extent volume{z{7}, x{5}, y{3}};
  EXPECT_EQ(volume.size(0), 5U);
  EXPECT_EQ(volume.size(1), 3U);
  EXPECT_EQ(volume.size(2), 7U);
}

TEST(Extent, HasOneElementBeyondItsRank) {
  const extent line{x{5}};
  EXPECT_EQ(line.size(1), 1U);
  EXPECT_EQ(line.rows(), 1U);
  EXPECT_EQ(line.size(2), 1U);
  EXPECT_EQ((extent{rows{3}, cols{5}}.size(2)), 1U);
}

TEST(Extent, KeepsEveryWholeNumberWithItsSign) {
  const extent shape{x{std::numeric_limits<std::int64_t>::min()}, y{std::int8_t{-3}},
                     z{std::numeric_limits<std::uint64_t>::max()}};
  EXPECT_EQ(shape.size(0), std::uint64_t{1} << 63);
  EXPECT_TRUE(shape.negative(0));
  EXPECT_EQ(shape.size(1), 3U);
  EXPECT_TRUE(shape.negative(1));
  EXPECT_EQ(shape.size(2), std::numeric_limits<std::uint64_t>::max());
  EXPECT_FALSE(shape.negative(2));
}

TEST(Extent, ContainsTheIndicesBelowEachSize) {
  const extent shape{x{2}, y{3}, z{4}};
  EXPECT_TRUE(shape.contains({0, 0, 0}));
  EXPECT_TRUE(shape.contains({1, 2, 3}));
  EXPECT_FALSE(shape.contains({2, 2, 3}));
  EXPECT_FALSE(shape.contains({1, 3, 3}));
  EXPECT_FALSE(shape.contains({1, 2, 4}));
  EXPECT_FALSE((extent{rows{3}, cols{2}}.contains({0, 0, 1})));
}

TEST(Extent, OffsetIsTheRowMajorPlaceOfEachElement) {
  const extent shape{x{2}, y{3}, z{4}};
  std::uint64_t expected = 0;
  for (std::uint64_t k = 0; k < 4; ++k) {
    for (std::uint64_t j = 0; j < 3; ++j) {
      for (std::uint64_t i = 0; i < 2; ++i) EXPECT_EQ(shape.offset({i, j, k}), expected++);
    }
  }
}

TEST(Extent, OffsetIsIn64Bits) {
  const extent matrix{rows{100000}, cols{100000}};
  EXPECT_EQ(matrix.offset({99999, 99999, 0}), 9999999999U);
}

TEST(Index3, CallsItsAxesColumnAndRow) {
  const Index3 index{5, 3, 0};
  EXPECT_EQ(index.col(), 5U);
  EXPECT_EQ(index.row(), 3U);
}

}  // namespace
}  // namespace warpsafe::core_test
