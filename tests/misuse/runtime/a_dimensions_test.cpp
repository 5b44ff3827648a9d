// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// Group A, dimension arithmetic, where the numbers are known at run time.
#include "misuse.hpp"
#include <warpsafe/launch/validate.hpp>

#include <limits>
#include <vector>

namespace misuse_test {
namespace {

using ws::block;
using ws::cols;
using ws::configure;
using ws::extent;
using ws::kernel;
using ws::launch;
using ws::rows;
using ws::SafeGrid;

using MisuseA01 = Misuse;
using MisuseA02 = Misuse;
using MisuseA03 = Misuse;
using MisuseA04 = Misuse;
using MisuseA05 = Misuse;
using MisuseA06 = Misuse;
using MisuseA07 = Misuse;
using MisuseA10 = Misuse;
using MisuseA11 = Misuse;
using MisuseA12 = Misuse;
using MisuseA14 = Misuse;
using MisuseA16 = Misuse;
using MisuseA17 = Misuse;
using MisuseA18 = Misuse;
using MisuseA19 = Misuse;
using MisuseA21 = Misuse;

TEST_F(MisuseA01, CountNearIntMaxIsCoveredExactly) {
  constexpr int n = std::numeric_limits<int>::max();
  const auto grid = SafeGrid<>::cover(n, block<256>);
  ASSERT_TRUE(grid.has_value());
  EXPECT_EQ(grid.value().blocks(0), 8388608U);
  EXPECT_EQ(grid.value().size(0), 2147483647U);
  const auto more = SafeGrid<>::cover(std::numeric_limits<unsigned>::max() - 255, block<256>);
  EXPECT_EQ(more.value().blocks(0), 16777215U);
  note_impossible("cover(2147483647, block<256>) is 8388608 blocks: nothing is added to n");
}

TEST_F(MisuseA01, EveryTailIsCoveredOnce) {
  for (const std::uint64_t n : {1U, 255U, 256U, 257U, 1000U}) {
    const auto config = configure(SafeGrid<>::cover(n, block<256>));
    expect_each_item_once(config, kernel<mark>, n, n, n > 768 ? 4 : n > 256 ? 2 : 1);
  }
}

TEST_F(MisuseA02, CountNarrowedToANegativeOneIsSaid) {
  const auto narrowed = static_cast<int>(3000000000LL);
  const auto config = configure(SafeGrid<>::cover(narrowed, block<256>, kernel<nothing>));
  expect_caught(launch(stream, config, kernel<nothing>), made(Errc::size_negative, 1294967296, 0),
                {"the size is -1294967296"});
  const auto whole = SafeGrid<>::cover(3000000000LL, block<256>);
  EXPECT_EQ(whole.value().blocks(0), 11718750U) << "and there is no reason to narrow";
}

TEST_F(MisuseA03, WideCountIsNotTruncated) {
  const std::int64_t n = (std::int64_t{1} << 40) + 1;
  expect_caught(launch(stream, configure(SafeGrid<>::cover(n, block<1>)), kernel<nothing>),
                made(Errc::grid_too_large, 1099511627777, 2147483647, Axis::x),
                {"grid.x 1099511627777 invalid (limit: 1..2147483647)"});
}

TEST_F(MisuseA03, WideDimensionsAreNotTruncated) {
  const std::int64_t wide = (std::int64_t{1} << 32) + 1;
  expect_caught(
      launch(stream, configure(ws::GridDim::from_blocks(wide), block<1>), kernel<nothing>),
      made(Errc::grid_too_large, 4294967297, 2147483647, Axis::x), {"grid.x 4294967297 invalid"},
      Off::same);
  expect_caught(launch(stream, configure(ws::grid<1>, ws::BlockDim::create(wide)), kernel<nothing>),
                made(Errc::block_axis_too_large, 4294967297, 1024, Axis::x),
                {"block.x 4294967297 invalid"}, Off::same);
}

TEST_F(MisuseA04, SizeOfZeroIsAnErrorOrAnEmptyGrid) {
  const std::vector<float> no_data;
  expect_caught(launch(stream, configure(SafeGrid<>::cover(no_data, block<256>)), kernel<nothing>),
                made(Errc::size_zero, 0, 1),
                {"the size to cover is 0; cover_or_empty is for sizes that may be zero"});
  const auto before = launches_asked();
  const auto empty = configure(SafeGrid<>::cover_or_empty(no_data, block<256>));
  expect_fine(launch(stream, empty, kernel<nothing>));
  EXPECT_EQ(launches_asked(), before) << "an empty grid is no launch";
}

TEST_F(MisuseA05, NegativeDimensionIsSaid) {
  expect_caught(launch(stream, configure(ws::GridDim::from_blocks(-1), block<32>), kernel<nothing>),
                made(Errc::dimension_negative, 1, 2147483647, Axis::x),
                {"grid.x is -1; a dimension must be at least 1"}, Off::same);
  expect_caught(
      launch(stream, configure(ws::grid<1>, ws::BlockDim::create(16, -2)), kernel<nothing>),
      made(Errc::dimension_negative, 2, 1024, Axis::y), {"block.y is -2"}, Off::same);
}

TEST_F(MisuseA05, NegativeSizeIsSaid) {
  const int n = -1;
  expect_caught(launch(stream, configure(SafeGrid<>::cover(n, block<256>)), kernel<nothing>),
                made(Errc::size_negative, 1, 0), {"the size is -1"});
}

TEST_F(MisuseA06, OccupancyOfZeroIsSaid) {
  const unsigned occupancy = 0;
  expect_caught(
      launch(stream, configure(ws::grid<1>, ws::BlockDim::create(occupancy)), kernel<nothing>),
      made(Errc::block_zero, 0, 1024, Axis::x), {"block.x 0 invalid (limit: 1..1024)"}, Off::same);
  const auto strided = SafeGrid<>::grid_stride(1000, block<256>, ws::max_blocks(occupancy));
  expect_caught(launch(stream, configure(strided), kernel<nothing, ws::grid_stride_kernel>),
                made(Errc::grid_zero, 0, 2147483647, Axis::x),
                {"grid.x 0 invalid (limit: 1..2147483647)"});
}

TEST_F(MisuseA06, BlockOfZeroIsNeverDividedBy) {
  const auto none = ws::BlockDim::from_vendor(Vendor3{0, 1, 1});
  expect_caught(launch(stream, configure(SafeGrid<>::cover(1000, none)), kernel<nothing>),
                made(Errc::block_zero, 0, 1024, Axis::x), {"block.x 0 invalid (limit: 1..1024)"});
  expect_caught(launch(stream, as_written(one_block, {256, 0, 1}), kernel<nothing>),
                at_launch(Errc::block_zero, 0, 1024, Axis::y), {"block.y 0 invalid"});
}

TEST_F(MisuseA07, CoverNeitherDropsTheTailNorAddsABlock) {
  EXPECT_EQ(SafeGrid<>::cover(1024, block<256>).value().blocks(0), 4U);
  EXPECT_EQ(SafeGrid<>::cover(1025, block<256>).value().blocks(0), 5U);
  EXPECT_EQ(SafeGrid<>::cover(255, block<256>).value().blocks(0), 1U);
  note_impossible("cover(1024, block<256>) is 4 blocks, cover(1025, block<256>) is 5");
}

TEST_F(MisuseA10, UnguardedKernelsNeedAnExactGrid) {
  const auto config = configure(SafeGrid<>::cover_exact(1000, block<256>));
  expect_caught(launch(stream, config, kernel<nothing>), made(Errc::size_not_multiple, 1000, 256),
                {"size 1000", "the 256 items of one block: 232 left over"});
  const std::uint64_t exact = 1024;
  expect_each_item_once(configure(SafeGrid<>::cover_exact(exact, block<256>)), kernel<mark>, exact,
                        exact, 4);
}

TEST_F(MisuseA11, LongSecondAxisIsSaid) {
  const extent size{rows{70000}, cols{16}};
  expect_caught(
      launch(stream, configure(SafeGrid<>::cover(size, block<256>)), kernel<nothing>),
      made(Errc::grid_too_large, 70000, 65535, Axis::y),
      {"grid.y 70000 invalid (limit: 1..65535)", "put the long axis in x (limit 2147483647)"});
}

TEST_F(MisuseA11, LongAxesOfAVendorsDim3AreSaid) {
  // The source of AMD's runtime refuses them only for newer chips (clr hip_module.cpp).
  const Off off = is_hip ? Off::let_through : Off::refused;
  expect_caught(launch(stream, as_written({1, 70000, 1}, {32, 1, 1}), kernel<nothing>),
                at_launch(Errc::grid_too_large, 70000, 65535, Axis::y),
                {"grid.y 70000 invalid (limit: 1..65535)"}, off);
  expect_caught(launch(stream, as_written({1, 1, 65536}, {32, 1, 1}), kernel<nothing>),
                at_launch(Errc::grid_too_large, 65536, 65535, Axis::z), {"grid.z 65536"}, off);
  expect_fine(launch(stream, as_written({1, 65535, 1}, {1, 1, 1}), kernel<nothing>));
}

TEST_F(MisuseA12, AmdCountsTheThreadsOfEachAxis) {
  const std::uint64_t n = std::uint64_t{1} << 33;
  const auto for_amd = configure(SafeGrid<ws::hip_backend>::cover(n, block<1024>));
  expect_caught(launch(stream, for_amd, kernel<nothing>),
                made(Errc::axis_threads_too_many, 8589934592, 4294967295, Axis::x),
                {"grid.x times block.x is 8589934592 threads, limit 4294967295 per axis on AMD"});
  const auto as_one_writes = as_written({1U << 23}, {1024});
  if (is_hip) {
    expect_caught(launch(stream, as_one_writes, kernel<nothing>),
                  at_launch(Errc::axis_threads_too_many, 8589934592, 4294967295, Axis::x),
                  {"grid.x times block.x is 8589934592 threads"});
  } else {
    expect_fine(
        ws::validate(as_one_writes, kernel<nothing, ws::index<std::uint64_t>>, ws::limits::sm_90));
  }
  const auto flat = as_written({1U << 16, 1U << 12}, {64, 16});
  expect_fine(ws::validate(flat, kernel<nothing, ws::index<std::uint64_t>>,
                           ws::limits::gfx90a));  // 2^38 threads in all
}

TEST_F(MisuseA14, RowsRunAlongYAndColumnsAlongX) {
  const extent size{rows{37}, cols{100}};
  const auto grid = SafeGrid<>::cover(size, block<32, 8>);
  EXPECT_EQ(grid.value().blocks(0), 4U);
  EXPECT_EQ(grid.value().blocks(1), 5U);
  expect_each_item_once(configure(grid), kernel<mark_matrix>, 3700, size, 20);
  note_impossible("cover(extent{rows{37}, cols{100}}, block<32, 8>) is grid=(4,5,1): axes by name");
}

TEST_F(MisuseA16, MoreThreadsThanAnIntCountsAreRefused) {
  const auto fits = as_written({1U << 21, 1, 1}, {1024, 1, 1});
  expect_fine(ws::validate(fits, kernel<nothing>, ws::limits::sm_90));  // 2^31 indices from 0
  const auto more = as_written({(1U << 21) + 1, 1, 1}, {1024, 1, 1});
  expect_fine(ws::validate(more, kernel<nothing, ws::index<std::uint64_t>>, ws::limits::sm_90));
#if defined(WARPSAFE_BACKEND_HOST)
  // 2^31 threads would really run here.
  if (!checked) return expect_let_through(ws::validate(fits, kernel<nothing>, ws::limits::sm_90));
#endif
  expect_caught(launch(stream, more, kernel<nothing>),
                at_launch(Errc::index_overflow, 2147484672, 2147483648),
                {"the grid has 2147484672 threads", "declares no index type, so int is assumed",
                 "limit 2147483648"},
                Off::let_through);
  expect_caught(launch(stream, more, kernel<nothing, ws::index<int>>),
                at_launch(Errc::index_overflow, 2147484672, 2147483648),
                {"the grid has 2147484672 threads", "limit 2147483648"}, Off::let_through);
}

TEST_F(MisuseA16, MoreElementsThanAnIntCountsAreRefused) {
  const std::uint64_t n = 3000000000;
  const auto strided = configure(SafeGrid<>::grid_stride(n, block<256>, ws::max_blocks(4)));
  expect_caught(launch(stream, strided, kernel<nothing, ws::grid_stride_kernel>),
                at_launch(Errc::index_overflow, n, 2147483648),
                {"the grid covers 3000000000 elements", "limit 2147483648"}, Off::let_through);
  expect_fine(
      launch(stream, strided, kernel<nothing, ws::grid_stride_kernel, ws::index<std::uint64_t>>));
  const auto many_each = configure(SafeGrid<>::cover(n, block<256>, ws::items_per_thread<1 << 20>));
  expect_caught(launch(stream, many_each, kernel<nothing, ws::handles_items<1 << 20>>),
                at_launch(Errc::index_overflow, n, 2147483648),
                {"the grid covers 3000000000 elements", "limit 2147483648"}, Off::let_through);
}

TEST_F(MisuseA17, StrideStaysBelow32Bits) {
  const std::uint64_t n = std::uint64_t{1} << 40;
  const auto grid = SafeGrid<>::grid_stride(n, block<1024>, ws::max_blocks(1U << 30));
  EXPECT_EQ(grid.value().blocks(0), 4194303U);
  EXPECT_LT(std::uint64_t{grid.value().blocks(0)} * 1024, std::uint64_t{1} << 32);
  note_impossible("grid_stride stays below 2^32 threads: 4194303 blocks of 1024");
}

TEST_F(MisuseA18, CappedGridStillReachesEachItem) {
  const std::uint64_t n = 1000;
  const auto config = configure(SafeGrid<>::grid_stride(n, block<64>, ws::max_blocks(3)));
  expect_each_item_once(config, kernel<mark_strided, ws::grid_stride_kernel>, n, n, 3);
  note_impossible("only a kernel declared grid_stride_kernel takes a capped grid");
}

TEST_F(MisuseA19, BlockOfTheDataSizeIsSaid) {
  const int columns = 2048;
  expect_caught(
      launch(stream, configure(ws::grid<1>, ws::BlockDim::create(columns)), kernel<nothing>),
      made(Errc::block_axis_too_large, 2048, 1024, Axis::x),
      {"block.x 2048 invalid (limit: 1..1024); take a smaller block"}, Off::same);
  expect_caught(
      launch(stream, configure(ws::grid<1>, ws::BlockDim::create(64, 32)), kernel<nothing>),
      made(Errc::block_too_large, 2048, 1024), {"block=(64,32,1) is 2048 threads, limit 1024"},
      Off::same);
}

TEST_F(MisuseA21, ExtentsAreMultipliedIn64Bits) {
  const auto grid = SafeGrid<>::cover(extent{rows{46341}, cols{46341}}, block<16, 16>);
  EXPECT_EQ(grid.value().blocks(0), 2897U);
  EXPECT_EQ(grid.value().blocks(1), 2897U);
  const std::uint64_t side = std::uint64_t{1} << 33;
  const extent huge{rows{side}, cols{side}};
  expect_caught(launch(stream, configure(SafeGrid<>::cover(huge, block<16, 16>)), kernel<nothing>),
                made(Errc::size_overflow, side, side),
                {"the extent 8589934592 x 8589934592", "more than 18446744073709551615 elements"});
}

}  // namespace
}  // namespace misuse_test
