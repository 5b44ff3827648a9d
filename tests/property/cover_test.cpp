// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// Compares random cases of the grid arithmetic with 128-bit integers, which do not overflow where
// 64-bit ones do: 10^7 and more, and ten times as many in the long form. The seeds are fixed, so
// that a difference is reproducible.

#include <warpsafe/core/detail/arithmetic.hpp>
#include <warpsafe/dims/safe_grid.hpp>

#include <gtest/gtest.h>

#include <cstdint>
#include <cstdlib>
#include <string>

namespace warpsafe {
namespace {

__extension__ using Wide = unsigned __int128;
using Amd = basic_hip_backend<amd_platform>;

constexpr Wide most_64 = ~std::uint64_t{0};

/// splitmix64 (Steele, Lea, Flood: "Fast splittable pseudorandom number generators").
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}
  std::uint64_t bits() noexcept {
    state_ += 0x9e3779b97f4a7c15U;
    std::uint64_t mixed = state_;
    mixed = (mixed ^ (mixed >> 30)) * 0xbf58476d1ce4e5b9U;
    mixed = (mixed ^ (mixed >> 27)) * 0x94d049bb133111ebU;
    return mixed ^ (mixed >> 31);
  }
  /// Numbers of every size, those around powers of two, and those around the limits of grids.
  std::uint64_t number(std::uint64_t per_block) noexcept {
    const std::uint64_t choice = bits();
    const std::uint64_t near = (choice >> 8 & 7U) - 3;  // -3 to 4
    switch (choice & 3U) {
      case 0:
        return bits();
      case 1:
        return bits() >> (choice >> 16 & 63U);
      case 2:
        return (std::uint64_t{1} << (choice >> 16 & 63U)) + near;
      default: {
        constexpr std::uint64_t limits[4] = {2147483647, 65535, 4294967295, 4294967296};
        const std::uint64_t limit = limits[choice >> 16 & 3U];
        return limit * ((choice & 0x100000U) != 0 ? per_block : 1U) + near;
      }
    }
  }
  std::uint32_t upto(std::uint32_t most) noexcept {
    return static_cast<std::uint32_t>((bits() >> 32) * most >> 32) + 1;
  }

 private:
  std::uint64_t state_;
};

std::string digits(std::uint64_t number) { return std::to_string(number); }

/// A tenth of the cases, or in the long form all.
int some_of(int cases) { return std::getenv("WS_TEST_CASES") == nullptr ? cases / 10 : cases; }
const int arithmetic_cases = some_of(40'000'000);

TEST(RandomArithmetic, BlocksForIsTheCeiling) {
  Random random(1);
  for (int i = 0; i < arithmetic_cases; ++i) {
    const std::uint64_t n = random.number(256);
    const std::uint64_t divisor = random.number(1);
    const std::uint64_t per_block = divisor != 0 ? divisor : 1;
    const Wide expected = (Wide{n} + per_block - 1) / per_block;
    if (detail::blocks_for(n, per_block) != expected) {
      FAIL() << "case " << i << ": " << n << " in blocks of " << per_block;
    }
  }
}

TEST(RandomArithmetic, MultiplySaysWhetherTheProductFits) {
  Random random(2);
  for (int i = 0; i < arithmetic_cases; ++i) {
    const std::uint64_t a = random.number(256);
    const std::uint64_t b = random.number(1);
    const Wide expected = Wide{a} * b;
    std::uint64_t product = 0;
    const bool fits = detail::multiply(a, b, product);
    if (fits != (expected <= most_64) || (fits && product != expected)) {
      FAIL() << "case " << i << ": " << a << " * " << b;
    }
  }
}

/// The blocks of one axis by 128-bit arithmetic, or 0 if the axis cannot be covered.
template <class Rules>
Wide expected_blocks(Wide n, Wide threads, int axis) {
  const DeviceLimits& floor = floor_of<Rules>;
  const Wide blocks = (n + threads - 1) / threads;
  const bool fits =
      blocks <= floor.max_grid[axis] &&
      (floor.max_threads_per_axis == 0 || blocks * threads <= floor.max_threads_per_axis);
  return fits ? blocks : 0;
}

/// Compares both levels with `expected`; an empty text if they agree.
template <class Size>
std::string difference(const Size& size, const BlockDim& threads, const Wide (&expected)[3],
                       bool possible, auto cover_checked, auto cover_unchecked) {
  const auto checked = cover_checked(size, threads);
  const auto unchecked = cover_unchecked(size, threads);
  bool same = checked.has_value() == possible && unchecked.has_value();
  bool any_zero = false;
  for (int axis = 0; axis < 3 && same; ++axis) {
    const std::uint32_t blocks = unchecked.assume_value().blocks(axis);
    any_zero = any_zero || blocks == 0;
    if (possible) {
      same = checked.assume_value().blocks(axis) == expected[axis] && blocks == expected[axis];
    }
  }
  same = same && any_zero == !possible;
  return same ? "" : "a block of " + digits(threads.x()) + " x " + digits(threads.y());
}

template <class Rules>
struct Covers {
  static constexpr auto checked = [](const auto& size, const BlockDim& threads) {
    return SafeGrid<Rules>::template cover<CheckLevel::full>(size, threads);
  };
  static constexpr auto off = [](const auto& size, const BlockDim& threads) {
    return SafeGrid<Rules>::template cover<CheckLevel::off>(size, threads);
  };
};

struct Dims {
  std::uint32_t x, y, z;
};

const int cover_cases = some_of(15'000'000);

template <class Rules>
void cover_lines(std::uint64_t seed) {
  Random random(seed);
  for (int i = 0; i < cover_cases; ++i) {
    const Dims dims{random.upto(1024), 1, 1};
    const std::uint64_t n = random.number(dims.x);
    const Wide blocks[3] = {expected_blocks<Rules>(n, dims.x, 0), 1, 1};
    const std::string wrong = difference(n, BlockDim::from_vendor(dims), blocks, blocks[0] != 0,
                                         Covers<Rules>::checked, Covers<Rules>::off);
    if (!wrong.empty()) FAIL() << "case " << i << ": " << n << " with " << wrong;
  }
}

template <class Rules>
void cover_planes(std::uint64_t seed) {
  Random random(seed);
  for (int i = 0; i < cover_cases; ++i) {
    const std::uint32_t width = random.upto(1024);
    const Dims dims{width, random.upto(1024 / width), 1};
    const std::uint64_t columns = random.number(dims.x);
    const std::uint64_t lines = random.number(dims.y);
    const Wide blocks[3] = {expected_blocks<Rules>(columns, dims.x, 0),
                            expected_blocks<Rules>(lines, dims.y, 1), 1};
    const bool possible = blocks[0] != 0 && blocks[1] != 0 && Wide{columns} * lines <= most_64;
    const std::string wrong =
        difference(extent{rows{lines}, cols{columns}}, BlockDim::from_vendor(dims), blocks,
                   possible, Covers<Rules>::checked, Covers<Rules>::off);
    if (!wrong.empty())
      FAIL() << "case " << i << ": " << columns << " x " << lines << " with " << wrong;
  }
}

/// Sizes that often fit along each of the three axes, so that only the product decides.
template <class Rules>
void cover_volumes(std::uint64_t seed) {
  Random random(seed);
  for (int i = 0; i < cover_cases; ++i) {
    const Dims dims{random.upto(1024), 1, 1};
    const std::uint64_t sizes[3] = {random.number(dims.x), random.upto(66000), random.upto(66000)};
    const Wide blocks[3] = {expected_blocks<Rules>(sizes[0], dims.x, 0),
                            expected_blocks<Rules>(sizes[1], 1, 1),
                            expected_blocks<Rules>(sizes[2], 1, 2)};
    // 64, 17 and 17 bits: the product fits in 128.
    const bool possible = blocks[0] != 0 && blocks[1] != 0 && blocks[2] != 0 &&
                          Wide{sizes[0]} * sizes[1] * sizes[2] <= most_64;
    const std::string wrong =
        difference(extent{x{sizes[0]}, y{sizes[1]}, z{sizes[2]}}, BlockDim::from_vendor(dims),
                   blocks, possible, Covers<Rules>::checked, Covers<Rules>::off);
    if (!wrong.empty()) {
      FAIL() << "case " << i << ": " << sizes[0] << " x " << sizes[1] << " x " << sizes[2]
             << " with " << wrong;
    }
  }
}

TEST(RandomCover, LinesForCuda) { cover_lines<cuda_backend>(3); }
TEST(RandomCover, LinesForAmd) { cover_lines<Amd>(4); }
TEST(RandomCover, PlanesForCuda) { cover_planes<cuda_backend>(5); }
TEST(RandomCover, PlanesForAmd) { cover_planes<Amd>(6); }
TEST(RandomCover, VolumesForCuda) { cover_volumes<cuda_backend>(7); }
TEST(RandomCover, VolumesForAmd) { cover_volumes<Amd>(8); }

/// One axis of every other kind: signed sizes, static blocks, several items per thread, exact
/// covers and capped ones.
template <class Rules, auto Items, class Block>
void cover_ways(std::uint64_t seed, Block block) {
  using Grid = SafeGrid<Rules>;
  constexpr CheckLevel full = CheckLevel::full;
  constexpr CheckLevel off = CheckLevel::off;
  constexpr std::uint64_t per_block = std::uint64_t{Block{}.x()} * Items;
  const DeviceLimits& floor = floor_of<Rules>;
  const auto same = [](const auto& checked, const auto& unchecked, Wide expected) {
    return checked.has_value() == (expected != 0) && unchecked.has_value() &&
           unchecked.assume_value().blocks(0) == expected &&
           (expected == 0 || checked.assume_value().blocks(0) == expected);
  };
  const auto blocks_of = [&](Wide n) {
    const Wide blocks = (n + per_block - 1) / per_block;
    const bool fits =
        blocks <= floor.max_grid[0] &&
        (floor.max_threads_per_axis == 0 || blocks * Block{}.x() <= floor.max_threads_per_axis);
    return fits ? blocks : Wide{0};
  };
  Random random(seed);
  for (int i = 0; i < cover_cases / 10; ++i) {
    const std::uint64_t n = random.number(per_block);
    const std::uint64_t near =
        (n + random.upto(3) - 2) / per_block * per_block;  // often a multiple
    const auto number = static_cast<std::int64_t>(n);
    constexpr auto option = items_per_thread<Items>;
    ASSERT_TRUE(same(Grid::template cover<full>(n, block, option),
                     Grid::template cover<off>(n, block, option), blocks_of(n)))
        << "case " << i << ": " << n;
    ASSERT_TRUE(same(Grid::template cover<full>(number, block, option),
                     Grid::template cover<off>(number, block, option),
                     number > 0 ? blocks_of(n) : 0))
        << "case " << i << ": " << number;
    for (const std::uint64_t size : {n, near}) {
      ASSERT_TRUE(same(Grid::template cover_exact<full>(size, block, option),
                       Grid::template cover_exact<off>(size, block, option),
                       size % per_block == 0 ? blocks_of(size) : 0))
          << "case " << i << ": exactly " << size;
    }
    const std::uint64_t cap = random.number(1);
    Wide most = floor.max_grid[0];
    for (const Wide other : {Wide{cap}, Wide{0xffffffffU} / Block{}.x()}) {
      most = other < most ? other : most;
    }
    const Wide needed = (Wide{n} + per_block - 1) / per_block;
    const bool wrapped = n >> 63U != 0;  // a subtraction went below 0
    const Wide expected = wrapped ? Wide{0} : needed < most ? needed : most;
    ASSERT_TRUE(same(Grid::template grid_stride<full>(n, block, max_blocks(cap), option),
                     Grid::template grid_stride<off>(n, block, max_blocks(cap), option), expected))
        << "case " << i << ": " << n << " by at most " << cap;
    ASSERT_TRUE(same(Grid::template grid_stride<full>(number, block, max_blocks(cap), option),
                     Grid::template grid_stride<off>(number, block, max_blocks(cap), option),
                     number > 0 ? expected : 0))
        << "case " << i << ": " << number << " by at most " << cap;
  }
}

TEST(RandomCover, EveryWayAgreesWithAndWithoutChecks) {
  cover_ways<cuda_backend, 1>(9, block<256>);
  cover_ways<cuda_backend, 3>(10, block<96>);
  cover_ways<Amd, 1>(11, block<1024>);
  cover_ways<Amd, 1U << 30U>(12, block<1024>);
}

}  // namespace
}  // namespace warpsafe
