// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

#include "data_fixture.hpp"
#include <warpsafe/memory/copy.hpp>

#include <gmock/gmock.h>

#include <array>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace warpsafe::core_test {
namespace {

using CopyTest = DataTest;

// NOLINTBEGIN(bugprone-use-after-move): decltype evaluates nothing
static_assert(
    std::is_same_v<decltype(copy(std::declval<const Stream&>(), std::declval<DeviceBuffer<int>&>(),
                                 std::declval<const DeviceBuffer<int>&>())),
                   result<void>>);
static_assert(
    std::is_same_v<decltype(copy(std::declval<StreamRef>(), std::declval<PinnedBuffer<int>>(),
                                 std::declval<DeviceView<const int>>())),
                   Pending<PinnedBuffer<int>>>);
// NOLINTEND(bugprone-use-after-move)

TEST_F(CopyTest, BetweenBuffersAndPartsOfThem) {
  const auto source = filled(counting(10));
  auto target = filled(counting(10, 100));
  ASSERT_TRUE(copy(stream, target.view().subspan(2, 3), source.view().subspan(5, 3)).has_value());
  EXPECT_EQ(read(target), (std::vector<int>{100, 101, 5, 6, 7, 105, 106, 107, 108, 109}));
  ASSERT_TRUE(copy(stream, target, source).has_value());
  EXPECT_EQ(read(target), counting(10));
}

TEST_F(CopyTest, SourceAndTargetHaveTheSameNumberOfElements) {
  const auto source = filled(counting(10));
  auto target = filled(counting(8));
  const auto copies = host::calls_made(Call::copy);
  const auto refused = copy(stream, target, source, app);
  EXPECT_EQ(said(refused), "Refused: 10 elements where 8 are needed\n  at app.cpp:7");
  EXPECT_EQ(host::calls_made(Call::copy), copies);
  EXPECT_EQ(error_in(copy_and_wait(stream, target, counting(3))).code, Errc::size_mismatch);
}

TEST_F(CopyTest, ReturnsBeforeItHasRun) {
  const auto source = filled(counting(4));
  auto target = filled(counting(4, 9));
  hold(stream);
  ASSERT_TRUE(copy(stream, target, source).has_value());
  auto token = copy(stream, PinnedBuffer<int>::create(4).value(), target);
  EXPECT_FALSE(token.ready().value());
  open();
  const auto pinned = std::move(token).get().value();
  EXPECT_THAT(pinned.span(), ::testing::ElementsAre(0, 1, 2, 3));
}

TEST_F(CopyTest, PinnedMemoryGoesInAndComesBack) {
  auto pinned = PinnedBuffer<int>::create(3).value();
  for (int i = 0; i < 3; ++i) pinned.span()[static_cast<std::size_t>(i)] = 7 + i;
  auto target = DeviceBuffer<int>::create(stream, 3).value();
  pinned = copy(stream, target, std::move(pinned)).get().value();
  EXPECT_EQ(pinned.size(), 3U);
  EXPECT_EQ(read(target), counting(3, 7));
  EXPECT_EQ(error_in(copy(stream, PinnedBuffer<int>::create(2).value(), target).get()).code,
            Errc::size_mismatch);
}

TEST_F(CopyTest, OfPageableMemoryHasEndedWhenItReturns) {
  auto target = DeviceBuffer<int>::create(stream, 3).value();
  ASSERT_TRUE(copy_and_wait(stream, target, counting(3, 5)).has_value());
  std::array<int, 3> back{};
  ASSERT_TRUE(copy_and_wait(stream, back, target).has_value());
  EXPECT_THAT(back, ::testing::ElementsAre(5, 6, 7));
  int two[2] = {};
  ASSERT_TRUE(copy_and_wait(stream, two, target.view().subspan(1, 2)).has_value());
  EXPECT_THAT(two, ::testing::ElementsAre(6, 7));
}

TEST_F(CopyTest, BetweenTwoDevicesGoesFromPeerToPeer) {
  host::set_device_count(2);
  const Stream other = Stream::create(DeviceId(1)).value();
  const auto source = filled(counting(4));
  auto target = DeviceBuffer<int>::create(other, 4).value();
  EXPECT_EQ(target.view().device(), 1);
  EXPECT_EQ(target.view().subspan(1, 2).device(), 1);
  ASSERT_TRUE(stream.synchronize().has_value());
  ASSERT_TRUE(copy(other, target, source).has_value());
  ASSERT_TRUE(copy(other, target.view().subspan(0, 2), source.view().subspan(2, 2)).has_value());
  EXPECT_EQ(host::calls_made(Call::copy_peer), 2U);
  EXPECT_EQ(target.to_host(other).get().value(), (std::vector<int>{2, 3, 2, 3}));
}

TEST_F(CopyTest, OfNothingCallsNothing) {
  auto target = DeviceBuffer<int>::create(stream, 0).value();
  const auto source = DeviceBuffer<int>::create(stream, 0).value();
  EXPECT_TRUE(copy(stream, target, source).has_value());
  EXPECT_TRUE(copy_and_wait(stream, target, std::vector<int>{}).has_value());
  EXPECT_EQ(host::calls_made(Call::copy), 0U);
}

TEST_F(CopyTest, WhatTheRuntimeRefusesIsAnError) {
  const auto source = filled(counting(4));
  auto target = filled(counting(4));
  host::fail_next(Call::copy, 1, HostStatus::invalid_value);
  EXPECT_EQ(said(copy(stream, target, source, app)),
            "copy on the device failed: invalid argument (hostErrorInvalidValue, 1)\n"
            "  at app.cpp:7");
}

TEST_F(CopyTest, WhatWaitsIsRefusedInACaptureAndBreaksNone) {
  auto source = filled(counting(4));
  auto target = filled(counting(4, 9));
  ASSERT_EQ(host_backend::capture_begin(stream.native(), CaptureMode::global), 0);
  EXPECT_EQ(error_in(source.to_host(stream).get()).code, Errc::stream_capturing);
  EXPECT_EQ(error_in(source.assign(counting(4))).code, Errc::stream_capturing);
  EXPECT_EQ(error_in(copy_and_wait(stream, target, counting(4))).code, Errc::stream_capturing);
  EXPECT_EQ(error_in(copy(stream, target, PinnedBuffer<int>::create(4).value()).get()).code,
            Errc::stream_capturing);
  EXPECT_TRUE(copy(stream, target, source).has_value());
  EXPECT_TRUE(source.zero(stream).has_value());
  host_backend::native_graph graph{};
  ASSERT_EQ(host_backend::capture_end(stream.native(), graph), 0) << "the capture is whole";
  std::size_t nodes = 0;
  ASSERT_EQ(host_backend::graph_nodes(graph, nodes), 0);
  EXPECT_EQ(nodes, 2U);
  EXPECT_EQ(host_backend::graph_destroy(graph), 0);
  EXPECT_EQ(read(target), counting(4, 9)) << "captured, and not run";
}

TEST_F(CopyTest, BesideACaptureEverythingGoesOn) {
  const Stream other = Stream::create().value();
  const auto source = filled(counting(4));
  auto early = copy(stream, PinnedBuffer<int>::create(4).value(), source);
  ASSERT_EQ(host_backend::capture_begin(other.native(), CaptureMode::global), 0);
  EXPECT_TRUE(early.ready().has_value());
  EXPECT_TRUE(std::move(early).get().has_value());
  {
    auto buffer = filled(counting(4));
    EXPECT_EQ(read(buffer), counting(4));
    EXPECT_TRUE(synchronize(stream, buffer.to_host(stream)).has_value());
  }
  EXPECT_TRUE(PinnedBuffer<int>::create(4).value().close().has_value());
  host_backend::native_graph graph{};
  ASSERT_EQ(host_backend::capture_end(other.native(), graph), 0) << "the capture is whole";
  EXPECT_EQ(host_backend::graph_destroy(graph), 0);
}

TEST_F(CopyTest, AFreeThatMeetsACaptureIsMadeAfterwards) {
  auto source = filled(counting(4));
  ASSERT_EQ(host_backend::capture_begin(stream.native(), CaptureMode::global), 0);
  EXPECT_TRUE(source.close().has_value());
  EXPECT_EQ(host::calls_made(Call::deallocate), 0U);
  host_backend::native_graph graph{};
  ASSERT_EQ(host_backend::capture_end(stream.native(), graph), 0) << "the capture is whole";
  EXPECT_EQ(host_backend::graph_destroy(graph), 0);
  const auto later = filled(counting(1));
  EXPECT_EQ(host::calls_made(Call::deallocate), 1U);
  EXPECT_EQ(held_bytes(), 4U);
}

}  // namespace
}  // namespace warpsafe::core_test
