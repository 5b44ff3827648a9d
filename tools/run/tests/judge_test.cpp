// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#include "core/launch/judge.hpp"

#include <warpsafe/core/limits_table.hpp>
#include <warpsafe/error/message.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <string>
#include <string_view>

namespace {

using namespace warpsafe;

/// A launch that an H200 refuses with the same error, whatever is wrong with it.
struct Judge : testing::Test {
  watch::Kernel kernel;
  watch::Launch launch;
  DeviceLimits device = limits::or_floor(
      [] {
        DeviceLimits h200 = limits::cuda_floor;
        h200.floored = false;
        h200.device = 0;
        h200.name = Name::of("NVIDIA H200");
        h200.shared_per_block_optin = 232448;
        h200.max_cluster_blocks = 8;
        h200.max_cluster_blocks_optin = 16;
        h200.cooperative_launch = true;
        return h200;
      }(),
      limits::cuda_floor);
  LaunchError reported = LaunchError::make(Errc::runtime_failed, Stage::launch);

  Judge() {
    kernel.name = "axpy";
    kernel.limits.known = true;
    kernel.limits.max_threads_per_block = 1024;
    kernel.limits.max_dynamic_shared = 49152;
    launch.kernel = &kernel;
    launch.device = 0;
    for (int i = 0; i < 3; ++i) launch.shape.grid[i] = launch.shape.block[i] = 1;
    launch.shape.block[0] = 256;
    reported.vendor = Vendor::nvidia;
    reported.raw = 1;
    reported.raw_name = Name::of("CUDA_ERROR_INVALID_VALUE");
    reported.raw_text = Name::of("invalid argument");
  }
  [[nodiscard]] LaunchError judged() const {
    return watch::judge(launch, kernel.limits, device, reported);
  }
};

TEST_F(Judge, ZeroGrid) {
  launch.shape.grid[0] = 0;
  EXPECT_EQ(judged().code, Errc::grid_zero);
}

TEST_F(Judge, NamesTheNumberTheLimitAndTheRuntimesAnswer) {
  launch.shape.grid[1] = 70000;
  const LaunchError error = judged();
  EXPECT_EQ(error.code, Errc::grid_too_large);
  EXPECT_EQ(error.stage, Stage::validation);
  EXPECT_EQ(error.value, 70000U);
  EXPECT_EQ(error.limit, 65535U);
  EXPECT_EQ(error.raw, 1);
  EXPECT_NE(message(error).find("Kernel 'axpy' not launched: grid.y 70000"), std::string::npos);
}

TEST_F(Judge, TheKernelsOwnBounds) {
  kernel.limits.max_threads_per_block = 128;
  const LaunchError error = judged();
  EXPECT_EQ(error.code, Errc::kernel_threads_exceeded);
  EXPECT_EQ(error.limit, 128U);
}

TEST_F(Judge, SharedMemoryOverWhatTheAttributeAllowsNow) {
  launch.shape.dynamic_shared = 70000;
  const LaunchError error = judged();
  EXPECT_EQ(error.code, Errc::shared_not_opted_in);
  EXPECT_EQ(error.value, 70000U);
  EXPECT_EQ(error.limit, 49152U);
  kernel.limits.max_dynamic_shared = 70000;
  EXPECT_EQ(judged().code, Errc::launch_refused);
}

TEST_F(Judge, ACompiledClusterAndACooperativeGrid) {
  launch.shape.grid[0] = 3;
  launch.shape.has_cluster = true;
  launch.shape.cluster[0] = 2;
  EXPECT_EQ(judged().code, Errc::cluster_not_divisor);
  launch.shape.has_cluster = false;
  launch.shape.cooperative = true;
  kernel.limits.resident_blocks = 2;
  EXPECT_EQ(judged().code, Errc::cooperative_too_large);
}

TEST_F(Judge, AStreamOfAnotherDevice) {
  launch.stream_device = 1;
  EXPECT_EQ(judged().code, Errc::stream_wrong_device);
}

TEST_F(Judge, WhatItDoesNotKnowIsTheRuntimesRefusal) {
  const LaunchError error = judged();
  EXPECT_EQ(error.code, Errc::launch_refused);
  EXPECT_EQ(error.stage, Stage::launch);
  EXPECT_EQ(
      message(error),
      "Kernel 'axpy' launch failed: CUDA_ERROR_INVALID_VALUE (grid=(1,1,1), block=(256,1,1))");
}

TEST_F(Judge, AFaultOfEarlierWorkIsNotTheLaunchs) {
  launch.shape.grid[1] = 70000;
  reported.code = Errc::pending_error;
  reported.severity = Severity::context_lost;
  EXPECT_EQ(judged().code, Errc::pending_error);
}

/// Compares each row of the page's table of nine launches: the report for `mode` contains the words
/// of the row.
TEST_F(Judge, SaysWhatThePageShows) {
  std::ifstream in(WATCH_PAGE);
  const std::string page{std::istreambuf_iterator<char>(in), {}};
  const watch::Launch good = launch;
  std::size_t rows = 0;
  const auto check = [&](std::string_view mode) {
    const std::string head = "| `" + std::string(mode) + "` | ";
    const std::size_t at = page.find(head);
    ASSERT_NE(at, std::string::npos) << mode;
    const std::size_t begin = at + head.size();
    const std::string words = page.substr(begin, page.find(" |\n", begin) - begin);
    EXPECT_THAT(message(judged()), testing::HasSubstr(words)) << mode;
    launch = good;
    kernel.limits.max_threads_per_block = 1024;
    ++rows;
  };
  launch.shape.grid[0] = 0;
  check("zero_grid");
  launch.shape.block[1] = 0;
  check("zero_block");
  launch.shape.block[0] = 2048;
  check("block_2048");
  launch.shape.block[0] = 1;
  launch.shape.block[2] = 128;
  check("block_z_128");
  launch.shape.grid[1] = 70000;
  check("grid_y_70000");
  launch.shape.block[0] = 512;
  kernel.limits.max_threads_per_block = 256;
  check("launch_bounds");
  launch.shape.dynamic_shared = 70000;
  check("shared_70000");
  launch.shape.grid[0] = 3000000000U;
  check("blocks_3e9");
  launch.shape.dynamic_shared = 94646200309664;
  check("stream_as_shared");
  EXPECT_EQ(rows, 9U);
}

}  // namespace
