// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

#include <warpsafe/core/detail/arithmetic.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <string>

// Compares all pairs of 8-bit numbers with plain int arithmetic, which does not overflow for them.
// tests/property tests random 64-bit numbers.

namespace warpsafe::detail {
namespace {

TEST(BlocksFor, IsTheCeilingForEveryPairOf8BitNumbers) {
  for (int n = 0; n < 256; ++n) {
    for (int per_block = 1; per_block < 256; ++per_block) {
      const int expected = (n + per_block - 1) / per_block;
      ASSERT_EQ(blocks_for(static_cast<std::uint8_t>(n), static_cast<std::uint8_t>(per_block)),
                expected)
          << n << " in blocks of " << per_block;
    }
  }
}

TEST(Multiply, SaysWhetherItFitsForEveryPairOf8BitNumbers) {
  for (int a = 0; a < 256; ++a) {
    for (int b = 0; b < 256; ++b) {
      std::uint8_t product = 0;
      const bool fits =
          multiply(static_cast<std::uint8_t>(a), static_cast<std::uint8_t>(b), product);
      ASSERT_EQ(fits, a * b < 256) << a << " * " << b;
      if (fits) {
        ASSERT_EQ(product, a * b);
      }
    }
  }
}

// At compile time other code multiplies, because nvcc cannot evaluate the builtin there.
constexpr int wrong_products_while_compiling() {
  int wrong = 0;
  for (int a = 0; a < 256; ++a) {
    for (int b = 0; b < 256; b += a % 7 + 1) {
      std::uint8_t product = 0;
      const bool fits =
          multiply(static_cast<std::uint8_t>(a), static_cast<std::uint8_t>(b), product);
      wrong += fits != (a * b < 256) || (fits && product != a * b);
    }
  }
  return wrong;
}
static_assert(wrong_products_while_compiling() == 0);

TEST(Multiply, IsTheSameAt64BitsWhileCompilingAndRunning) {
  constexpr std::uint64_t most = std::numeric_limits<std::uint64_t>::max();
  constexpr auto fits = [](std::uint64_t a, std::uint64_t b) {
    std::uint64_t product = 0;
    return multiply(a, b, product);
  };
  constexpr std::uint64_t root = std::uint64_t{1} << 32;
  static_assert(fits(most, 1) && fits(root, root - 1) && fits(0, most));
  static_assert(!fits(most, 2) && !fits(root, root) && !fits(most, most));
  EXPECT_TRUE(fits(most, 1) && fits(root, root - 1) && fits(0, most));
  EXPECT_FALSE(fits(most, 2) || fits(root, root) || fits(most, most));
}

TEST(BlocksFor, TheLargestSizeDoesNotOverflow) {
  constexpr std::uint64_t most = std::numeric_limits<std::uint64_t>::max();
  EXPECT_EQ(blocks_for(most, std::uint64_t{1}), most);
  EXPECT_EQ(blocks_for(most, std::uint64_t{1024}), std::uint64_t{1} << 54);
  EXPECT_EQ(blocks_for(most, most), 1U);
  EXPECT_EQ(blocks_for(most - 1, most), 1U);
}

TEST(Strictest, IsTheSmallerNumberThatIsSet) {
  EXPECT_EQ(strictest(0, 0), 0U);
  EXPECT_EQ(strictest(7, 0), 7U);
  EXPECT_EQ(strictest(0, 7), 7U);
  EXPECT_EQ(strictest(3, 7), 3U);
  EXPECT_EQ(strictest(7, 3), 3U);
}

TEST(FittingBlock, HalvesTheLongestAxisUntilItFits) {
  struct Case {
    std::uint32_t block[3];
    std::uint64_t limit;
    std::uint32_t fits[3];
  };
  constexpr std::uint32_t half = std::uint32_t{1} << 31;
  for (const Case& one :
       {Case{{2048, 1, 1}, 1024, {1024, 1, 1}}, Case{{1, 2048, 1}, 1024, {1, 1024, 1}},
        Case{{1, 1, 128}, 1024, {1, 1, 64}}, Case{{1, 1, 64}, 1024, {1, 1, 64}},
        Case{{64, 64, 1}, 1024, {32, 32, 1}},
        Case{{64, 64, 1}, 2048, {64, 32, 1}},  // of two that are longest, y
        Case{{64, 1, 64}, 2048, {32, 1, 64}}, Case{{1, 64, 64}, 2048, {1, 32, 64}},
        Case{{32, 1, 64}, 1024, {32, 1, 32}}, Case{{1, 32, 64}, 1024, {1, 32, 32}},
        Case{{64, 64, 64}, 1024, {8, 8, 16}}, Case{{8, 16, 32}, 1024, {8, 8, 16}},
        Case{{1000, 3, 1}, 1024, {250, 3, 1}}, Case{{32, 32, 1}, 1024, {32, 32, 1}},
        Case{{32, 8, 4}, 1024, {32, 8, 4}}, Case{{5, 1, 1}, 1, {1, 1, 1}},
        // 2^64 threads, which are 0 in 64 bits
        Case{{half, half, 4}, 1024, {16, 16, 4}}}) {
    std::uint32_t fits[3] = {};
    const std::uint64_t threads = fitting_block(one.block, one.limit, fits);
    const std::string block = std::to_string(one.block[0]) + 'x' + std::to_string(one.block[1]) +
                              'x' + std::to_string(one.block[2]);
    EXPECT_THAT(fits, testing::ElementsAreArray(one.fits)) << block << ' ' << one.limit;
    EXPECT_EQ(threads, std::uint64_t{fits[0]} * fits[1] * fits[2]) << block;
    EXPECT_LE(threads, one.limit) << block;
  }
}

}  // namespace
}  // namespace warpsafe::detail
