// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

#include "data_fixture.hpp"
#include <warpsafe/graph/capture.hpp>
#include <warpsafe/memory/managed_buffer.hpp>

#include <gmock/gmock.h>

#include <type_traits>
#include <utility>

WARPSAFE_KERNEL void double_all(int* values, std::size_t n) {
  for (auto i : warpsafe::grid_stride(n)) values[i] *= 2;
}

namespace warpsafe::core_test {
namespace {

static_assert(!std::is_copy_constructible_v<ManagedBuffer<int>> &&
              !std::is_copy_constructible_v<HostManaged<int>>);

using ManagedBufferTest = DataTest;

TEST_F(ManagedBufferTest, GoesFromDeviceToHostAndBack) {
  auto buffer = ManagedBuffer<int>::create(stream, 3).value();
  auto on_host = std::move(buffer).to_host(stream).get().value();
  EXPECT_EQ(on_host.size(), 3U);
  for (int& value : on_host.span()) value = 21;
  buffer = std::move(on_host).to_device();
  ASSERT_TRUE(launch(stream, LaunchConfig{grid<1>, block<32>}, kernel<double_all>, buffer.view(),
                     buffer.size())
                  .has_value());
  const auto back = std::move(buffer).to_host(stream).get().value();
  EXPECT_THAT(back.span(), ::testing::Each(42));
}

TEST_F(ManagedBufferTest, TheHostHasItOnlyWhenTheWorkHasEnded) {
  auto buffer = ManagedBuffer<int>::create(stream, 3).value();
  hold(stream);
  auto token = std::move(buffer).to_host(stream);
  EXPECT_TRUE(stays_pending(token));
  open();
  EXPECT_TRUE(std::move(token).get().has_value());
}

TEST_F(ManagedBufferTest, TheHostWaitsForEveryStreamThatHasAView) {
  const auto other = Stream::create().value();
  const auto third = Stream::create().value();
  // The work is on the buffer's own stream, and the host asks on another.
  auto buffer = ManagedBuffer<int>::create(stream, 3).value();
  hold(stream);
  auto token = std::move(buffer).to_host(other);
  EXPECT_TRUE(stays_pending(token));
  open();
  buffer = std::move(token).get().value().to_device();
  wait();
  // The work is on a stream that was given a view.
  hold(third);
  ASSERT_TRUE(launch(third, LaunchConfig{grid<1>, block<32>}, kernel<double_all>, buffer.view(),
                     buffer.size())
                  .has_value());
  auto second = std::move(buffer).to_host(other);
  EXPECT_TRUE(stays_pending(second));
  open();
  EXPECT_TRUE(std::move(second).get().has_value());
}

TEST_F(ManagedBufferTest, NothingIsLeakedIfTheCurrentDeviceCannotBeRestored) {
  host::set_device_count(2);
  const auto other = Stream::create(DeviceId(1)).value();
  const std::size_t free_before = memory_info(DeviceId(1)).value().free;
  host::fail_next(host::call_of<&host_backend::set_device>, 2, HostStatus::unknown);
  EXPECT_FALSE(ManagedBuffer<int>::create(other, 3).has_value());
  EXPECT_EQ(memory_info(DeviceId(1)).value().free, free_before);
}
TEST_F(ManagedBufferTest, TheHostDoesNotGetItWhileItsStreamCaptures) {
  const auto other = Stream::create().value();
  auto buffer = ManagedBuffer<int>::create(stream, 3).value();
  hold(stream);
  ASSERT_TRUE(launch(stream, LaunchConfig{grid<1>, block<32>}, kernel<double_all>, buffer.view(),
                     buffer.size())
                  .has_value());
  for (const auto mode : {CaptureMode::relaxed, CaptureMode::global}) {
    auto capture = Capture::begin(stream, mode).value();
    const LaunchError error = error_in(std::move(buffer).to_host(other).get());
    EXPECT_EQ(error.code, Errc::stream_capturing);
    EXPECT_EQ(error.stream, stream.native());
    EXPECT_TRUE(std::move(capture).end().has_value()) << "it goes on";
  }
  // The buffer is as it was.
  auto token = std::move(buffer).to_host(other);
  EXPECT_TRUE(stays_pending(token));
  open();
  EXPECT_TRUE(std::move(token).get().has_value());
}

TEST_F(ManagedBufferTest, WithoutChecksItDrawsNoStreamIntoACaptureOfOtherCode) {
  const auto other = Stream::create().value();
  auto buffer = ManagedBuffer<int>::create(stream, 3).value();
  for (const bool is_own : {true, false}) {
    const Stream& captured = is_own ? stream : other;
    const Stream& free_one = is_own ? other : stream;
    ASSERT_EQ(host_backend::capture_begin(captured.native(), CaptureMode::thread), 0);
    const LaunchError error = error_in(std::move(buffer).to_host<CheckLevel::off>(other).get());
    EXPECT_EQ(error.code, Errc::stream_capturing);
    EXPECT_EQ(error.stream, captured.native());
    bool capturing = true;
    EXPECT_EQ(host_backend::stream_capturing(free_one.native(), capturing), 0);
    EXPECT_FALSE(capturing);
    host_backend::native_graph graph{};
    EXPECT_EQ(host_backend::capture_end(captured.native(), graph), 0) << "it goes on";
    EXPECT_EQ(host_backend::graph_destroy(graph), 0);
  }
  EXPECT_TRUE(std::move(buffer).to_host<CheckLevel::off>(other).get().has_value());
}

TEST_F(ManagedBufferTest, AMovedOneHasNothing) {
  auto buffer = ManagedBuffer<int>::create(stream, 3).value();
  const auto next = std::move(buffer);
  EXPECT_EQ(buffer.size(), 0U);  // NOLINT(bugprone-use-after-move)
  EXPECT_TRUE(buffer.view().empty());
  EXPECT_EQ(error_in(std::move(buffer).to_host(stream).get()).code, Errc::memory_closed);
  EXPECT_EQ(next.size(), 3U);
}

TEST_F(ManagedBufferTest, AnOldViewIsRefusedWhileTheHostHasIt) {
  auto buffer = ManagedBuffer<int>::create(stream, 3).value();
  const auto view = buffer.view();
  const auto doubled = [&] {
    return launch(stream, LaunchConfig{grid<1>, block<32>}, kernel<double_all>, view, view.size());
  };
  EXPECT_TRUE(doubled().has_value());
  auto pending = std::move(buffer).to_host(stream);
  EXPECT_EQ(error_in(doubled()).code, Errc::memory_closed) << "the host may read it at any time";
  auto on_host = std::move(pending).get().value();
  const LaunchError error = error_in(doubled());
  EXPECT_EQ(error.code, Errc::memory_closed);
  EXPECT_THAT(message(error),
              ::testing::HasSubstr("argument 1 is with the host until to_device()"));
  auto again = std::move(on_host).to_device();
  EXPECT_TRUE(doubled().has_value());
  EXPECT_TRUE(stream.synchronize().has_value());
}

TEST_F(ManagedBufferTest, IsRefusedWhereTheHostMayNotTouchItBesideKernels) {
  DeviceLimits limits = device_limits(DeviceId(0)).value();
  limits.concurrent_managed_access = false;
  ASSERT_TRUE(host::set_limits(0, limits));
  const LaunchError error = error_in(ManagedBuffer<int>::create(stream, 3));
  EXPECT_EQ(error.code, Errc::unsupported);
  EXPECT_EQ(error.device, 0);
  EXPECT_EQ(text(error.operation), "allocate managed memory");
  EXPECT_THAT(message(error), ::testing::HasSubstr("concurrentManagedAccess is 0"));
  EXPECT_EQ(host::calls_made(call_of<&host_backend::allocate_managed>), 0U);
}

TEST_F(ManagedBufferTest, IsGivenBackOnce) {
  {
    auto buffer = ManagedBuffer<int>::create(stream, 3).value();
    EXPECT_EQ(held_bytes(), 12U);
    auto other = std::move(buffer);
    EXPECT_EQ(other.size(), 3U);
  }
  EXPECT_EQ(held_bytes(), 0U);
  EXPECT_EQ(host::calls_made(call_of<&host_backend::deallocate_unordered>), 1U);
}

}  // namespace
}  // namespace warpsafe::core_test
