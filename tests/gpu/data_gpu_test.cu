// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// Tests buffers, copies and tokens on a real device. Compares the data element by element, runs
// captures beside them, and compares the driver's own memory count with ours.

#include "gpu.hpp"
#include <warpsafe/error/message.hpp>
#include <warpsafe/memory/copy.hpp>
#include <warpsafe/memory/managed_buffer.hpp>
#include <warpsafe/memory/memory_info.hpp>
#include <warpsafe/memory/pitched_buffer.hpp>
#include <warpsafe/memory/synchronize.hpp>
#include <warpsafe/warpsafe.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace ws = warpsafe;

namespace {

WARPSAFE_KERNEL void add_one_slowly(int* values, std::size_t n, long long clocks) {
  const long long start = clock64();
  while (clock64() - start < clocks) {
  }
  for (auto i : ws::grid_stride(n)) values[i] += 1;
}
WARPSAFE_KERNEL void negate(ws::PitchedSpan<int> matrix) {
  const ws::Index3 at = ws::thread_index();
  if (matrix.size().contains(at)) matrix[at] = -matrix[at];
}

constexpr std::size_t many = 1 << 20;
constexpr long long slow = 20'000'000;  // clocks: some 10 ms

std::vector<int> counting(std::size_t count, int first = 0) {
  std::vector<int> values(count);
  std::iota(values.begin(), values.end(), first);
  return values;
}

class DataOnGpu : public ::testing::Test {
 protected:
  void SetUp() override {
    WARPSAFE_TEST_NEEDS_GPU();
    stream = ws::Stream::create().value();
  }
  void TearDown() override {
    // No call here leaves an error behind, and no function of the library clears one.
    if (stream) {
      EXPECT_EQ(cudaPeekAtLastError(), expected_last_error);
      static_cast<void>(cudaGetLastError());
    }
  }
  /// `values` + 1, some time from now.
  void add_one(ws::DeviceBuffer<int>& buffer, const ws::Stream& on) const {
    const auto launched =
        ws::launch(on, ws::LaunchConfig{ws::grid<64>, ws::block<256>}, ws::kernel<add_one_slowly>,
                   buffer.view(), buffer.size(), slow);
    ASSERT_TRUE(launched.has_value()) << ws::message(launched.error());
  }
  std::optional<ws::Stream> stream;
  cudaError_t expected_last_error = cudaSuccess;
};

TEST_F(DataOnGpu, ATokenWaitsForTheKernelBeforeIt) {
  auto buffer = ws::DeviceBuffer<int>::from(*stream, counting(many)).value();
  add_one(buffer, *stream);
  EXPECT_EQ(buffer.to_host(*stream).get().value(), counting(many, 1));
}

TEST_F(DataOnGpu, APinnedCopyReturnsAtOnceAndKeepsItsBuffer) {
  auto buffer = ws::DeviceBuffer<int>::from(*stream, counting(many)).value();
  auto pinned = ws::PinnedBuffer<int>::create(many).value();
  add_one(buffer, *stream);
  auto token = ws::copy(*stream, ws::from(buffer), ws::to(std::move(pinned)));
  EXPECT_FALSE(token.ready().value()) << "the kernel takes longer than the call";
  ASSERT_TRUE(buffer.close().has_value());
  const auto back = std::move(token).get().value();
  EXPECT_TRUE(std::equal(back.span().begin(), back.span().end(), counting(many, 1).begin()));
}

TEST_F(DataOnGpu, ABufferIsFreedAfterItsUseOnAnotherStream) {
  const auto other = ws::Stream::create().value();
  auto target = ws::DeviceBuffer<int>::create(*stream, many).value();
  {
    auto source = ws::DeviceBuffer<int>::from(*stream, counting(many)).value();
    add_one(source, other);
    ASSERT_TRUE(ws::copy(other, ws::from(source), ws::to(target)).has_value());
  }
  // A new allocation in `stream` may receive the source's memory, and must not overwrite it.
  auto next = ws::DeviceBuffer<int>::create(*stream, many).value();
  ASSERT_TRUE(next.fill_bytes(*stream, std::byte{0xff}).has_value());
  ASSERT_TRUE(other.synchronize().has_value());
  EXPECT_EQ(target.to_host(*stream).get().value(), counting(many, 1));
}

TEST_F(DataOnGpu, MatricesKeepTheirRowsApart) {
  const ws::extent<2> size{ws::rows{37}, ws::cols{53}};
  auto matrix = ws::PitchedBuffer<int>::create(*stream, size).value();
  ASSERT_TRUE(ws::copy_and_wait(*stream, ws::from(counting(37 * 53)), ws::to(matrix)).has_value());
  ASSERT_TRUE(ws::launch(*stream, ws::configure(ws::SafeGrid<>::cover(size, ws::block<16, 16>)),
                         ws::kernel<negate>, matrix.view())
                  .has_value());
  auto expected = counting(37 * 53);
  for (int& value : expected) value = -value;
  EXPECT_EQ(matrix.to_host(*stream).get().value(), expected);
  auto part =
      ws::PitchedBuffer<int>::create(*stream, ws::extent<2>{ws::rows{2}, ws::cols{3}}).value();
  ASSERT_TRUE(
      ws::copy(
          *stream,
          ws::from(
              matrix.view().window(ws::extent<2>{ws::rows{10}, ws::cols{50}}, part.size()).value()),
          ws::to(part))
          .has_value());
  EXPECT_EQ(part.to_host(*stream).get().value(),
            (std::vector<int>{-580, -581, -582, -633, -634, -635}));
}

TEST_F(DataOnGpu, ManagedMemoryGoesBackAndForth) {
  auto made = ws::ManagedBuffer<int>::create(*stream, 1000);
  if (!made.has_value()) {
    ASSERT_EQ(made.error().code, ws::Errc::unsupported);
    GTEST_SKIP() << ws::message(made.error());
  }
  auto on_host = std::move(made).value().to_host(*stream).get().value();
  for (int& value : on_host.span()) value = 1;
  auto buffer = std::move(on_host).to_device();
  ASSERT_TRUE(ws::launch(*stream, ws::LaunchConfig{ws::grid<4>, ws::block<256>},
                         ws::kernel<add_one_slowly>, buffer.view(), buffer.size(), slow)
                  .has_value());
  const auto back = std::move(buffer).to_host(*stream).get().value();
  for (const int value : back.span()) ASSERT_EQ(value, 2);
}

TEST_F(DataOnGpu, OutOfMemoryTellsWhatTheDriverSees) {
  const auto some = ws::DeviceBuffer<char>::create(*stream, 1 << 20).value();
  const auto now = ws::memory_info(ws::DeviceId(0)).value();
  EXPECT_GE(now.held, std::uint64_t{1} << 20U);
  EXPECT_LE(now.held, now.total - now.free);
  const auto refused = ws::DeviceBuffer<char>::create(*stream, std::uint64_t{1} << 46U);
  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(refused.error().code, ws::Errc::out_of_memory);
  EXPECT_EQ(refused.error().limit, now.total);
  EXPECT_EQ(refused.error().held, now.held);
  expected_last_error = cudaErrorMemoryAllocation;  // the runtime's own
}

/// Follows the driver's own rules for a thread that has relaxed its mode.
TEST_F(DataOnGpu, NothingBreaksACaptureOfAnotherStream) {
  for (const auto mode : {cudaStreamCaptureModeGlobal, cudaStreamCaptureModeThreadLocal}) {
    const auto capturing = ws::Stream::create().value();
    auto early = ws::DeviceBuffer<int>::from(*stream, counting(4)).value();
    auto token =
        ws::copy(*stream, ws::from(early), ws::to(ws::PinnedBuffer<int>::create(4).value()));
    ASSERT_EQ(cudaStreamBeginCapture(capturing.native(), mode), cudaSuccess);
    EXPECT_TRUE(token.ready().has_value());
    EXPECT_TRUE(std::move(token).get().has_value());
    {
      auto buffer = ws::DeviceBuffer<int>::from(*stream, counting(4)).value();
      EXPECT_TRUE(ws::synchronize(*stream, buffer.to_host(*stream)).has_value());
      EXPECT_TRUE(ws::PinnedBuffer<int>::create(4).has_value());
      const auto managed = ws::ManagedBuffer<int>::create(*stream, 4);
      EXPECT_TRUE(managed.has_value()) << ws::message(managed.error());
    }
    EXPECT_TRUE(early.close().has_value());
    cudaGraph_t graph = nullptr;
    EXPECT_EQ(cudaStreamEndCapture(capturing.native(), &graph), cudaSuccess) << "whole";
    if (graph != nullptr) EXPECT_EQ(cudaGraphDestroy(graph), cudaSuccess);
  }
}

TEST_F(DataOnGpu, ACapturedCopyRunsWithItsGraph) {
  auto source = ws::DeviceBuffer<int>::from(*stream, counting(4)).value();
  auto target = ws::DeviceBuffer<int>::from(*stream, counting(4, 50)).value();
  const auto held = source.keep();
  ASSERT_EQ(cudaStreamBeginCapture(stream->native(), cudaStreamCaptureModeGlobal), cudaSuccess);
  EXPECT_TRUE(ws::copy(*stream, ws::from(source), ws::to(target)).has_value());
  EXPECT_FALSE(source.to_host(*stream).get().has_value());
  EXPECT_TRUE(source.close().has_value());
  cudaGraph_t graph = nullptr;
  ASSERT_EQ(cudaStreamEndCapture(stream->native(), &graph), cudaSuccess);
  EXPECT_EQ(target.to_host(*stream).get().value(), counting(4, 50));
  cudaGraphExec_t exec = nullptr;
  ASSERT_EQ(cudaGraphInstantiate(&exec, graph, 0), cudaSuccess);
  ASSERT_EQ(cudaGraphLaunch(exec, stream->native()), cudaSuccess);
  EXPECT_EQ(target.to_host(*stream).get().value(), counting(4));
  EXPECT_EQ(cudaGraphExecDestroy(exec), cudaSuccess);
  EXPECT_EQ(cudaGraphDestroy(graph), cudaSuccess);
}

TEST_F(DataOnGpu, BetweenTwoDevices) {
  if (ws::device_count().value() < 2) GTEST_SKIP() << "needs two devices";
  const auto there = ws::Stream::create(ws::DeviceId(1)).value();
  const auto source = ws::DeviceBuffer<int>::from(*stream, counting(many)).value();
  auto target = ws::DeviceBuffer<int>::create(there, many).value();
  ASSERT_TRUE(ws::copy(there, ws::from(source), ws::to(target)).has_value());
  EXPECT_EQ(target.to_host(there).get().value(), counting(many)) << "with device 0 current";
  // The driver refuses a captured copy between devices, and breaks the capture. The library refuses
  // it first.
  auto again = ws::DeviceBuffer<int>::from(there, counting(many, 7)).value();
  ASSERT_EQ(cudaStreamBeginCapture(there.native(), cudaStreamCaptureModeGlobal), cudaSuccess);
  const auto copied = ws::copy(there, ws::from(source), ws::to(again));
  ASSERT_FALSE(copied.has_value());
  EXPECT_EQ(copied.error().code, ws::Errc::stream_capturing);
  cudaGraph_t graph = nullptr;
  ASSERT_EQ(cudaStreamEndCapture(there.native(), &graph), cudaSuccess) << "whole";
  EXPECT_EQ(cudaGraphDestroy(graph), cudaSuccess);
  EXPECT_EQ(again.to_host(there).get().value(), counting(many, 7));
}

}  // namespace
