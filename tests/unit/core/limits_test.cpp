// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

#include "core_test.hpp"
#include <warpsafe/core/limits.hpp>
#include <warpsafe/core/limits_table.hpp>

#include <gmock/gmock.h>

#include <cstdint>

namespace warpsafe::core_test {
namespace {

using limits::amd_floor;
using limits::cuda_floor;
using limits::or_floor;

TEST(OrFloor, ADeviceThatReportsNothingHasTheFloor) {
  const DeviceLimits cuda = or_floor(DeviceLimits{}, cuda_floor);
  EXPECT_TRUE(cuda.floored);
  EXPECT_EQ(cuda.max_threads_per_block, 1024U);
  EXPECT_THAT(cuda.max_block, ::testing::ElementsAre(1024, 1024, 64));
  EXPECT_THAT(cuda.max_grid, ::testing::ElementsAre(2147483647, 65535, 65535));
  EXPECT_EQ(cuda.max_threads_per_axis, 0U);
  EXPECT_EQ(cuda.shared_per_block, 49152U);
  EXPECT_EQ(cuda.shared_per_block_optin, 49152U);
  EXPECT_EQ(cuda.warp_size, 32U);
  EXPECT_EQ(cuda.max_parameter_bytes, 4096U);
  const DeviceLimits amd = or_floor(DeviceLimits{}, amd_floor);
  EXPECT_TRUE(amd.floored);
  EXPECT_THAT(amd.max_block, ::testing::ElementsAre(1024, 1024, 1024));
  EXPECT_THAT(amd.max_grid, ::testing::ElementsAre(2147483647, 65535, 65535));
  EXPECT_EQ(amd.max_threads_per_axis, 4294967295U);
  EXPECT_EQ(amd.shared_per_block, 65536U);
  EXPECT_EQ(amd.shared_per_block_optin, 65536U);
  EXPECT_EQ(amd.warp_size, 0U) << "32 or 64: never assumed";
}

TEST(OrFloor, EachLimitThatIsZeroIsFilledAndMarked) {
  DeviceLimits whole = or_floor(DeviceLimits{}, cuda_floor);
  whole.floored = false;
  EXPECT_FALSE(or_floor(whole, cuda_floor).floored);
  const auto expect_filled = [&](auto change, auto read) {
    DeviceLimits holed = whole;
    change(holed);
    const DeviceLimits filled = or_floor(holed, cuda_floor);
    EXPECT_TRUE(filled.floored);
    EXPECT_EQ(read(filled), read(whole));
  };
  expect_filled([](DeviceLimits& l) { l.max_threads_per_block = 0; },
                [](const DeviceLimits& l) { return l.max_threads_per_block; });
  for (int axis = 0; axis < 3; ++axis) {
    expect_filled([axis](DeviceLimits& l) { l.max_block[axis] = 0; },
                  [axis](const DeviceLimits& l) { return l.max_block[axis]; });
    expect_filled([axis](DeviceLimits& l) { l.max_grid[axis] = 0; },
                  [axis](const DeviceLimits& l) { return l.max_grid[axis]; });
  }
  expect_filled([](DeviceLimits& l) { l.shared_per_block = 0; },
                [](const DeviceLimits& l) { return l.shared_per_block; });
  expect_filled([](DeviceLimits& l) { l.max_parameter_bytes = 0; },
                [](const DeviceLimits& l) { return l.max_parameter_bytes; });
  expect_filled([](DeviceLimits& l) { l.warp_size = 0; },
                [](const DeviceLimits& l) { return l.warp_size; });
}

TEST(OrFloor, WhatIsReportedStays) {
  DeviceLimits reported = or_floor(DeviceLimits{}, cuda_floor);
  reported.max_threads_per_block = 512;
  reported.shared_per_block_optin = 232448;
  reported.max_grid[1] = 70000;
  const DeviceLimits kept = or_floor(reported, cuda_floor);
  EXPECT_EQ(kept.max_threads_per_block, 512U);
  EXPECT_EQ(kept.shared_per_block_optin, 232448U);
  EXPECT_EQ(kept.max_grid[1], 70000U);
}

TEST(OrFloor, AnOptInLimitBelowTheLimitWithoutIsRaisedToIt) {
  DeviceLimits reported;
  reported.shared_per_block = 65536;
  reported.shared_per_block_optin = 0;  // older ROCm
  EXPECT_EQ(or_floor(reported, amd_floor).shared_per_block_optin, 65536U);
}

TEST(OrFloor, AmdsGridIsCappedAtWhatIsDocumented) {
  DeviceLimits reported;
  reported.max_grid[0] = 4294967295;
  reported.max_grid[1] = 65536;  // as the runtime reports
  reported.max_grid[2] = 65536;
  EXPECT_THAT(or_floor(reported, amd_floor).max_grid,
              ::testing::ElementsAre(2147483647, 65535, 65535));
}

TEST(FloorOf, BelongsToTheBackend) {
  EXPECT_EQ(&floor_of<cuda_backend>, &cuda_floor);
  EXPECT_EQ(&floor_of<host_backend>, &cuda_floor);
  EXPECT_EQ(&floor_of<basic_hip_backend<nvidia_platform>>, &cuda_floor);
  EXPECT_EQ(&floor_of<basic_hip_backend<amd_platform>>, &amd_floor);
}

TEST(LimitsTable, AnArchitectureAddsItsNumbersToTheFloor) {
  const DeviceLimits table = limits::architecture(amd_floor, {.name = Name::of("gfx1"),
                                                              .shared_per_block_optin = 65540,
                                                              .shared_per_multiprocessor = 5,
                                                              .reserved_shared_per_block = 6,
                                                              .warp_size = 7,
                                                              .registers_per_block = 8,
                                                              .max_threads_per_multiprocessor = 9,
                                                              .max_blocks_per_multiprocessor = 10,
                                                              .max_cluster_blocks = 11,
                                                              .max_cluster_blocks_optin = 12,
                                                              .compute_major = 2,
                                                              .compute_minor = 3,
                                                              .max_parameter_bytes = 13});
  EXPECT_EQ(text(table.name), "gfx1");
  EXPECT_EQ(table.compute_major, 2U);
  EXPECT_EQ(table.compute_minor, 3U);
  EXPECT_EQ(table.shared_per_block_optin, 65540U);
  EXPECT_EQ(table.shared_per_multiprocessor, 5U);
  EXPECT_EQ(table.reserved_shared_per_block, 6U);
  EXPECT_EQ(table.warp_size, 7U);
  EXPECT_EQ(table.registers_per_block, 8U);
  EXPECT_EQ(table.max_threads_per_multiprocessor, 9U);
  EXPECT_EQ(table.max_blocks_per_multiprocessor, 10U);
  EXPECT_EQ(table.max_cluster_blocks, 11U);
  EXPECT_EQ(table.max_cluster_blocks_optin, 12U);
  EXPECT_EQ(table.max_parameter_bytes, 13U);
  EXPECT_TRUE(table.cooperative_launch);
  EXPECT_TRUE(table.memory_pools);
  EXPECT_FALSE(table.floored) << "nothing is missing";
  // The floor's own, and what no table can know.
  EXPECT_EQ(table.vendor, Vendor::amd);
  EXPECT_EQ(table.max_threads_per_block, 1024U);
  EXPECT_THAT(table.max_block, ::testing::ElementsAre(1024, 1024, 1024));
  EXPECT_THAT(table.max_grid, ::testing::ElementsAre(2147483647, 65535, 65535));
  EXPECT_EQ(table.max_threads_per_axis, 4294967295U);
  EXPECT_EQ(table.shared_per_block, 65536U);
  EXPECT_EQ(table.device, -1);
  EXPECT_EQ(table.multiprocessors, 0U);
  EXPECT_FALSE(table.concurrent_managed_access);
}

TEST(OrFloor, AFloorOfOneFillsToo) {
  DeviceLimits floor = cuda_floor;
  floor.warp_size = 1;  // of a processor
  EXPECT_EQ(or_floor(DeviceLimits{}, floor).warp_size, 1U);
  floor.warp_size = 0;
  DeviceLimits whole = or_floor(DeviceLimits{}, cuda_floor);
  whole.floored = false;
  whole.warp_size = 0;
  EXPECT_FALSE(or_floor(whole, floor).floored) << "nothing was filled";
}

TEST(OrFloor, OnlyAmdsGridIsCapped) {
  DeviceLimits wide;
  wide.max_grid[0] = wide.max_grid[1] = wide.max_grid[2] = 2147483647;
  EXPECT_THAT(or_floor(wide, cuda_floor).max_grid,
              ::testing::ElementsAre(2147483647, 2147483647, 2147483647));
  DeviceLimits narrow;
  narrow.max_grid[0] = narrow.max_grid[1] = narrow.max_grid[2] = 100;
  EXPECT_THAT(or_floor(narrow, amd_floor).max_grid, ::testing::ElementsAre(100, 100, 100));
}

}  // namespace
}  // namespace warpsafe::core_test
