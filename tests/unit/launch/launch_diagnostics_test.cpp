// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// The checks of a launch's types accept what may be launched. What they refuse does not compile:
// tests/misuse has it.

#include "core_test.hpp"
#include <warpsafe/core/config.hpp>
#include <warpsafe/dims/launch_options.hpp>
#include <warpsafe/dims/make_dims.hpp>
#include <warpsafe/host.hpp>
#include <warpsafe/kernel/kernel.hpp>
#include <warpsafe/kernel/needs.hpp>
#include <warpsafe/launch/detail/launch_diagnostics.hpp>
#include <warpsafe/warpsafe.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <type_traits>
#include <utility>

namespace warpsafe::core_test {
namespace {

WARPSAFE_KERNEL void typed_nothing() {}
WARPSAFE_KERNEL void typed_two(float, const int*) {}
WARPSAFE_KERNEL void typed_items(std::size_t) {}

template <class K>
using DeclarationOf = typename std::remove_const_t<K>::declaration;
constexpr auto plain_kernel = kernel<typed_nothing>;
constexpr auto two_kernel = kernel<typed_two, max_threads<256>, needs_shared<float, 4>>;
constexpr auto items_kernel = kernel<typed_items, handles_items<4>>;
constexpr auto rows_kernel = kernel<typed_items, block_per_item_kernel>;
constexpr auto strided_rows_kernel = kernel<typed_items, block_per_item_kernel, grid_stride_kernel>;
constexpr auto strided_kernel = kernel<typed_items, grid_stride_kernel>;
using PlainKernelType = DeclarationOf<decltype(plain_kernel)>;
using TwoKernelType = DeclarationOf<decltype(two_kernel)>;
using ItemsKernelType = DeclarationOf<decltype(items_kernel)>;
using RowsKernelType = DeclarationOf<decltype(rows_kernel)>;
using StridedRowsKernelType = DeclarationOf<decltype(strided_rows_kernel)>;
using StridedKernelType = DeclarationOf<decltype(strided_kernel)>;

using PlainConfig = decltype(LaunchConfig{grid<4>, block<128>});
using SharedConfig = decltype(LaunchConfig{grid<4>, block<256>, shared<float>(4)});
using CoveringGrid = std::remove_cvref_t<decltype(SafeGrid<>::cover(1, block<64>).value())>;
using ItemsGrid =
    std::remove_cvref_t<decltype(SafeGrid<>::cover(1, block<64>, items_per_thread<4>).value())>;
using RowsGrid =
    std::remove_cvref_t<decltype(SafeGrid<>::cover(1, block<64>, block_per_item).value())>;
using StridedRowsGrid = std::remove_cvref_t<
    decltype(SafeGrid<>::grid_stride(1, block<64>, max_blocks(1), block_per_item).value())>;
using StridedGrid =
    std::remove_cvref_t<decltype(SafeGrid<>::grid_stride(1, block<64>, max_blocks(1)).value())>;

// The calls are no constant expressions, so that they run here as well as in the compiler.
TEST(LaunchTypes, ArgumentsThatFitTheirParametersAreAccepted) {
  EXPECT_TRUE(
      (detail::check_arguments<host_backend>(detail::TypeList<>{}, std::index_sequence<>{})));
  EXPECT_TRUE((detail::check_arguments<host_backend, float, trusted_ptr<int>>(
      detail::TypeList<float, const int*>{}, std::index_sequence<0, 1>{})));
}

TEST(LaunchTypes, AKernelOfTheStreamsBackendIsAccepted) {
  EXPECT_TRUE((detail::check_kernel_types<host_backend, PlainKernelType, 0>()));
  EXPECT_TRUE((detail::check_kernel_types<host_backend, TwoKernelType, 2>()));
}

TEST(LaunchTypes, AConfigurationThatTheKernelMayHaveIsAccepted) {
  EXPECT_TRUE((detail::check_config_types<PlainConfig, PlainKernelType>()));
  EXPECT_TRUE((detail::check_config_types<SharedConfig, TwoKernelType>()));
  EXPECT_TRUE((detail::check_config_types<ItemsGrid, ItemsKernelType>()));
  EXPECT_TRUE((detail::check_config_types<StridedGrid, StridedKernelType>()));
  EXPECT_TRUE((detail::check_config_types<RowsGrid, RowsKernelType>()));
  EXPECT_TRUE((detail::check_config_types<PlainConfig, RowsKernelType>()));
  EXPECT_TRUE((detail::check_config_types<StridedRowsGrid, StridedRowsKernelType>()));
  EXPECT_TRUE((detail::check_launch_types<host_backend, PlainConfig, PlainKernelType, 0>()));
  EXPECT_TRUE((detail::check_launch_types<host_backend, SharedConfig, TwoKernelType, 2>()));
}

TEST(LaunchTypes, TheItemsPerThreadAreTheGridsOrTheKernels) {
  EXPECT_EQ((detail::items_of_grid<PlainKernelType, ItemsGrid>()), 4U);
  EXPECT_EQ((detail::items_of_grid<ItemsKernelType, CoveringGrid>()), 1U);
  EXPECT_EQ((detail::items_of_grid<ItemsKernelType, PlainConfig::grid_type>()), 4U);
  EXPECT_EQ((detail::items_of_grid<PlainKernelType, PlainConfig::grid_type>()), 1U);
}

}  // namespace
}  // namespace warpsafe::core_test
