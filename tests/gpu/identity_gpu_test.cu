// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// One handle that means several streams, on a real device: CUDA gives a destroyed stream's handle
// to the next stream while the old work still runs; cudaStreamPerThread is one value in each
// thread, and cudaStreamLegacy one value on each device. Memory must not be free, nor a value be
// there, before the work of the right stream has ended.

#include "gpu.hpp"
#include <warpsafe/memory.hpp>
#include <warpsafe/warpsafe.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

namespace ws = warpsafe;

namespace {

WARPSAFE_KERNEL void fill_late(int* values, std::size_t n, int value) {
  const long long start = clock64();
  while (clock64() - start < 200'000'000) {  // some 100 ms
  }
  for (auto i : ws::grid_stride(n)) values[i] = value;
}
WARPSAFE_KERNEL void touch(const int*, std::size_t) {}

constexpr std::size_t many = 1 << 20;
const ws::LaunchConfig once{ws::grid<1>, ws::block<256>};

class IdentityOnGpu : public ::testing::Test {
 protected:
  void SetUp() override { WARPSAFE_TEST_NEEDS_GPU(); }
  void TearDown() override { cudaDeviceSynchronize(); }

  static ws::DeviceBuffer<int> zeros(ws::StreamRef stream) {
    auto made = ws::DeviceBuffer<int>::create(stream, many).value();
    made.zero(stream).value();
    stream.synchronize().value();
    return made;
  }
  static long sevens(ws::DeviceBuffer<int>& buffer, ws::StreamRef stream) {
    const auto host = buffer.to_host(stream).get().value();
    return std::count(host.begin(), host.end(), 7);
  }
  /// Frees the buffer, and takes memory that is probably the same. Work that still used the freed
  /// memory would write into it.
  static void expect_freed_late(ws::DeviceBuffer<int> buffer, ws::StreamRef stream) {
    buffer.close().value();
    auto next = zeros(stream);
    EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
    EXPECT_EQ(sevens(next, stream), 0);
  }
};

TEST_F(IdentityOnGpu, ADestroyedStreamsWorkUsesItsMemoryUntilItEnds) {
  const auto stream = ws::Stream::create().value();
  for (const bool reuses : {false, true}) {
    auto buffer = zeros(stream);
    {
      const auto destroyed = ws::Stream::create().value();
      ws::launch(destroyed, once, ws::kernel<fill_late>, buffer.view(), many, 7).value();
    }
    std::optional<ws::Stream> next;
    if (reuses) {
      static_cast<void>(next.emplace(ws::Stream::create().value()));
      ws::launch(*next, once, ws::kernel<touch>, std::as_const(buffer).view(), many).value();
    }
    expect_freed_late(std::move(buffer), stream);
  }
}

TEST_F(IdentityOnGpu, ATokenOfADestroyedStreamIsNotThatOfTheNext) {
  const auto stream = ws::Stream::create().value();
  auto buffer = zeros(stream);
  auto pinned = ws::PinnedBuffer<int>::create(many).value();
  std::ranges::fill(pinned.span(), -1);
  std::optional destroyed(ws::Stream::create().value());
  ws::launch(*destroyed, once, ws::kernel<fill_late>, buffer.view(), many, 7).value();
  auto pending = ws::copy(*destroyed, ws::from(std::as_const(buffer)), ws::to(std::move(pinned)));
  destroyed.reset();
  const auto next = ws::Stream::create().value();
  const auto [copied] = ws::synchronize(next, std::move(pending)).value();
  EXPECT_EQ(copied.span()[many - 1], 7);
}

TEST_F(IdentityOnGpu, EachThreadHasItsOwnPerThreadStream) {
  const auto own = [] {
    return ws::StreamRef::borrow(cudaStreamPerThread, ws::DeviceId(0)).value();
  };
  auto buffer = zeros(own());
  std::thread([&] {
    ws::launch(own(), once, ws::kernel<fill_late>, buffer.view(), many, 7).value();
  }).join();
  expect_freed_late(std::move(buffer), own());
}

TEST_F(IdentityOnGpu, EachDeviceHasItsOwnLegacyStream) {
  if (ws::device_count().value() < 2) GTEST_SKIP() << "needs two GPUs, and found one";
  int is_peer = 0;
  ASSERT_EQ(cudaDeviceCanAccessPeer(&is_peer, 1, 0), cudaSuccess);
  if (is_peer == 0) GTEST_SKIP() << "device 1 cannot access the memory of device 0";
  const auto first = ws::StreamRef::borrow(cudaStreamLegacy, ws::DeviceId(0)).value();
  const auto second = ws::StreamRef::borrow(cudaStreamLegacy, ws::DeviceId(1)).value();
  EXPECT_FALSE(first == second);
  auto buffer = zeros(first);
  cudaMemPool_t pool{};
  ASSERT_EQ(cudaDeviceGetDefaultMemPool(&pool, 0), cudaSuccess);
  const cudaMemAccessDesc access{{cudaMemLocationTypeDevice, 1}, cudaMemAccessFlagsProtReadWrite};
  ASSERT_EQ(cudaMemPoolSetAccess(pool, &access, 1), cudaSuccess);
  {
    const auto guard = ws::DeviceGuard::create(ws::DeviceId(1)).value();
    ws::launch(second, once, ws::kernel<fill_late>, buffer.view(), many, 7).value();
  }
  expect_freed_late(std::move(buffer), first);
}

}  // namespace
