// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// What the matcher accepts, and what GoogleTest prints for a mismatch.

#include <warpsafe/compare/compare.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest-spi.h>

#include <array>
#include <vector>

namespace warpsafe::core_test {
namespace {

using ::testing::Not;

TEST(AgreesWith, IsAMatcher) {
  const std::vector<float> expected{1, 2, 3};
  EXPECT_THAT((std::array{1.0F, 2.0F, 3.000001F}), agrees_with(expected));
  EXPECT_THAT((std::array{1.0F, 2.0F, 3.1F}), Not(agrees_with(expected)));
  EXPECT_THAT((std::array{1.0F, 2.0F, 3.1F}),
              agrees_with(expected, Tolerance{.absolute = 0.2, .relative = 0}));
}

TEST(AgreesWith, SaysWhatCompareSays) {
  static const std::vector<int> expected{1, 2, 3};
  EXPECT_NONFATAL_FAILURE(EXPECT_THAT((std::vector{1, 2, 4}), agrees_with(expected)),
                          "1 of 3 numbers (int32) differ, first at [2]");
  EXPECT_NONFATAL_FAILURE(EXPECT_THAT((std::vector{1, 2, 4}), agrees_with(expected)),
                          "Expected: agrees with the 3 expected numbers");
}

TEST(AgreesWith, ALengthThatDiffersIsSaidAsOne) {
  static const std::vector<int> expected{1, 2, 3};
  EXPECT_NONFATAL_FAILURE(EXPECT_THAT((std::vector{1, 2}), agrees_with(expected)),
                          "the actual array has 2 elements and the expected array 3");
}

}  // namespace
}  // namespace warpsafe::core_test
