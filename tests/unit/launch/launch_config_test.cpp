// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

#include "core_test.hpp"
#include <warpsafe/core/limits_table.hpp>
#include <warpsafe/dims/launch_options.hpp>
#include <warpsafe/dims/make_dims.hpp>
#include <warpsafe/dims/safe_grid.hpp>
#include <warpsafe/launch/detail/launch_rules.hpp>
#include <warpsafe/launch/launch_config.hpp>

#include <gmock/gmock.h>

#include <array>
#include <cstdint>
#include <sstream>

namespace warpsafe::core_test {
namespace {

constexpr NoOption no_option{};

template <class Config>
void expect_grid_and_block(const Config& config, std::array<std::uint32_t, 3> blocks,
                           std::array<std::uint32_t, 3> threads) {
  const LaunchShape shape = config.shape();
  EXPECT_THAT(shape.grid, ::testing::ElementsAreArray(blocks));
  EXPECT_THAT(shape.block, ::testing::ElementsAreArray(threads));
}

TEST(LaunchConfig, ASafeGridBringsItsBlock) {
  const auto config = configure(SafeGrid<>::cover(1000, block<256>));
  ASSERT_TRUE(config.has_value());
  expect_grid_and_block(config.value(), {4, 1, 1}, {256, 1, 1});
  EXPECT_FALSE(config.value().shape().has_attributes());
  EXPECT_EQ(config.value().shape().dynamic_shared, 0U);
}

TEST(LaunchConfig, GridAndBlockGoByTheirTypes) {
  const BlockDim threads = BlockDim::create(64, 2).value();
  const GridDim blocks = GridDim::from_blocks(5, 6, 7).value();
  expect_grid_and_block(LaunchConfig{blocks, threads}, {5, 6, 7}, {64, 2, 1});
  expect_grid_and_block(LaunchConfig{threads, blocks}, {5, 6, 7}, {64, 2, 1});
  expect_grid_and_block(LaunchConfig{block<32, 4, 2>, grid<3>}, {3, 1, 1}, {32, 4, 2});
  EXPECT_EQ((LaunchConfig{blocks, threads}.block()), threads);
  EXPECT_EQ((LaunchConfig{blocks, threads}.grid()), blocks);
}

TEST(LaunchConfig, TheSameStaticBlockMayBeRepeated) {
  const auto config = configure(SafeGrid<>::cover(1000, block<256>), block<256>);
  expect_grid_and_block(config.value(), {4, 1, 1}, {256, 1, 1});
}

TEST(LaunchConfig, OptionsGoInAnyOrder) {
  const LaunchConfig one{grid<8>,     block<64>,    shared<float>(256), cluster<2>,
                         cooperative, priority(-3), dependent_launch};
  const LaunchConfig other{dependent_launch,   priority(-3), cooperative, cluster<2>,
                           shared<float>(256), block<64>,    grid<8>};
  for (const LaunchShape& shape : {one.shape(), other.shape()}) {
    EXPECT_EQ(shape.grid[0], 8U);
    EXPECT_EQ(shape.block[0], 64U);
    EXPECT_EQ(shape.dynamic_shared, 1024U);
    EXPECT_TRUE(shape.has_cluster);
    EXPECT_FALSE(shape.non_portable_cluster);
    EXPECT_THAT(shape.cluster, ::testing::ElementsAre(2, 1, 1));
    EXPECT_TRUE(shape.cooperative);
    EXPECT_TRUE(shape.has_priority);
    EXPECT_EQ(shape.priority, -3);
    EXPECT_TRUE(shape.programmatic);
  }
}

TEST(LaunchConfig, ALargeClusterIsMarkedAsAskedForOnPurpose) {
  const LaunchShape shape =
      LaunchConfig{grid<32>, block<64>, non_portable_cluster<4, 2, 2>}.shape();
  EXPECT_TRUE(shape.has_cluster);
  EXPECT_TRUE(shape.non_portable_cluster);
  EXPECT_THAT(shape.cluster, ::testing::ElementsAre(4, 2, 2));
}

TEST(LaunchConfig, IsEmptyOnlyForAnEmptyGrid) {
  EXPECT_TRUE(configure(SafeGrid<>::cover_or_empty(0, block<256>)).value().empty());
  EXPECT_FALSE(configure(SafeGrid<>::cover_or_empty(1, block<256>)).value().empty());
  EXPECT_FALSE((LaunchConfig{GridDim::from_vendor(VendorDims{0, 1, 1}), block<64>}.empty()))
      << "a grid of 0 blocks that nobody said may be empty is a mistake";
}

TEST(LaunchConfig, PrintsItsNumbers) {
  std::ostringstream out;
  out << LaunchConfig{grid<5, 6, 7>, block<32, 4>, shared<double>(3)};
  EXPECT_EQ(out.str(), "grid=(5,6,7), block=(32,4,1), shared=24 bytes");
}

TEST(Configure, ReturnsTheFirstErrorAmongItsParts) {
  const auto config =
      configure(SafeGrid<>::cover(-1, block<256>, no_option, no_option, app), shared<float>(-2));
  EXPECT_EQ(finding(error_in(config)),
            (Finding{Errc::size_negative, Stage::construction, 1, 0, Axis::none}));
  EXPECT_TRUE(is_app(error_in(config).site));
  EXPECT_EQ(error_in(configure(GridDim::from_blocks(0), BlockDim::create(0))).code,
            Errc::grid_zero);
  EXPECT_EQ(error_in(configure(GridDim::from_blocks(1), BlockDim::create(0))).code,
            Errc::block_zero);
}

TEST(Configure, TakesPartsThatAreResultsAndPartsThatAreNot) {
  const auto config = configure(GridDim::from_blocks(3), block<64>, shared<char>(10));
  ASSERT_TRUE(config.has_value());
  EXPECT_EQ(config.value().shape().dynamic_shared, 10U);
}

TEST(Configure, RefusesANegativeAmountOfSharedMemory) {
  const auto config = configure(grid<5>, block<64>, shared<float>(-3));
  const LaunchError error = error_in(config);
  EXPECT_EQ(finding(error),
            (Finding{Errc::shared_negative, Stage::construction, 3, 4, Axis::none}));
  EXPECT_THAT(error.grid, ::testing::ElementsAre(5, 1, 1));
  EXPECT_THAT(error.block, ::testing::ElementsAre(64, 1, 1));
  EXPECT_EQ(
      message(error),
      "Launch configuration refused: shared memory for -3 elements; a count must be at least 0\n"
      "  grid=(5,1,1), block=(64,1,1), shared=-3 elements of 4 bytes");
}

TEST(Configure, RefusesAPriorityAboveEveryRange) {
  const auto config = configure(grid<5>, block<64>, priority(2));
  EXPECT_EQ(finding(error_in(config)),
            (Finding{Errc::priority_range, Stage::construction, 2, 1, Axis::none}));
  for (const int right : {-5, 0, 1}) {
    EXPECT_TRUE(configure(grid<5>, block<64>, priority(right)).has_value()) << right;
  }
  EXPECT_TRUE(configure<CheckLevel::off>(grid<5>, block<64>, priority(2)).has_value());
}

TEST(Configure, RefusesSharedMemoryThatDoesNotFit) {
  EXPECT_EQ(
      finding(error_in(configure(grid<5>, block<64>, shared<float>(std::uint64_t{1} << 62)))),
      (Finding{Errc::shared_overflow, Stage::construction, std::uint64_t{1} << 62, 4, Axis::none}));
}

TEST(Configure, RefusesAClusterThatDoesNotDivideTheGridOnEachAxis) {
  EXPECT_EQ(finding(error_in(configure(GridDim::from_blocks(3), block<64>, cluster<2>))),
            (Finding{Errc::cluster_not_divisor, Stage::construction, 3, 2, Axis::x}));
  EXPECT_EQ(finding(error_in(configure(GridDim::from_blocks(4, 3), block<64>, cluster<2, 2>))),
            (Finding{Errc::cluster_not_divisor, Stage::construction, 3, 2, Axis::y}));
  EXPECT_EQ(
      finding(error_in(configure(GridDim::from_blocks(4, 4, 3), block<64>, cluster<2, 2, 2>))),
      (Finding{Errc::cluster_not_divisor, Stage::construction, 3, 2, Axis::z}));
  EXPECT_EQ(message(error_in(configure(GridDim::from_blocks(3), block<64>, cluster<2>))),
            "Launch configuration refused: grid.x 3 is not a multiple of cluster.x 2\n"
            "  grid=(3,1,1), block=(64,1,1), shared=0 bytes");
  EXPECT_TRUE(configure(grid<4, 4, 4>, block<64>, cluster<2, 2, 2>).has_value());
}

TEST(Configure, WithoutChecksLeavesWhatIsWrongToTheRuntime) {
  const auto negative = configure<CheckLevel::off>(grid<5>, block<64>, shared<float>(-3));
  ASSERT_TRUE(negative.has_value());
  EXPECT_EQ(negative.value().shape().dynamic_shared, ~std::uint64_t{0});
  EXPECT_TRUE(
      configure<CheckLevel::off>(GridDim::from_blocks(3), block<64>, cluster<2>).has_value());
  EXPECT_EQ(error_in(configure<CheckLevel::off>(BlockDim::create(0), grid<1>)).code,
            Errc::block_zero)
      << "an error that was made is never lost";
}

TEST(LaunchConfig, KeepsTheFirstOfTwoProblems) {
  const LaunchConfig both{grid<5>, block<64>, shared<float>(-3), priority(2)};
  EXPECT_EQ(both.problem().code, Errc::shared_negative);
  const LaunchConfig shared_and_cluster{GridDim::from_blocks(3).value(), block<64>,
                                        shared<float>(-3), cluster<2>};
  EXPECT_EQ(shared_and_cluster.problem().code, Errc::shared_negative);
  const LaunchConfig cluster_and_priority{GridDim::from_blocks(3).value(), block<64>, cluster<2>,
                                          priority(2)};
  EXPECT_EQ(cluster_and_priority.problem().code, Errc::cluster_not_divisor);
}

// The device's rules find it.
TEST(LaunchConfig, AClusterOfNoBlocksIsNoProblemHere) {
  for (const VendorDims dims : {VendorDims{0, 1, 1}, VendorDims{1, 0, 1}, VendorDims{1, 1, 0}}) {
    const LaunchConfig config{GridDim::from_blocks(3).value(), block<64>,
                              ClusterDim::from_vendor(dims)};
    EXPECT_EQ(config.problem().code, Errc{});
    LaunchError error = LaunchError::make(Errc{}, Stage{});
    EXPECT_FALSE(detail::validate_launch(config.shape(), KernelNeeds{}, {}, limits::sm_90, error));
    EXPECT_EQ(error.code, Errc::cluster_not_divisor);
    EXPECT_EQ(error.limit, 0U);
  }
}

TEST(LaunchConfig, WhatALaunchTakesOfAGridIsItsNumbers) {
  const auto same = [](const auto& config) {
    const LaunchShape whole = config.shape();
    const LaunchShape numbers = config.numbers(detail::ForDispatch{}).shape();
    EXPECT_THAT(numbers.grid, ::testing::ElementsAreArray(whole.grid));
    EXPECT_THAT(numbers.block, ::testing::ElementsAreArray(whole.block));
    EXPECT_EQ(numbers.dynamic_shared, whole.dynamic_shared);
    return whole;
  };
  const auto line = configure(SafeGrid<>::cover(1000, block<256>), shared<float>(3)).value();
  const auto plane = configure(SafeGrid<>::cover(extent{rows{37}, cols{53}}, block<16, 8>)).value();
  const auto box = configure(SafeGrid<>::cover(extent{x{70}, y{50}, z{3}}, block<8, 4, 2>)).value();
  same(line);
  same(plane);
  EXPECT_THAT(same(box).grid, ::testing::ElementsAre(9, 13, 2));
  same(LaunchConfig{grid<2, 3, 4>, block<5, 6, 7>});
}

}  // namespace
}  // namespace warpsafe::core_test
