// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// The streams that the library made, with a scripted runtime.

#include "stream_driver.hpp"
#include <warpsafe/stream/detail/shared_stream.hpp>

#include <gtest/gtest.h>

#include <cstdint>
#include <thread>
#include <utility>

namespace warpsafe::core_test {
namespace {

using SharedStreams = StreamDriverTest;

/// A backend for the bits of the devices alone.
struct NotedBackend {};

TEST(NoteDevice, TellsWhichDevicesHaveStreams) {
  unsigned long& devices = detail::devices_with_streams<NotedBackend>;
  const auto besides = &detail::has_streams_besides<NotedBackend>;
  for (const int first : {0, 1, 5, 62, 63}) {
    devices = 0;
    for (const int unknown : {-1, 64, 1000}) {
      detail::note_device<NotedBackend>(unknown);
      EXPECT_EQ(devices, 0U) << unknown;
    }
    for (int again = 0; again < 2; ++again) {
      detail::note_device<NotedBackend>(first);
      EXPECT_FALSE(besides(first));
      EXPECT_TRUE(besides(7));
      EXPECT_TRUE(besides(-1));
    }
    detail::note_device<NotedBackend>(7);
    EXPECT_TRUE(besides(first));
    EXPECT_EQ(devices, 1UL << static_cast<unsigned>(first) | 1UL << 7U);
  }
}

TEST_F(SharedStreams, ADeviceIsAskedOfAStreamThatDoesNotCapture) {
  Driver::streams_device = 3;
  const auto device_of = [](std::uintptr_t bits) {
    return detail::device_of<Driver>(reinterpret_cast<Driver::native_stream>(bits), 1);
  };
  // The vendors' default streams are those of the current device.
  for (const std::uintptr_t standard : {0U, 1U, 2U}) EXPECT_EQ(device_of(standard), 1);
  EXPECT_EQ(script.taken(), Calls{});
  EXPECT_EQ(device_of(3), 3);
  EXPECT_EQ(device_of(4 * 256), 3);
  EXPECT_EQ(script.taken(), (Calls{"stream_device 0", "stream_device 4"}));
  script.capturing.insert(Driver::handle<void*>(4));
  EXPECT_EQ(device_of(4 * 256), 1);
  script.capturing.clear();
  script.fails = {{"stream_capturing", 1}};
  EXPECT_EQ(device_of(4 * 256), 1);
  script.fails.clear();
  Driver::answers = false;
  EXPECT_EQ(device_of(4 * 256), 1) << "it may capture";
  EXPECT_EQ(script.taken(), Calls{}) << "the question would break the capture";
  Driver::answers = true;
  script.fails = {{"stream_device", 1}};
  EXPECT_EQ(device_of(4 * 256), 1);
}

TEST_F(SharedStreams, ListsTheLiveStreamsOfOtherDevices) {
  using Shared = detail::SharedStream<Driver>;
  const auto make = [](std::uintptr_t number, int device) {
    return Shared::make(Driver::handle<Driver::native_stream>(number), device);
  };
  EXPECT_EQ(Shared::other_device(0), -1);
  Shared* const first = make(1, 0);
  Shared* const second = make(2, 3);
  const std::uint64_t number = first->number.value();
  EXPECT_EQ(Shared::number_of(first->native).value(), number);
  EXPECT_EQ(Shared::other_device(0), 3);
  EXPECT_EQ(Shared::other_device(3), 0);
  EXPECT_EQ(Shared::find(first->number.value()), first);
  EXPECT_EQ(Shared::find(first->number.value() + 1000), nullptr);
  EXPECT_EQ(first->release(), 0);
  EXPECT_EQ(script.taken(), Calls{}) << "it was found, and so has another holder";
  script.fails = {{"stream_destroy", 1}};
  EXPECT_EQ(first->release(), 1);
  EXPECT_EQ(script.taken(), Calls{"stream_destroy 1"});
  EXPECT_EQ(Shared::find(number), nullptr);
  EXPECT_EQ(Shared::number_of(Driver::handle<void*>(1)).value(), 0U);
  EXPECT_EQ(Shared::other_device(3), -1);
  EXPECT_EQ(second->release(), 1);
}

TEST_F(SharedStreams, TheLastHolderOfAllThreadsDestroysAStream) {
  using Shared = detail::SharedStream<Driver>;
  const auto elsewhere = [](auto action) { std::thread(action).join(); };
  for (const bool ends_here : {true, false}) {
    Shared* const stream = Shared::make(Driver::handle<Driver::native_stream>(1), 0);
    elsewhere([&] { stream->retain(); });
    stream->retain();
    elsewhere([&] { EXPECT_EQ(stream->release(), 0); });
    EXPECT_EQ(stream->release(), 0);
    EXPECT_EQ(script.taken(), Calls{}) << "one is left";
    script.fails = {{"stream_destroy", 5}};
    const auto release = [&] { EXPECT_EQ(stream->release(), 5); };
    ends_here ? release() : elsewhere(release);
    EXPECT_EQ(script.taken(), Calls{"stream_destroy 1"});
    script.fails = {};
  }
}

TEST_F(SharedStreams, OneStreamOfEachDeviceIsKeptIfTheSwitchSaysSo) {
  const NotedWaits noted;
  const auto only = &detail::only_stream<Driver>;
  EXPECT_EQ(only(0), nullptr);
  NotedWaits::one_stream = true;
  for (const int device : {-1, 64, 65}) EXPECT_EQ(only(device), nullptr) << device;
  ASSERT_NE(only(0), nullptr);
  ASSERT_NE(only(63), nullptr);
  EXPECT_NE(only(0), only(63));
  EXPECT_EQ(only(63), only(63));
}

/// A driver of its own, since the only stream is kept as long as the program.
struct KeptDriver : StreamDriver {
  static int stream_create(native_stream& stream, int priority) noexcept {
    return StreamDriver::stream_create(stream, priority);
  }
};

TEST_F(SharedStreams, TheKeptStreamHidesNoErrorOfTheRuntime) {
  const NotedWaits noted;
  NotedWaits::one_stream = true;
  const auto first = basic_stream<KeptDriver>::create();
  const auto second = basic_stream<KeptDriver>::create();
  EXPECT_EQ(first.value().native(), second.value().native());
  script.fails = {{"current_device", 100}};
  EXPECT_EQ(error_in(basic_stream<KeptDriver>::create()).code, Errc::no_device);
}

TEST_F(SharedStreams, TheDeviceThatWasNotChosenIsTheErrorOnlyIfItIsKnown) {
  auto there = DriverStream::create(DeviceId(2)).value();
  EXPECT_EQ(script.taken(), (Calls{"set_device 2", "stream_create 0", "set_device 0"}));
  const LaunchError not_chosen = error_in(DriverStream::create(priority(0), app));
  EXPECT_EQ(finding(not_chosen),
            (Finding{Errc::device_not_chosen, Stage::validation, 0, 2, Axis::none}));
  EXPECT_EQ(not_chosen.vendor, Driver::vendor);
  EXPECT_EQ(text(not_chosen.operation), "stream create");
  for (const int status : {1, 100}) {
    script.fails = {{"current_device", status}};
    EXPECT_EQ(error_in(DriverStream::create()).raw, status);
  }
  EXPECT_EQ(script.taken(), Calls{}) << "nothing is created";
}

TEST_F(SharedStreams, AStreamThatWasMovedFromIsNone) {
  auto first = DriverStream::create(priority(-3)).value();
  auto second = DriverStream::create().value();
  EXPECT_EQ(script.taken(), (Calls{"stream_create -3", "stream_create 0"}));
  first = std::move(second);
  EXPECT_EQ(script.taken(), Calls{"stream_destroy 1"});
  EXPECT_EQ(first.native(), Driver::handle<Driver::native_stream>(2));
  // NOLINTBEGIN(bugprone-use-after-move): what is tested
  EXPECT_EQ(second.native(), nullptr);
  EXPECT_EQ(error_in(second.synchronize()).code, Errc::stream_null);
  // NOLINTEND(bugprone-use-after-move)
}

}  // namespace
}  // namespace warpsafe::core_test
