// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

#include "core_test.hpp"
#include <warpsafe/dims/dim3.hpp>
#include <warpsafe/dims/make_dims.hpp>
#include <warpsafe/error/message.hpp>

#include <gmock/gmock.h>

#include <array>
#include <cstdint>
#include <limits>
#include <sstream>
#include <string>

namespace warpsafe::core_test {
namespace {

template <class Dims>
std::array<std::uint32_t, 3> axes(const Dims& dims) {
  return {dims.x(), dims.y(), dims.z()};
}
using Axes = std::array<std::uint32_t, 3>;

TEST(Dim3, StaticOnesKeepTheirNumbersInTheType) {
  EXPECT_EQ(axes(block<256>), (Axes{256, 1, 1}));
  EXPECT_EQ(axes(block<16, 8, 4>), (Axes{16, 8, 4}));
  EXPECT_EQ(axes(grid<2147483647, 65535, 65535>), (Axes{2147483647, 65535, 65535}));
  EXPECT_EQ(axes(cluster<2, 2, 2>), (Axes{2, 2, 2}));
  EXPECT_EQ((block<32, 32>.count()), 1024U);
}

TEST(Dim3, AStaticOneBecomesADynamicOneOfItsSpace) {
  const BlockDim threads = block<16, 8, 4>;
  EXPECT_EQ(axes(threads), (Axes{16, 8, 4}));
  const Dim3<block_space, 16> mixed = block<16, 8, 4>;
  EXPECT_EQ(axes(mixed), (Axes{16, 8, 4}));
  EXPECT_EQ(axes(BlockDim(mixed)), (Axes{16, 8, 4}));
  const GridDim blocks = grid<7>;
  EXPECT_EQ(axes(blocks), (Axes{7, 1, 1}));
}

TEST(Dim3, AreEqualIfEveryAxisIs) {
  const BlockDim a = block<16, 8, 4>;
  EXPECT_TRUE(a == BlockDim(block<16, 8, 4>));
  EXPECT_FALSE(a == BlockDim(block<15, 8, 4>));
  EXPECT_FALSE(a == BlockDim(block<16, 7, 4>));
  EXPECT_FALSE(a == BlockDim(block<16, 8, 3>));
}

TEST(Dim3, AVendorsDimensionsAreTakenAsTheyAre) {
  const VendorDims any{4096, 0, 4294967295};
  EXPECT_EQ(axes(BlockDim::from_vendor(any)), (Axes{4096, 0, 4294967295}));
  EXPECT_EQ(axes(GridDim::from_vendor(any)), (Axes{4096, 0, 4294967295}));
  EXPECT_EQ(axes(ClusterDim::from_vendor(any)), (Axes{4096, 0, 4294967295}));
}

TEST(Dim3, CountSaturates) {
  EXPECT_EQ(GridDim::from_vendor(VendorDims{3, 5, 7}).count(), 105U);
  EXPECT_EQ(GridDim::from_vendor(VendorDims{1U << 31, 1U << 31, 2}).count(),
            std::uint64_t{1} << 63);
  EXPECT_EQ(GridDim::from_vendor(VendorDims{1U << 31, 1U << 31, 4}).count(),
            std::numeric_limits<std::uint64_t>::max());
}

TEST(Dim3, PrintsItsAxes) {
  std::ostringstream out;
  out << block<16, 8> << ' ' << GridDim::from_blocks(70000).value();
  EXPECT_EQ(out.str(), "(16,8,1) (70000,1,1)");
}

// Blocks.

TEST(BlockCreate, AcceptsEachLimitJustMet) {
  EXPECT_EQ(axes(BlockDim::create(1).value()), (Axes{1, 1, 1}));
  EXPECT_EQ(axes(BlockDim::create(1024).value()), (Axes{1024, 1, 1}));
  EXPECT_EQ(axes(BlockDim::create(1, 1024).value()), (Axes{1, 1024, 1}));
  EXPECT_EQ(axes(BlockDim::create(1, 1, 1024).value()), (Axes{1, 1, 1024}));
  EXPECT_EQ(axes(BlockDim::create(32, std::int64_t{32}, std::uint8_t{1}).value()),
            (Axes{32, 32, 1}));
}

TEST(BlockCreate, RefusesAZeroOnEachAxis) {
  EXPECT_EQ(finding(error_in(BlockDim::create(0))),
            (Finding{Errc::block_zero, Stage::construction, 0, 1024, Axis::x}));
  EXPECT_EQ(finding(error_in(BlockDim::create(1, 0))),
            (Finding{Errc::block_zero, Stage::construction, 0, 1024, Axis::y}));
  EXPECT_EQ(finding(error_in(BlockDim::create(1, 1, 0))),
            (Finding{Errc::block_zero, Stage::construction, 0, 1024, Axis::z}));
  EXPECT_EQ(said(BlockDim::create(1, 0, 1, app)),
            "Launch configuration refused: block.y 0 invalid (limit: 1..1024)\n  at app.cpp:7");
}

TEST(BlockCreate, RefusesAnAxisOverItsLimit) {
  EXPECT_EQ(finding(error_in(BlockDim::create(1025))),
            (Finding{Errc::block_axis_too_large, Stage::construction, 1025, 1024, Axis::x}));
  EXPECT_EQ(finding(error_in(BlockDim::create(1, 1025))),
            (Finding{Errc::block_axis_too_large, Stage::construction, 1025, 1024, Axis::y}));
  EXPECT_EQ(finding(error_in(BlockDim::create(1, 1, 1025))),
            (Finding{Errc::block_axis_too_large, Stage::construction, 1025, 1024, Axis::z}));
  EXPECT_EQ(
      said(BlockDim::create(2048, 1, 1, app)),
      "Launch configuration refused: block.x 2048 invalid (limit: 1..1024); take a smaller block\n  at app.cpp:7");
}

TEST(BlockCreate, RefusesTheValuesThatNarrowingWouldTurnIntoGoodOnes) {
  const std::int64_t wraps_to_one = (std::int64_t{1} << 32) + 1;
  EXPECT_EQ(finding(error_in(BlockDim::create(wraps_to_one))),
            (Finding{Errc::block_axis_too_large, Stage::construction, 4294967297, 1024, Axis::x}));
  EXPECT_EQ(finding(error_in(BlockDim::create(std::numeric_limits<std::uint64_t>::max()))),
            (Finding{Errc::block_axis_too_large, Stage::construction, 18446744073709551615U, 1024,
                     Axis::x}));
}

TEST(BlockCreate, RefusesANegativeAxisByItsValue) {
  EXPECT_EQ(finding(error_in(BlockDim::create(-1))),
            (Finding{Errc::dimension_negative, Stage::construction, 1, 1024, Axis::x}));
  EXPECT_EQ(
      said(BlockDim::create(1, 1, std::numeric_limits<std::int64_t>::min(), app)),
      "Launch configuration refused: block.z is -9223372036854775808; a dimension must be at least "
      "1\n"
      "  at app.cpp:7");
}

TEST(BlockCreate, RefusesTooManyThreadsWithAWayOut) {
  const LaunchError error = error_in(BlockDim::create(64, 64, 1, app));
  EXPECT_EQ(finding(error),
            (Finding{Errc::block_too_large, Stage::construction, 4096, 1024, Axis::none}));
  EXPECT_THAT(error.block, ::testing::ElementsAre(64, 64, 1));
  EXPECT_THAT(error.grid, ::testing::ElementsAre(0, 0, 0));
  EXPECT_TRUE(is_app(error.site));
  EXPECT_EQ(message(error),
            "Launch configuration refused: block=(64,64,1) is 4096 threads, limit 1024 "
            "(maxThreadsPerBlock)\n"
            "  at app.cpp:7\n"
            "  try block<32,32> and recompute the grid with cover(extent, block<32,32>)");
  EXPECT_EQ(BlockDim::create(1024, 1, 2).error().value, 2048U);
}

TEST(BlockCreate, RemembersItsCallersLine) {
  const LaunchError error = error_in(BlockDim::create(0));
  EXPECT_EQ(error.site.line, __LINE__ - 1U);
  EXPECT_THAT(error.site.file, ::testing::EndsWith("dim3_test.cpp"));
}

// Grids.

TEST(GridFromBlocks, AcceptsEachLimitJustMet) {
  EXPECT_EQ(axes(GridDim::from_blocks(2147483647, 65535, 65535).value()),
            (Axes{2147483647, 65535, 65535}));
  EXPECT_EQ(axes(GridDim::from_blocks(1).value()), (Axes{1, 1, 1}));
}

TEST(GridFromBlocks, RefusesEachLimitExceededAndSaysTheWayOut) {
  EXPECT_EQ(finding(error_in(GridDim::from_blocks(2147483648))),
            (Finding{Errc::grid_too_large, Stage::construction, 2147483648, 2147483647, Axis::x}));
  EXPECT_EQ(finding(error_in(GridDim::from_blocks(1, 65536))),
            (Finding{Errc::grid_too_large, Stage::construction, 65536, 65535, Axis::y}));
  EXPECT_EQ(finding(error_in(GridDim::from_blocks(1, 1, 65536))),
            (Finding{Errc::grid_too_large, Stage::construction, 65536, 65535, Axis::z}));
  EXPECT_EQ(said(GridDim::from_blocks((std::int64_t{1} << 32) + 1, 1, 1, app)),
            "Launch configuration refused: grid.x 4294967297 invalid (limit: 1..2147483647); give "
            "each thread more items (items_per_thread<N>), or use grid_stride\n  at app.cpp:7");
  EXPECT_EQ(said(GridDim::from_blocks(1, 70000, 1, app)),
            "Launch configuration refused: grid.y 70000 invalid (limit: 1..65535); put the long "
            "axis in x (limit 2147483647)\n  at app.cpp:7");
}

TEST(GridFromBlocks, RefusesZeroAndNegativeNumbers) {
  EXPECT_EQ(finding(error_in(GridDim::from_blocks(0))),
            (Finding{Errc::grid_zero, Stage::construction, 0, 2147483647, Axis::x}));
  EXPECT_EQ(
      said(GridDim::from_blocks(1, 1, 0, app)),
      "Launch configuration refused: grid.z 0 invalid (limit: 1..65535); a grid without blocks "
      "runs nothing, and the runtime refuses it\n  at app.cpp:7");
  EXPECT_EQ(finding(error_in(GridDim::from_blocks(1, -70000))),
            (Finding{Errc::dimension_negative, Stage::construction, 70000, 65535, Axis::y}));
}

TEST(GridFromBlocks, RemembersItsCallersLine) {
  const LaunchError error = error_in(GridDim::from_blocks(0));
  EXPECT_EQ(error.site.line, __LINE__ - 1U);
}

TEST(ClusterCreate, HasNoUpperLimitBeforeADeviceIsKnown) {
  EXPECT_EQ(axes(ClusterDim::create(4294967295, 2, 2).value()), (Axes{4294967295, 2, 2}));
  EXPECT_EQ(axes(ClusterDim::create(4294967295, 4294967295, 4294967295).value()),
            (Axes{4294967295, 4294967295, 4294967295}));
  EXPECT_EQ(
      finding(error_in(ClusterDim::create(4294967296))),
      (Finding{Errc::block_axis_too_large, Stage::construction, 4294967296, 4294967295, Axis::x}));
  EXPECT_EQ(error_in(ClusterDim::create(2, 0)).code, Errc::block_zero);
}

TEST(ClusterCreate, SaysThatTheAxisIsOfACluster) {
  const LaunchError zero = error_in(ClusterDim::create(0));
  EXPECT_EQ(zero.subcode, Subcode::cluster_axis);
  EXPECT_NE(message(zero).find("cluster.x is 0; a cluster has at least 1 block"), std::string::npos)
      << message(zero);
  const LaunchError large = error_in(ClusterDim::create(1, 4294967296));
  EXPECT_NE(message(large).find("cluster.y is 4294967296 blocks"), std::string::npos)
      << message(large);
  EXPECT_EQ(error_in(BlockDim::create(0)).subcode, Subcode::none);
  EXPECT_EQ(error_in(GridDim::from_blocks(0)).subcode, Subcode::none);
}

}  // namespace
}  // namespace warpsafe::core_test
