// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

#include "core_test.hpp"
#include <warpsafe/dims/launch_options.hpp>
#include <warpsafe/dims/make_dims.hpp>
#include <warpsafe/dims/safe_grid.hpp>
#include <warpsafe/kernel/kernel.hpp>
#include <warpsafe/kernel_api.hpp>
#include <warpsafe/launch/launch_config.hpp>

#include <gmock/gmock.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <sstream>
#include <vector>

namespace warpsafe::core_test {
namespace {

using Amd = basic_hip_backend<amd_platform>;
using Blocks = std::array<std::uint32_t, 3>;

constexpr NoOption no_option{};
constexpr std::uint64_t most_64 = std::numeric_limits<std::uint64_t>::max();

template <class Grid>
Blocks blocks_of(const Grid& grid) {
  return {grid.blocks(0), grid.blocks(1), grid.blocks(2)};
}
/// The blocks of a result that must hold a grid.
template <class Grid>
Blocks blocks_in(const result<Grid>& grid) {
  if (!grid.has_value()) {
    ADD_FAILURE() << message(grid.error());
    return {};
  }
  return blocks_of(grid.value());
}
WARPSAFE_KERNEL void scale(float*, std::size_t) {}

// Sizes that can be covered.

// 2^39 times 2^25 is 2^64, which is 0 in 64 bits, and each axis by itself is within its limit.
TEST(Cover, AProductOfTwoAxesThatWrapsIsRefusedWhateverTheThird) {
  constexpr std::uint64_t wide = std::uint64_t{1} << 39U, high = std::uint64_t{1} << 25U;
  const auto check = [](const auto& grid) {
    ASSERT_FALSE(grid.has_value());
    EXPECT_EQ(error_in(grid).code, Errc::size_overflow);
  };
  check(SafeGrid<>::cover(extent{x{wide}, y{high}}, block<1, 1024>, items_per_thread<512>));
  check(SafeGrid<>::cover(extent{x{wide}, y{high}, z{3}}, block<1, 1024>, items_per_thread<512>));
  check(SafeGrid<>::cover(extent{x{wide}, y{high}, z{3}}, BlockDim::create(1, 1024, 1).value(),
                          items_per_thread<512>));
}

TEST(Cover, RoundsUpToWholeBlocks) {
  EXPECT_EQ(blocks_in(SafeGrid<>::cover(1, block<256>)), (Blocks{1, 1, 1}));
  EXPECT_EQ(blocks_in(SafeGrid<>::cover(255, block<256>)), (Blocks{1, 1, 1}));
  EXPECT_EQ(blocks_in(SafeGrid<>::cover(256, block<256>)), (Blocks{1, 1, 1}));
  EXPECT_EQ(blocks_in(SafeGrid<>::cover(257, block<256>)), (Blocks{2, 1, 1}));
}

TEST(Cover, TakesEveryWholeNumberTypeACountOrWhatHasASize) {
  EXPECT_EQ(blocks_in(SafeGrid<>::cover(std::int8_t{100}, block<64>)), (Blocks{2, 1, 1}));
  EXPECT_EQ(blocks_in(SafeGrid<>::cover(std::uint16_t{65535}, block<64>)), (Blocks{1024, 1, 1}));
  EXPECT_EQ(blocks_in(SafeGrid<>::cover(std::size_t{100}, block<64>)), (Blocks{2, 1, 1}));
  EXPECT_EQ(blocks_in(SafeGrid<>::cover(count<1000>, block<256>)), (Blocks{4, 1, 1}));
  EXPECT_EQ(blocks_in(SafeGrid<>::cover(std::vector<float>(1000), block<256>)), (Blocks{4, 1, 1}));
}

TEST(Cover, IntMaxDoesNotOverflow) {
  EXPECT_EQ(blocks_in(SafeGrid<>::cover(std::numeric_limits<int>::max(), block<256>)),
            (Blocks{8388608, 1, 1}));
  EXPECT_EQ(blocks_in(SafeGrid<>::cover(2147483600, block<256>)), (Blocks{8388608, 1, 1}));
}

TEST(Cover, ColumnsGoToXAndRowsToY) {
  const auto grid = SafeGrid<>::cover(extent{rows{100}, cols{1000}}, block<32, 8>);
  EXPECT_EQ(blocks_in(grid), (Blocks{32, 13, 1}));
  EXPECT_EQ(grid.value().size(0), 1000U);
  EXPECT_EQ(grid.value().size(1), 100U);
  EXPECT_EQ(grid.value().size(2), 1U);
  EXPECT_EQ(blocks_in(SafeGrid<>::cover(extent{x{9}, y{9}, z{9}}, block<2, 4, 8>)),
            (Blocks{5, 3, 2}));
}

TEST(Cover, ABlockKnownAtRunTimeWorksTheSame) {
  const BlockDim threads = BlockDim::create(16, 16).value();
  const auto grid = SafeGrid<>::cover(extent{rows{33}, cols{17}}, threads);
  EXPECT_EQ(blocks_in(grid), (Blocks{2, 3, 1}));
  EXPECT_EQ(grid.value().block(), threads);
}

TEST(Cover, ItemsPerThreadCountAlongX) {
  EXPECT_EQ(blocks_in(SafeGrid<>::cover(1025, block<256>, items_per_thread<4>)), (Blocks{2, 1, 1}));
  EXPECT_EQ(blocks_in(SafeGrid<>::cover(extent{rows{16}, cols{1024}}, block<16, 16>, kernel<scale>,
                                        items_per_thread<4>)),
            (Blocks{16, 1, 1}));
}

TEST(Cover, ACountWithItemsPerThread) {
  EXPECT_EQ(blocks_in(SafeGrid<>::cover(count<1000>, block<256>, items_per_thread<3>)),
            (Blocks{2, 1, 1}));
}

TEST(Cover, TheLargestGridIsAccepted) {
  EXPECT_EQ(blocks_in(SafeGrid<>::cover(std::uint64_t{2147483647} * 256, block<256>)),
            (Blocks{2147483647, 1, 1}));
  EXPECT_EQ(blocks_in(SafeGrid<>::cover(extent{rows{65535 * 8}, cols{1}}, block<32, 8>)),
            (Blocks{1, 65535, 1}));
  EXPECT_EQ(blocks_in(SafeGrid<>::cover(extent{x{1}, y{1}, z{65535 * 4}}, block<8, 8, 4>)),
            (Blocks{1, 1, 65535}));
}

TEST(Cover, PrintsWhatItCovers) {
  std::ostringstream out;
  out << SafeGrid<>::cover(extent{rows{100}, cols{1000}}, block<32, 8>).value();
  EXPECT_EQ(out.str(), "grid=(32,13,1) covers (1000,100,1) with blocks of (32,8,1)");
  out.str("");
  out << SafeGrid<>::cover(extent{x{9}, y{10}, z{11}}, block<2, 4, 8>).value();
  EXPECT_EQ(out.str(), "grid=(5,3,2) covers (9,10,11) with blocks of (2,4,8)");
}

// Refused sizes: fields and text.

TEST(CoverRefuses, ZeroWithTheFunctionForSizesThatMayBe) {
  const auto grid = SafeGrid<>::cover(0, block<256>, no_option, no_option, app);
  const LaunchError error = error_in(grid);
  EXPECT_EQ(finding(error), (Finding{Errc::size_zero, Stage::construction, 0, 1, Axis::none}));
  EXPECT_EQ(
      message(error),
      "Launch configuration refused: the size to cover is 0; cover_or_empty is for sizes that "
      "may be zero\n  at app.cpp:7");
  EXPECT_EQ(error_in(SafeGrid<>::cover(extent{rows{0}, cols{5}}, block<16, 16>)).code,
            Errc::size_zero);
}

TEST(CoverRefuses, NegativeSizesByTheirValue) {
  const auto grid = SafeGrid<>::cover(-1, block<256>, no_option, no_option, app);
  EXPECT_EQ(finding(error_in(grid)),
            (Finding{Errc::size_negative, Stage::construction, 1, 0, Axis::none}));
  EXPECT_EQ(said(grid),
            "Launch configuration refused: the size is -1; a size must be at least 0\n"
            "  at app.cpp:7");
  const auto matrix =
      SafeGrid<>::cover(extent{rows{std::numeric_limits<std::int64_t>::min()}, cols{5}},
                        block<16, 16>, no_option, no_option, app);
  EXPECT_EQ(finding(error_in(matrix)), (Finding{Errc::size_negative, Stage::construction,
                                                std::uint64_t{1} << 63, 0, Axis::y}));
  EXPECT_EQ(
      said(matrix),
      "Launch configuration refused: the size is -9223372036854775808 in y; a size must be at "
      "least 0\n  at app.cpp:7");
  EXPECT_EQ(error_in(SafeGrid<>::cover(extent{cols{0}, rows{-5}}, block<16, 16>)).code,
            Errc::size_negative)
      << "a zero beside it does not hide it";
  EXPECT_EQ(error_in(SafeGrid<>::cover_or_empty(extent{cols{0}, rows{-5}}, block<16, 16>)).code,
            Errc::size_negative);
}

TEST(CoverRefuses, ExtentsWhoseProductDoesNotFit) {
  const auto grid =
      SafeGrid<>::cover(extent{rows{std::uint64_t{1} << 26}, cols{std::uint64_t{1} << 38}},
                        block<1024>, no_option, no_option, app);
  const LaunchError error = error_in(grid);
  EXPECT_EQ(finding(error), (Finding{Errc::size_overflow, Stage::construction,
                                     std::uint64_t{1} << 38, std::uint64_t{1} << 26, Axis::none}));
  EXPECT_EQ(error.third_extent(), 1U);
  EXPECT_EQ(message(error),
            "Launch configuration refused: the extent 274877906944 x 67108864 x 1 has more than "
            "18446744073709551615 elements; cover it in parts\n  at app.cpp:7");
  const LaunchError volume =
      error_in(SafeGrid<>::cover(extent{x{1U << 31}, y{1U << 31}, z{4}}, block<1024>));
  EXPECT_EQ(volume.code, Errc::size_overflow);
  EXPECT_EQ(volume.third_extent(), 4U);
}

TEST(CoverRefuses, AGridThatIsTooLargeOnEachAxis) {
  const auto too_long =
      SafeGrid<>::cover(std::uint64_t{2147483647} * 256 + 1, block<256>, no_option, no_option, app);
  EXPECT_EQ(finding(error_in(too_long)),
            (Finding{Errc::grid_too_large, Stage::construction, 2147483648, 2147483647, Axis::x}));
  EXPECT_EQ(said(too_long),
            "Launch configuration refused: grid.x 2147483648 invalid (limit: 1..2147483647); give "
            "each thread more items (items_per_thread<N>), or use grid_stride\n  at app.cpp:7");
  const auto too_high = SafeGrid<>::cover(extent{rows{65535 * 8 + 1}, cols{1}}, block<32, 8>,
                                          kernel<scale>, no_option, app);
  EXPECT_EQ(finding(error_in(too_high)),
            (Finding{Errc::grid_too_large, Stage::construction, 65536, 65535, Axis::y}));
  const auto too_deep = SafeGrid<>::cover(extent{x{1}, y{1}, z{70000}}, block<32>);
  EXPECT_EQ(finding(error_in(too_deep)),
            (Finding{Errc::grid_too_large, Stage::construction, 70000, 65535, Axis::z}));
  EXPECT_EQ(error_in(SafeGrid<>::cover(most_64, block<1>)).value, most_64);
}

WARPSAFE_KERNEL void batch(int) {}

TEST(CoverRefuses, TheLargestNumberAsTooManyBlocksAndNoOverflow) {
  EXPECT_EQ(finding(error_in(SafeGrid<>::cover(most_64, block<256>))),
            (Finding{Errc::grid_too_large, Stage::construction, std::uint64_t{1} << 56, 2147483647,
                     Axis::x}));
}

TEST(CoverRefuses, WithTheKernelsNameWhereOneIsGiven) {
  const auto grid =
      SafeGrid<>::cover(extent{rows{70000}, cols{1}}, block<256>, kernel<batch>, no_option, app);
  const LaunchError error = error_in(grid);
  EXPECT_THAT(text(error.kernel), ::testing::EndsWith("batch"));
  EXPECT_EQ(message(error), "Kernel '" + text(error.kernel) +
                                "' not launched: grid.y 70000 invalid (limit: 1..65535); put the "
                                "long axis in x (limit 2147483647)\n  at app.cpp:7");
  EXPECT_EQ(
      text(error_in(SafeGrid<>::cover(0, block<256>, items_per_thread<2>, kernel<batch>)).kernel),
      text(error.kernel));
}

TEST(CoverRefuses, ABlockOfNoThreads) {
  const BlockDim none = BlockDim::from_vendor(VendorDims{0, 1, 1});
  const auto grid = SafeGrid<>::cover(100, none, no_option, no_option, app);
  EXPECT_EQ(finding(error_in(grid)),
            (Finding{Errc::block_zero, Stage::construction, 0, 1024, Axis::x}));
  EXPECT_EQ(said(grid),
            "Launch configuration refused: block.x 0 invalid (limit: 1..1024)\n  at app.cpp:7");
}

TEST(CoverRefuses, ABlockOfNoThreadsAlongAnyAxis) {
  const auto plane = [](VendorDims dims) {
    return finding(
        error_in(SafeGrid<>::cover(extent{rows{8}, cols{8}}, BlockDim::from_vendor(dims))));
  };
  EXPECT_EQ(plane({0, 8, 1}), (Finding{Errc::block_zero, Stage::construction, 0, 1024, Axis::x}));
  EXPECT_EQ(plane({8, 0, 1}), (Finding{Errc::block_zero, Stage::construction, 0, 1024, Axis::y}));
  const auto cube = error_in(
      SafeGrid<>::cover(extent{x{8}, y{8}, z{8}}, BlockDim::from_vendor(VendorDims{8, 8, 0})));
  EXPECT_EQ(finding(cube), (Finding{Errc::block_zero, Stage::construction, 0, 1024, Axis::z}));
}

// Blocks of three threads: a size that the largest grid covers, and the next one.
TEST(CoverRefuses, OneItemMoreThanTheLargestGridCoversAlongEachAxis) {
  constexpr std::uint64_t most_x = 2147483647;
  constexpr std::uint64_t largest = 65535;
  EXPECT_EQ(blocks_in(SafeGrid<>::cover(most_x * 3, block<3>)), (Blocks{2147483647, 1, 1}));
  EXPECT_EQ(finding(error_in(SafeGrid<>::cover(most_x * 3 + 1, block<3>))),
            (Finding{Errc::grid_too_large, Stage::construction, most_x + 1, most_x, Axis::x}));
  EXPECT_EQ(blocks_in(SafeGrid<>::cover(extent{rows{largest * 3}, cols{1}}, block<1, 3>)),
            (Blocks{1, 65535, 1}));
  EXPECT_EQ(
      finding(error_in(SafeGrid<>::cover(extent{rows{largest * 3 + 1}, cols{1}}, block<1, 3>))),
      (Finding{Errc::grid_too_large, Stage::construction, largest + 1, largest, Axis::y}));
  EXPECT_EQ(blocks_in(SafeGrid<>::cover(extent{x{1}, y{1}, z{largest * 3}}, block<1, 1, 3>)),
            (Blocks{1, 1, 65535}));
  EXPECT_EQ(
      finding(error_in(SafeGrid<>::cover(extent{x{1}, y{1}, z{largest * 3 + 1}}, block<1, 1, 3>))),
      (Finding{Errc::grid_too_large, Stage::construction, largest + 1, largest, Axis::z}));
}

TEST(CoverRefuses, ABlockWithMoreAxesThanTheSize) {
  const BlockDim square = BlockDim::create(16, 16).value();
  EXPECT_EQ(finding(error_in(SafeGrid<>::cover(100, square))),
            (Finding{Errc::block_axis_too_large, Stage::construction, 16, 1, Axis::y}));
}

TEST(CoverRefuses, FromItsCallersLine) {
  const LaunchError covered = error_in(SafeGrid<>::cover(0, block<256>));
  EXPECT_EQ(covered.site.line, __LINE__ - 1U);
  const LaunchError exact = error_in(SafeGrid<>::cover_exact(1, block<2>));
  EXPECT_EQ(exact.site.line, __LINE__ - 1U);
  const LaunchError or_empty = error_in(SafeGrid<>::cover_or_empty(-1, block<2>));
  EXPECT_EQ(or_empty.site.line, __LINE__ - 1U);
  const LaunchError untrusted = error_in(SafeGrid<>::cover_untrusted(0, block<2>));
  EXPECT_EQ(untrusted.site.line, __LINE__ - 1U);
  const LaunchError strided = error_in(SafeGrid<>::grid_stride(-1, block<2>, max_blocks(1)));
  EXPECT_EQ(strided.site.line, __LINE__ - 1U);
  EXPECT_THAT(strided.site.file, ::testing::EndsWith("safe_grid_test.cpp"));
}

// AMD's rule: fewer than 2^32 threads along each axis, not in total.

TEST(CoverForAmd, RefusesAnAxisOf2To32Threads) {
  const std::uint64_t just_fits = (std::uint64_t{1} << 32) - 1024;
  EXPECT_EQ(blocks_in(SafeGrid<Amd>::cover(just_fits, block<1024>)), (Blocks{4194303, 1, 1}));
  const auto grid = SafeGrid<Amd>::cover(just_fits + 1, block<1024>, no_option, no_option, app);
  EXPECT_EQ(finding(error_in(grid)), (Finding{Errc::axis_threads_too_many, Stage::construction,
                                              4294967296, 4294967295, Axis::x}));
  EXPECT_EQ(said(grid),
            "Launch configuration refused: grid.x times block.x is 4294967296 threads, limit "
            "4294967295 per axis on AMD; give each thread more items, or use grid_stride\n"
            "  at app.cpp:7");
  EXPECT_TRUE(SafeGrid<cuda_backend>::cover(just_fits + 1, block<1024>).has_value())
      << "legal on CUDA";
}

TEST(CoverForAmd, ABlockMoreThanTheGridMayHaveIsTheGridsError) {
  constexpr std::uint64_t most_blocks = limits::amd_floor.max_grid[0];
  EXPECT_EQ(finding(error_in(SafeGrid<Amd>::cover(most_blocks * 1024, block<1024>))),
            (Finding{Errc::axis_threads_too_many, Stage::construction, most_blocks * 1024,
                     4294967295, Axis::x}));
  EXPECT_EQ(
      finding(error_in(SafeGrid<Amd>::cover(most_blocks * 1024 + 1, block<1024>))),
      (Finding{Errc::grid_too_large, Stage::construction, most_blocks + 1, most_blocks, Axis::x}));
}

TEST(CoverForAmd, AcceptsMoreThan2To32ThreadsInAll) {
  EXPECT_EQ(blocks_in(SafeGrid<Amd>::cover(extent{rows{1 << 19}, cols{1 << 20}}, block<16, 16>)),
            (Blocks{65536, 32768, 1}))
      << "2^39 threads, 2^20 at most along an axis";
}

// The other covers.

TEST(CoverExact, AcceptsWholeBlocksOnly) {
  EXPECT_EQ(blocks_in(SafeGrid<>::cover_exact(512, block<256>)), (Blocks{2, 1, 1}));
  const auto grid = SafeGrid<>::cover_exact(1000, block<256>, no_option, no_option, app);
  EXPECT_EQ(finding(error_in(grid)),
            (Finding{Errc::size_not_multiple, Stage::construction, 1000, 256, Axis::none}));
  EXPECT_EQ(said(grid),
            "Launch configuration refused: size 1000 is not a multiple of the 256 items of one "
            "block: 232 left over; use cover and check the bound in the kernel\n  at app.cpp:7");
  const auto matrix =
      SafeGrid<>::cover_exact(extent{rows{33}, cols{32}}, block<16, 16>, no_option, no_option, app);
  EXPECT_EQ(finding(error_in(matrix)),
            (Finding{Errc::size_not_multiple, Stage::construction, 33, 16, Axis::y}));
  EXPECT_EQ(said(matrix),
            "Launch configuration refused: size 33 in y is not a multiple of the 16 items of one "
            "block: 1 left over; use cover and check the bound in the kernel\n  at app.cpp:7");
  EXPECT_EQ(error_in(SafeGrid<>::cover_exact(256, block<256>, items_per_thread<2>)).limit, 512U);
  EXPECT_EQ(finding(error_in(SafeGrid<>::cover_exact(extent{rows{32}, cols{33}}, block<16, 16>))),
            (Finding{Errc::size_not_multiple, Stage::construction, 33, 16, Axis::x}))
      << "the axis that does not fit, not the last";
  EXPECT_EQ(finding(error_in(SafeGrid<>::cover_exact(extent{x{8}, y{9}, z{8}}, block<2, 4, 8>))),
            (Finding{Errc::size_not_multiple, Stage::construction, 9, 4, Axis::y}));
}

TEST(CoverOrEmpty, AZeroSizeIsADistinctEmptyGrid) {
  const auto empty = SafeGrid<>::cover_or_empty(0, block<256>).value();
  EXPECT_TRUE(empty.empty());
  EXPECT_EQ(empty.blocks(0), 0U);
  EXPECT_FALSE(SafeGrid<>::cover_or_empty(1, block<256>).value().empty());
  EXPECT_TRUE(SafeGrid<>::cover_or_empty(extent{rows{5}, cols{0}}, block<16, 16>).value().empty());
  EXPECT_TRUE(SafeGrid<>::cover_or_empty<CheckLevel::off>(0, block<256>).value().empty());
  EXPECT_EQ(error_in(SafeGrid<>::cover_or_empty(std::uint64_t{1} << 50, block<1>)).code,
            Errc::grid_too_large);
}

TEST(CoverOrEmpty, TheEmptyGridHasNoBlocksAndKeepsTheSizes) {
  const auto grid = SafeGrid<>::cover_or_empty(extent{x{6}, y{0}, z{7}}, block<2, 2, 2>);
  EXPECT_EQ(blocks_in(grid), (Blocks{0, 0, 0}));
  EXPECT_TRUE(grid.value().empty());
  EXPECT_EQ(grid.value().size(0), 6U);
  EXPECT_EQ(grid.value().size(1), 0U);
  EXPECT_EQ(grid.value().size(2), 7U);
  EXPECT_FALSE(
      SafeGrid<>::cover_or_empty(extent{x{6}, y{1}, z{7}}, block<2, 2, 2>).value().empty());
  EXPECT_FALSE(SafeGrid<>::cover_or_empty(5, block<2>).value().empty());
  EXPECT_TRUE(SafeGrid<>::cover_or_empty(0, block<2>).value().empty());
}

TEST(GridStride, ANumberOfOnesOwnIsForNoLaunch) {
  const detail::LaunchOccupancy of = max_blocks(5).of;
  EXPECT_EQ(of.kernel, 0U);
  EXPECT_EQ(of.dynamic_shared, 0U);
  EXPECT_EQ(of.threads, 0U);
  EXPECT_EQ(of.device, -1);
}

TEST(GridStride, HasAtMostTheBlocksAskedFor) {
  EXPECT_EQ(blocks_in(SafeGrid<>::grid_stride(1000000, block<256>, max_blocks(100))),
            (Blocks{100, 1, 1}));
  EXPECT_EQ(blocks_in(SafeGrid<>::grid_stride(1000, block<256>, max_blocks(100))),
            (Blocks{4, 1, 1}))
      << "and no more than it needs";
}

TEST(GridStride, NeverHas2To32Threads) {
  constexpr std::uint64_t half = most_64 / 2;
  const auto grid = SafeGrid<cuda_backend>::grid_stride(half, block<1024>, max_blocks(most_64));
  EXPECT_EQ(blocks_in(grid), (Blocks{4194303, 1, 1}));
  EXPECT_EQ(blocks_in(SafeGrid<cuda_backend>::grid_stride(half, block<1>, max_blocks(most_64))),
            (Blocks{2147483647, 1, 1}));
  EXPECT_EQ(blocks_in(SafeGrid<Amd>::grid_stride(half, block<1024>, max_blocks(most_64))),
            (Blocks{4194303, 1, 1}));
}

TEST(GridStride, ASizeThatWrappedBelow0IsRefused) {
  const std::size_t few = 4;
  EXPECT_EQ(said(SafeGrid<>::grid_stride(few - 32, block<32>, max_blocks(4), no_option, app)),
            "Launch configuration refused: grid.x needs 576460752303423488 blocks, because its "
            "size is 2^64 - 28: a subtraction of unsigned numbers wrapped below 0; compare the "
            "numbers before you subtract\n  at app.cpp:7");
}

TEST(GridStride, AnOccupancyOfZeroIsRefused) {
  const auto grid = SafeGrid<>::grid_stride(1000, block<256>, max_blocks(0), no_option, app);
  EXPECT_EQ(finding(error_in(grid)),
            (Finding{Errc::grid_zero, Stage::construction, 0, 2147483647, Axis::x}));
  EXPECT_EQ(said(grid),
            "Launch configuration refused: grid.x 0 invalid (limit: 1..2147483647); a grid without "
            "blocks runs nothing, and the runtime refuses it\n  at app.cpp:7");
  EXPECT_EQ(error_in(SafeGrid<>::grid_stride(1000, block<256>, max_blocks(-1))).code,
            Errc::grid_zero);
}

// CheckLevel::off: sizes refused above give a dimension of 0, which every runtime refuses.

template <class Grid>
std::uint32_t smallest(const Grid& grid) {
  return std::min({grid.value().blocks(0), grid.value().blocks(1), grid.value().blocks(2)});
}

TEST(CoverUnchecked, GoodSizesGiveTheSameGrid) {
  constexpr CheckLevel off = CheckLevel::off;
  EXPECT_EQ(blocks_in(SafeGrid<>::cover<off>(1000, block<256>)), (Blocks{4, 1, 1}));
  EXPECT_EQ(blocks_in(SafeGrid<>::cover<off>(extent{rows{100}, cols{1000}}, block<32, 8>)),
            (Blocks{32, 13, 1}));
  EXPECT_EQ(blocks_in(SafeGrid<>::cover<off>(extent{x{9}, y{9}, z{9}}, block<2, 4, 8>)),
            (Blocks{5, 3, 2}));
  EXPECT_EQ(blocks_in(SafeGrid<>::cover<off>(1025, block<256>, items_per_thread<4>)),
            (Blocks{2, 1, 1}));
  EXPECT_EQ(blocks_in(SafeGrid<>::grid_stride<off>(1000000, block<256>, max_blocks(100))),
            (Blocks{100, 1, 1}));
}

TEST(CoverUnchecked, ImpossibleSizesGiveAZeroDimension) {
  constexpr CheckLevel off = CheckLevel::off;
  EXPECT_EQ(smallest(SafeGrid<>::cover<off>(0, block<256>)), 0U);
  EXPECT_EQ(smallest(SafeGrid<>::cover<off>(-1, block<256>)), 0U);
  EXPECT_EQ(smallest(SafeGrid<>::cover<off>((std::uint64_t{1} << 32) * 256 + 256, block<256>)), 0U)
      << "2^32+1 blocks";
  EXPECT_EQ(smallest(SafeGrid<>::cover<off>(most_64, block<1024>)), 0U);
  EXPECT_EQ(smallest(SafeGrid<>::cover<off>(extent{rows{70000}, cols{5}}, block<256>)), 0U);
  EXPECT_EQ(smallest(SafeGrid<>::cover<off>(extent{x{5}, y{5}, z{-5}}, block<256>)), 0U);
  EXPECT_EQ(smallest(SafeGrid<Amd>::cover<off>(std::uint64_t{1} << 32, block<1024>)), 0U);
  EXPECT_EQ(smallest(SafeGrid<>::cover_exact<off>(1000, block<256>)), 0U);
  EXPECT_EQ(smallest(SafeGrid<>::grid_stride<off>(1000, block<256>, max_blocks(0))), 0U);
  EXPECT_EQ(
      smallest(SafeGrid<>::cover<off>(
          extent{rows{std::uint64_t{1} << 26}, cols{std::uint64_t{1} << 38}}, block<1024, 1>)),
      0U);
}

TEST(CoverUnchecked, ExtentsWhoseProductDoesNotFitGiveAZeroDimension) {
  // Every axis alone is within its limit.
  const extent volume{x{std::uint64_t{1} << 40}, y{65535}, z{65535}};
  EXPECT_EQ(error_in(SafeGrid<>::cover(volume, block<1024>)).code, Errc::size_overflow);
  EXPECT_EQ(smallest(SafeGrid<>::cover<CheckLevel::off>(volume, block<1024>)), 0U);
}

TEST(Cover, SaysThatASubtractionWrapped) {
  constexpr std::size_t halo = 64;
  std::size_t n = 100;
  EXPECT_THAT(
      message(error_in(SafeGrid<>::cover(n - 2 * halo, block<256>))),
      testing::HasSubstr("grid.x needs 72057594037927936 blocks, because its size is 2^64 - "
                         "28: a subtraction of unsigned numbers wrapped below 0"));
  EXPECT_THAT(
      message(error_in(SafeGrid<>::cover(extent{rows{n - 101}, cols{1U}}, block<16, 16>))),
      testing::HasSubstr("grid.y needs 1152921504606846976 blocks, because its size is 2^64 - 1:"));
  EXPECT_THAT(message(error_in(GridDim::from_blocks(n - 101))),
              testing::HasSubstr("because its size is 2^64 - 1:"));
  // A large size that is right.
  EXPECT_THAT(message(error_in(SafeGrid<>::cover(std::uint64_t{1} << 50U, block<256>))),
              testing::HasSubstr("give each thread more items"));
}

// A block for each item: the kernel of a softmax, whose block reduces a row.

TEST(CoverBlockPerItem, HasAsManyBlocksAsItems) {
  const auto grid = SafeGrid<>::cover(1000, block<256>, block_per_item);
  EXPECT_EQ(blocks_in(grid), (Blocks{1000, 1, 1}));
  EXPECT_EQ(grid.value().size(0), 1000U);
  EXPECT_EQ(grid.value().block().x(), 256U);
  EXPECT_EQ(grid.value().items, 0U);
  EXPECT_EQ(blocks_in(SafeGrid<>::cover(count<7>, block<256>, kernel<scale>, block_per_item)),
            (Blocks{7, 1, 1}));
  EXPECT_EQ(blocks_in(SafeGrid<>::cover_untrusted(7, block<256>, block_per_item)),
            (Blocks{7, 1, 1}));
  EXPECT_EQ(blocks_in(SafeGrid<>::cover<CheckLevel::off>(7, block<256>, block_per_item)),
            (Blocks{7, 1, 1}));
  EXPECT_EQ(blocks_in(SafeGrid<>::cover(2147483647, block<1024>, block_per_item)),
            (Blocks{2147483647, 1, 1}));
}

// No block has a tail, so every size is exact.
TEST(CoverBlockPerItem, LeavesNothingOver) {
  EXPECT_EQ(blocks_in(SafeGrid<>::cover_exact(1000, block<256>, block_per_item)),
            (Blocks{1000, 1, 1}));
  EXPECT_EQ(blocks_in(SafeGrid<>::cover_exact(count<1000>, block<256>, block_per_item)),
            (Blocks{1000, 1, 1}));
}

TEST(CoverBlockPerItem, TheItemsMayHaveSeveralAxesAndTheBlockOthers) {
  EXPECT_EQ(blocks_in(SafeGrid<>::cover(extent{x{12}, y{8}}, block<128>, block_per_item)),
            (Blocks{12, 8, 1}));
  EXPECT_EQ(blocks_in(SafeGrid<>::cover(extent{x{3}, y{4}, z{5}}, block<16, 16>, block_per_item)),
            (Blocks{3, 4, 5}));
  EXPECT_EQ(blocks_in(SafeGrid<>::cover(100, block<32, 8>, block_per_item)), (Blocks{100, 1, 1}));
  EXPECT_EQ(blocks_in(SafeGrid<>::cover(100, BlockDim::create(8, 4, 2).value(), block_per_item)),
            (Blocks{100, 1, 1}));
}

TEST(CoverBlockPerItem, MayBeEmptyOrCapped) {
  const auto none = SafeGrid<>::cover_or_empty(0, block<256>, block_per_item);
  EXPECT_TRUE(none.value().empty());
  EXPECT_EQ(blocks_in(SafeGrid<>::cover_or_empty(5, block<256>, block_per_item)),
            (Blocks{5, 1, 1}));
  EXPECT_EQ(blocks_in(SafeGrid<>::grid_stride(1000, block<256>, max_blocks(64), block_per_item)),
            (Blocks{64, 1, 1}));
  EXPECT_EQ(blocks_in(SafeGrid<>::grid_stride(50, block<256>, max_blocks(64), block_per_item)),
            (Blocks{50, 1, 1}));
}

TEST(CoverBlockPerItem, RefusesWhatCoverRefuses) {
  EXPECT_EQ(error_in(SafeGrid<>::cover(0, block<256>, block_per_item)).code, Errc::size_zero);
  EXPECT_EQ(finding(error_in(SafeGrid<>::cover(-3, block<256>, block_per_item))),
            (Finding{Errc::size_negative, Stage::construction, 3, 0, Axis::none}));
  EXPECT_EQ(error_in(SafeGrid<>::cover(extent{x{5}, y{-1}}, block<256>, block_per_item)).code,
            Errc::size_negative);
  const BlockDim none = BlockDim::from_vendor(VendorDims{0, 1, 1});
  EXPECT_EQ(error_in(SafeGrid<>::cover(5, none, block_per_item)).code, Errc::block_zero);
  const std::size_t n = 100;
  EXPECT_THAT(message(error_in(SafeGrid<>::cover(n - 128, block<256>, block_per_item))),
              testing::HasSubstr("its size is 2^64 - 28: a subtraction of unsigned numbers"));
  constexpr CheckLevel off = CheckLevel::off;
  for (const std::int64_t size : {std::int64_t{0}, std::int64_t{-1}, std::int64_t{1} << 31U}) {
    const auto unchecked = SafeGrid<>::cover<off>(size, block<256>, block_per_item);
    EXPECT_EQ(blocks_in(unchecked), (Blocks{0, 1, 1})) << size;
  }
}

TEST(CoverBlockPerItem, SaysWhatToDoAboutTooManyBlocks) {
  EXPECT_EQ(
      said(SafeGrid<>::cover(std::int64_t{1} << 31U, block<256>, block_per_item, no_option, app)),
      "Launch configuration refused: grid.x 2147483648 invalid (limit: 1..2147483647); each "
      "item has a block: let each block handle several items, or launch part by part\n"
      "  at app.cpp:7");
  EXPECT_EQ(
      finding(error_in(SafeGrid<>::cover(extent{x{2}, y{65536}}, block<256>, block_per_item))),
      (Finding{Errc::grid_too_large, Stage::construction, 65536, 65535, Axis::y}));
  EXPECT_EQ(said(SafeGrid<Amd>::cover(std::int64_t{1} << 24U, block<256>, block_per_item, no_option,
                                      app)),
            "Launch configuration refused: grid.x times block.x is 4294967296 threads, limit "
            "4294967295 per axis on AMD; take a smaller block, or launch part by part\n"
            "  at app.cpp:7");
  EXPECT_EQ(blocks_in(SafeGrid<Amd>::cover((1 << 24U) - 1, block<256>, block_per_item)),
            (Blocks{(1U << 24U) - 1, 1, 1}));
}

TEST(CoverBlockPerItem, PrintsThatEachItemHasABlock) {
  std::ostringstream out;
  out << SafeGrid<>::cover(1000, block<256>, block_per_item).value();
  EXPECT_EQ(out.str(), "grid=(1000,1,1) covers (1000,1,1) with a block of (256,1,1) for each");
}

TEST(CoverUntrusted, ChecksAtEveryLevel) {
  // No check level switches this off; tests of a release build are in off/.
  EXPECT_EQ(error_in(SafeGrid<>::cover_untrusted(-1, block<256>)).code, Errc::size_negative);
  EXPECT_EQ(error_in(SafeGrid<>::cover_untrusted(0, block<256>)).code, Errc::size_zero);
  EXPECT_EQ(blocks_in(SafeGrid<>::cover_untrusted(1000, block<256>)), (Blocks{4, 1, 1}));
}

}  // namespace
}  // namespace warpsafe::core_test
