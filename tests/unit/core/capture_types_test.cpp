// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

#include <warpsafe/core/capture_types.hpp>

#include <gtest/gtest.h>

#include <cstdint>
#include <set>
#include <vector>

namespace warpsafe::core_test {
namespace {

std::uint64_t capture_tail_of(const std::vector<std::uint64_t>& nodes) {
  std::uint64_t tail = 0;
  for (const std::uint64_t node : nodes) tail = detail::mix_tail(tail, node);
  return detail::finish_tail(tail);
}

TEST(CaptureTail, IsThatOfTheNodesInAnyOrder) {
  EXPECT_EQ(capture_tail_of({1, 2, 3}), capture_tail_of({3, 1, 2}));
  EXPECT_EQ(capture_tail_of({0x7f0012345600, 0x7f0012345640}),
            capture_tail_of({0x7f0012345640, 0x7f0012345600}));
}

TEST(CaptureTail, DiffersForOtherNodes) {
  std::set<std::uint64_t> tails;
  std::size_t sets = 0;
  for (std::uint64_t a = 0; a < 64; ++a) {
    tails.insert(capture_tail_of({0x7f0000000000 + 64 * a}));
    ++sets;
    for (std::uint64_t b = 0; b < a; ++b) {
      tails.insert(capture_tail_of({0x7f0000000000 + 64 * a, 0x7f0000000000 + 64 * b}));
      ++sets;
    }
  }
  EXPECT_EQ(tails.size(), sets);
}

TEST(CaptureTail, IsNeverZero) {
  EXPECT_NE(capture_tail_of({}), 0U);
  EXPECT_NE(detail::finish_tail(0), 0U);
  EXPECT_EQ(detail::finish_tail(5), 5U);
  EXPECT_EQ(detail::finish_tail(~std::uint64_t{0}), ~std::uint64_t{0});
}

}  // namespace
}  // namespace warpsafe::core_test
