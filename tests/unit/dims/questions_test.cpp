// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

#include "core_test.hpp"
#include <warpsafe/dims/extent.hpp>
#include <warpsafe/dims/make_dims.hpp>
#include <warpsafe/dims/safe_grid.hpp>
#include <warpsafe/launch/launch_config.hpp>

#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

// The questions about types that decide what compiles. tests/misuse/compile has the diagnostics;
// here both answers of each question are asked at run time.

namespace warpsafe::core_test {
namespace {

template <std::uint32_t X, std::uint32_t Y = 1, std::uint32_t Z = 1>
using StaticGrid = Dim3<grid_space, X, Y, Z>;
template <std::uint32_t X, std::uint32_t Y = 1, std::uint32_t Z = 1>
using StaticBlock = Dim3<block_space, X, Y, Z>;
template <std::uint32_t X, std::uint32_t Y = 1, std::uint32_t Z = 1>
using StaticCluster = Dim3<cluster_space, X, Y, Z>;

TEST(Question, WhichPartOfAConfigurationATypeIs) {
  EXPECT_EQ(detail::find_part_kind<DynamicShared<int>>(), detail::PartKind::shared);
  EXPECT_EQ(detail::find_part_kind<std::decay_t<decltype(cooperative)>>(),
            detail::PartKind::cooperative);
  EXPECT_EQ(detail::find_part_kind<int>(), detail::PartKind::none);
}

TEST(Question, WhetherAGridIsForTheGivenBlock) {
  using For256 = std::decay_t<decltype(SafeGrid<>::cover(1, block<256>).value())>;
  using For128 = std::decay_t<decltype(SafeGrid<>::cover(1, block<128>).value())>;
  using ForAny = std::decay_t<decltype(SafeGrid<>::cover(1, BlockDim(block<256>)).value())>;
  using Given256 = detail::ConfigParts<StaticGrid<4>, StaticBlock<256>>;
  EXPECT_TRUE(Given256::same_block<For256>());
  EXPECT_FALSE(Given256::same_block<For128>());
  EXPECT_FALSE(Given256::same_block<ForAny>());
  EXPECT_TRUE(Given256::same_block<StaticGrid<4>>()) << "it was computed for no block";
  using GivenAtRunTime = detail::ConfigParts<StaticGrid<4>, BlockDim>;
  EXPECT_FALSE(GivenAtRunTime::same_block<ForAny>()) << "the two blocks may differ";
  EXPECT_TRUE(detail::ConfigParts<For128>::same_block<For128>()) << "no block is given";
}

TEST(Question, WhetherAClusterDividesAGrid) {
  using Some = detail::ConfigParts<StaticGrid<4>, StaticBlock<256>>;
  EXPECT_TRUE((Some::divides<StaticGrid<4, 6, 9>, StaticCluster<2, 3, 3>>()));
  EXPECT_TRUE((Some::divides<StaticGrid<4, 6, 9>, StaticCluster<4, 6, 9>>()));
  EXPECT_FALSE((Some::divides<StaticGrid<4, 6, 9>, StaticCluster<3, 3, 3>>()));
  EXPECT_FALSE((Some::divides<StaticGrid<4, 6, 9>, StaticCluster<2, 4, 3>>()));
  EXPECT_FALSE((Some::divides<StaticGrid<4, 6, 9>, StaticCluster<2, 3, 2>>()));
  EXPECT_TRUE((Some::divides<GridDim, StaticCluster<3>>())) << "the launch asks again";
  EXPECT_TRUE((Some::divides<StaticGrid<4>, detail::NoPart>()));
}

TEST(Question, WhetherTheseAreAllAxesOfARank) {
  EXPECT_TRUE((detail::are_all_axes<1, x>()));
  EXPECT_TRUE((detail::are_all_axes<2, rows, cols>()));
  EXPECT_TRUE((detail::are_all_axes<2, y, x>()));
  EXPECT_TRUE((detail::are_all_axes<3, z, x, y>()));
  EXPECT_FALSE((detail::are_all_axes<1, y>()));
  EXPECT_FALSE((detail::are_all_axes<2, x, x>()));
  EXPECT_FALSE((detail::are_all_axes<2, x, z>()));
  EXPECT_FALSE((detail::are_all_axes<3, x, y>()));
  EXPECT_FALSE((detail::are_all_axes<1>()));
  EXPECT_FALSE((detail::are_all_axes<1, int>()));
}

TEST(Question, WhetherANumberMayBeAnAxisOfAVendorsDimensions) {
  EXPECT_TRUE(detail::is_vendor_axis<std::uint32_t>());
  EXPECT_TRUE(detail::is_vendor_axis<std::uint16_t>());
  EXPECT_FALSE(detail::is_vendor_axis<std::int32_t>());
  EXPECT_FALSE(detail::is_vendor_axis<std::uint64_t>());
  EXPECT_FALSE(detail::is_vendor_axis<float>());
}

TEST(Question, WhetherARangeCountsBytes) {
  EXPECT_TRUE(detail::counts_bytes<std::span<const std::byte>>());
  EXPECT_TRUE((detail::counts_bytes<std::array<std::byte, 4>>()));
  EXPECT_FALSE(detail::counts_bytes<std::span<char>>());
  EXPECT_FALSE((detail::counts_bytes<std::array<int, 4>>()));
  EXPECT_FALSE(detail::counts_bytes<int>());
}

TEST(Question, WhetherACountFillsItsBlocksExactly) {
  using None = NoOption;
  using FourItems = std::decay_t<decltype(items_per_thread<4>)>;
  EXPECT_TRUE((detail::may_be_exact<count_t<1024>, StaticBlock<256>, None, None>()));
  EXPECT_FALSE((detail::may_be_exact<count_t<1000>, StaticBlock<256>, None, None>()));
  EXPECT_FALSE((detail::may_be_exact<count_t<1>, StaticBlock<256>, None, None>()));
  EXPECT_TRUE((detail::may_be_exact<count_t<1024>, StaticBlock<256>, FourItems, None>()));
  EXPECT_FALSE((detail::may_be_exact<count_t<512>, StaticBlock<256>, FourItems, None>()));
  EXPECT_FALSE((detail::may_be_exact<count_t<512>, StaticBlock<256>, None, FourItems>()));
  EXPECT_TRUE((detail::may_be_exact<count_t<1000>, BlockDim, None, None>())) << "not known yet";
  EXPECT_TRUE((detail::may_be_exact<int, StaticBlock<256>, None, None>())) << "not known yet";
}

}  // namespace
}  // namespace warpsafe::core_test
