// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// Tests the tools that read a launch's data on a device: comparison, references, shadow, dumps.
// Half precision is the vendor's own type here.

#include "gpu.hpp"
#include <warpsafe/compare.hpp>
#include <warpsafe/debug.hpp>
#include <warpsafe/debug/data/launch_dump.hpp>
#include <warpsafe/error/message.hpp>
#include <warpsafe/kernel/reference.hpp>
#include <warpsafe/memory/buffer.hpp>
#include <warpsafe/warpsafe.hpp>

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

namespace ws = warpsafe;

WARPSAFE_KERNEL void smooth(float* values, std::size_t n, bool wrong) {
  for (auto i : ws::grid_stride(n)) values[i] = values[i] * 0.5F + 1;
  if (wrong && ws::thread_index().x == 12) values[12] += 0.75F;
}
void smooth_host(float* values, std::size_t n, bool) {
  for (std::size_t i = 0; i < n; ++i) values[i] = values[i] * 0.5F + 1;
}
WARPSAFE_KERNEL void halves(ws::DeviceSpan<__half> to, float value) {
  for (auto i : ws::grid_stride(to.size())) to[i] = __float2half(value);
}
void halves_host(std::span<__half> to, float value) {
  for (auto& one : to) one = __float2half(value);
}

static_assert(ws::element_type<__half> == ws::ElementType::float16);
static_assert(ws::element_type<__nv_bfloat16> == ws::ElementType::bfloat16);
static_assert(ws::element_type<float4> == ws::ElementType::float32);
static_assert(ws::element_type<double2> == ws::ElementType::float64);

namespace {

constexpr auto checked_smooth = ws::kernel<smooth, ws::reference<smooth_host>>;
constexpr std::size_t elements = 100'000;

struct CompareGpu : ::testing::Test {
  void SetUp() override { WARPSAFE_TEST_NEEDS_GPU(); }
  ~CompareGpu() override {
    ws::debug::set_shadow(nullptr);
    ws::debug::set_reference(nullptr);
    ws::debug::set_trace(nullptr);
    ws::debug::set_log_sink(nullptr);
  }
  static std::vector<float> start() {
    std::vector<float> values(elements);
    for (std::size_t i = 0; i < elements; ++i) values[i] = static_cast<float>(i % 1000);
    return values;
  }
  static auto config() { return ws::configure(ws::SafeGrid<>::cover(elements, ws::block<256>)); }
};

TEST_F(CompareGpu, DeviceMemoryIsComparedWithTheHosts) {
  const auto stream = ws::Stream::create().value();
  std::vector<float> values = start();
  auto buffer = ws::DeviceBuffer<float>::from(stream, values).value();
  EXPECT_TRUE(ws::compare(stream, buffer, values).value().agrees());
  values[777] += 1;
  const auto compared = ws::compare(stream, buffer.view(), values).value();
  EXPECT_EQ(compared.mismatches, 1U);
  EXPECT_EQ(compared.first_mismatch, 777U);
}

TEST_F(CompareGpu, AReferenceStandsForTheKernel) {
  const auto stream = ws::Stream::create().value();
  auto buffer = ws::DeviceBuffer<float>::from(stream, start()).value();
  ws::debug::set_reference("smooth");
  ASSERT_TRUE(ws::launch(stream, config(), checked_smooth, buffer.view(), elements, true));
  std::vector<float> expected = start();
  smooth_host(expected.data(), elements, true);
  EXPECT_TRUE(ws::compare(stream, buffer, expected).value().agrees()) << "the host's, not wrong";
}

TEST_F(CompareGpu, AWrongKernelIsTheFirstReportedAmongAThousandLaunches) {
  const auto stream = ws::Stream::create().value();
  auto buffer = ws::DeviceBuffer<float>::from(stream, start()).value();
  ws::debug::set_shadow("all");
  int first = 0;
  for (int i = 1; i <= 1000 && first == 0; ++i) {
    const auto launched =
        ws::launch(stream, config(), checked_smooth, buffer.view(), elements, i == 617);
    if (launched.has_value()) continue;
    first = i;
    EXPECT_EQ(launched.error().code, ws::Errc::reference_differs);
    EXPECT_EQ(launched.error().value, 1U);
  }
  EXPECT_EQ(first, 617);
}

TEST_F(CompareGpu, HalfPrecisionIsComparedAsNumbers) {
  const auto stream = ws::Stream::create().value();
  // Filled, because the shadow's copy reads it before the kernel writes it.
  auto buffer =
      ws::DeviceBuffer<__half>::from(stream, std::vector<__half>(1000, __float2half(0.0F))).value();
  ws::debug::set_shadow("all");
  const auto launched = ws::launch(stream, config(), ws::kernel<halves, ws::reference<halves_host>>,
                                   buffer.view(), 1.5F);
  EXPECT_TRUE(launched.has_value()) << ws::message(launched.error());
  const std::vector<__half> expected(1000, __float2half(1.25F));
  const auto compared = ws::compare(stream, buffer, expected).value();
  EXPECT_EQ(compared.absolute.difference, 0.25);
}

TEST_F(CompareGpu, ALaunchInACaptureIsMadeAsItIs) {
  const auto stream = ws::Stream::create().value();
  auto buffer = ws::DeviceBuffer<float>::from(stream, start()).value();
  ws::debug::set_shadow("all");
  ASSERT_EQ(cudaStreamBeginCapture(stream.native(), cudaStreamCaptureModeRelaxed), cudaSuccess);
  const auto launched = ws::launch(stream, config(), checked_smooth, buffer.view(), elements, true);
  cudaGraph_t graph = nullptr;
  EXPECT_EQ(cudaStreamEndCapture(stream.native(), &graph), cudaSuccess);
  EXPECT_TRUE(launched.has_value());
  EXPECT_EQ(cudaGraphDestroy(graph), cudaSuccess);
}

TEST_F(CompareGpu, ALaunchIsWrittenToFiles) {
  const auto stream = ws::Stream::create().value();
  auto buffer = ws::DeviceBuffer<float>::from(stream, start()).value();
  const std::string folder = "compare_gpu_test." + std::to_string(::getpid());
  ws::debug::set_trace("smooth:0:1", folder.c_str());
  ASSERT_TRUE(ws::launch(stream, config(), checked_smooth, buffer.view(), elements, false));
  char number[32];
  std::snprintf(number, sizeof number, "/%06llu-smooth",
                static_cast<unsigned long long>(ws::debug::Journal::get().last()));
  ws::debug::LaunchDump dump;
  std::string problem;
  std::vector<float> before;
  std::vector<float> after;
  ASSERT_TRUE(dump.open(folder + number, problem) && dump.input(1, before, problem) &&
              dump.output(1, after, problem))
      << problem;
  EXPECT_TRUE(ws::compare(before, start()).value().agrees());
  EXPECT_TRUE(ws::compare(stream, buffer, after).value().agrees());
  std::filesystem::remove_all(folder);
}

TEST_F(CompareGpu, ALaunchThatIsLookedAtHasEndedWhenItReturns) {
  const auto stream = ws::Stream::create().value();
  auto buffer = ws::DeviceBuffer<float>::from(stream, start()).value();
  ws::debug::set_shadow("all");
  ASSERT_TRUE(ws::launch(stream, config(), checked_smooth, buffer.view(), elements, false));
  EXPECT_EQ(cudaStreamQuery(stream.native()), cudaSuccess) << "nothing is left to wait for";
}

}  // namespace
