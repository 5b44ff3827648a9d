// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

#include "launch_fixture.hpp"

#include <gmock/gmock.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <sstream>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace warpsafe::core_test {
namespace {

struct Device : ::testing::Test {
  Device() { host::reset(); }
  ~Device() override { host::reset(); }
  Device(const Device&) = delete;
  Device& operator=(const Device&) = delete;
};

int current() { return current_device().value().value(); }

TEST_F(Device, AnIdentifierIsItsOrdinal) {
  EXPECT_EQ(DeviceId(3).value(), 3);
  EXPECT_EQ(DeviceId{}, DeviceId(0));
  EXPECT_NE(DeviceId(3), DeviceId(0));
  std::ostringstream out;
  out << DeviceId(3);
  EXPECT_EQ(out.str(), "3");
}

TEST_F(Device, AreCounted) {
  EXPECT_EQ(device_count().value(), 1);
  host::set_device_count(3);
  EXPECT_EQ(device_count().value(), 3);
}

TEST_F(Device, WithoutOneEveryQuestionSaysSo) {
  host::set_device_count(0);
  const auto counted = device_count();
  const std::string line = std::to_string(__LINE__ - 1);
  EXPECT_EQ(error_in(counted).code, Errc::no_device);
  EXPECT_EQ(error_in(counted).stage, Stage::runtime_call);
  EXPECT_EQ(said(counted),
            "device count failed: no device was found: no device (hostErrorNoDevice, 100)\n"
            "  at device_test.cpp:" +
                line);
  EXPECT_EQ(error_in(current_device()).code, Errc::no_device);
  EXPECT_EQ(text(error_in(current_device()).operation), "current device");
  EXPECT_EQ(error_in(DeviceGuard::create(DeviceId(0))).code, Errc::no_device);
}

TEST_F(Device, LimitsAreTheDevicesWithNameAndOrdinal) {
  host::set_device_count(2);
  DeviceLimits limits = limits::sm_90;
  limits.name = Name::of("Second");
  ASSERT_TRUE(host::set_limits(1, limits));
  const DeviceLimits second = device_limits(DeviceId(1)).value();
  EXPECT_EQ(text(second.name), "Second");
  EXPECT_EQ(second.device, 1);
  EXPECT_EQ(second.shared_per_block_optin, 232448U);
  EXPECT_FALSE(second.floored);
  EXPECT_EQ(device_limits(DeviceId(0)).value().shared_per_block_optin, 49152U);
}

TEST_F(Device, WhatIsNotReportedIsTheMarkedFloor) {
  DeviceLimits limits = limits::sm_90;
  limits.max_threads_per_block = 0;
  ASSERT_TRUE(host::set_limits(0, limits));
  const DeviceLimits filled = device_limits(DeviceId(0)).value();
  EXPECT_EQ(filled.max_threads_per_block, 1024U);
  EXPECT_TRUE(filled.floored);
}

TEST_F(Device, ThatDoesNotExistIsNamed) {
  for (const int ordinal : {1, 7}) {
    const auto limits = device_limits(DeviceId(ordinal));
    const std::string line = std::to_string(__LINE__ - 1);
    EXPECT_EQ(error_in(limits).code, Errc::device_invalid);
    EXPECT_EQ(error_in(limits).device, ordinal);
    EXPECT_EQ(said(limits), "device limits failed: device " + std::to_string(ordinal) +
                                " does not exist (hostErrorInvalidDevice, 101)\n"
                                "  at device_test.cpp:" +
                                line);
  }
  const auto guard = DeviceGuard::create(DeviceId(7));
  const std::string line = std::to_string(__LINE__ - 1);
  EXPECT_EQ(said(guard),
            "set device failed: device 7 does not exist (hostErrorInvalidDevice, 101)\n"
            "  at device_test.cpp:" +
                line);
  EXPECT_EQ(error_in(device_limits(DeviceId(-1))).code, Errc::device_invalid);
  // A number of 64 bits does not become device 0.
  const std::int64_t wide = std::int64_t{1} << 32U;
  constexpr long long wide_number = -2147483649;
  EXPECT_EQ(error_in(device_limits(DeviceId(wide))).code, Errc::device_invalid);
  EXPECT_EQ(error_in(device_limits(DeviceId(3000000000U))).code, Errc::device_invalid);
  EXPECT_EQ(DeviceId(std::size_t{7}).value(), 7);
  static_assert(DeviceId(2147483647).value() == 2147483647 && DeviceId(wide_number).value() == -1);
  EXPECT_EQ(current(), 0);
}

TEST_F(Device, AGuardThatIsMissingIsPrintedUnlessTheProgramLooks) {
  const auto printed = [](const auto& work) {
    ::testing::internal::CaptureStderr();
    work();
    return ::testing::internal::GetCapturedStderr();
  };
  EXPECT_EQ(printed([] {
              auto guard = DeviceGuard::create(DeviceId(7), app);
              const auto moved = std::move(guard);
            }),
            "warpsafe: nothing looked at the result of DeviceGuard::create(DeviceId(7)), which "
            "failed: invalid device ordinal; the work that followed used the device that was "
            "current\n  made at /home/me/src/app.cpp:7; write WARPSAFE_TRY(const auto guard, "
            "DeviceGuard::create(device))\n");
  const auto tried = []() -> result<void> {
    WARPSAFE_TRY(const auto guard, DeviceGuard::create(DeviceId(7)));
    return success();
  };
  const auto returned = [](int device) -> result<DeviceGuard> {
    return DeviceGuard::create(DeviceId(device), app);
  };
  const auto taken = []<class T>(result<T> made) { return made.has_value(); };
  const auto looked_at = []<class T>(const result<T>& made) { return made.has_value(); };
  EXPECT_THAT(printed([&] { const auto guard = returned(7); }),
              ::testing::HasSubstr("DeviceId(7)"));
  EXPECT_EQ(printed([&] {
              EXPECT_FALSE(tried().has_value());
              EXPECT_FALSE(returned(7).has_value());
              EXPECT_FALSE(taken(returned(7)));
              EXPECT_FALSE(looked_at(returned(7)));
              EXPECT_TRUE(taken(DeviceGuard::create(DeviceId(0))));
              EXPECT_FALSE(DeviceGuard::create(DeviceId(7)));
              EXPECT_TRUE(DeviceGuard::create(DeviceId(7)).has_error());
              EXPECT_EQ(DeviceGuard::create(DeviceId(7)).error().code, Errc::device_invalid);
              EXPECT_THROW(static_cast<void>(DeviceGuard::create(DeviceId(7)).value()),
                           LaunchException);
              const auto looked = DeviceGuard::create(DeviceId(7));
              EXPECT_FALSE(looked.has_value());
              const auto right = DeviceGuard::create(DeviceId(0));
            }),
            "");
  EXPECT_EQ(printed([] { const auto off = DeviceGuard::create<CheckLevel::off>(DeviceId(7)); }),
            "");
}

TEST_F(Device, TheErrorOfAGuardThatExistsNamesTheCallersLine) {
  const auto guard = DeviceGuard::create(DeviceId(0));
  try {
    static_cast<void>(guard.error());
    FAIL();
  } catch (const BadResultAccess& exception) {
    EXPECT_THAT(exception.what(), ::testing::HasSubstr("device_test.cpp:"));
  }
}

TEST_F(Device, AGuardMakesOneCurrentAndRestoresTheOneBefore) {
  host::set_device_count(3);
  {
    auto outer = DeviceGuard::create(DeviceId(1));
    ASSERT_TRUE(outer.has_value());
    EXPECT_EQ(current(), 1);
    {
      auto inner = DeviceGuard::create(DeviceId(2));
      ASSERT_TRUE(inner.has_value());
      EXPECT_EQ(current(), 2);
    }
    EXPECT_EQ(current(), 1);
  }
  EXPECT_EQ(current(), 0);
}

TEST_F(Device, AMovedGuardRestoresOnce) {
  host::set_device_count(2);
  {
    DeviceGuard outer = [] {
      DeviceGuard inner = DeviceGuard::create(DeviceId(1)).value();
      return DeviceGuard(std::move(inner));
    }();
    EXPECT_EQ(current(), 1);
  }
  EXPECT_EQ(current(), 0);
}

TEST_F(Device, AGuardOfTheCurrentOneCallsNothing) {
  host::set_device_count(2);
  {
    auto guard = DeviceGuard::create(DeviceId(0));
    ASSERT_TRUE(guard.has_value());
  }
  EXPECT_EQ(host::calls_made(call_of<&host_backend::set_device>), 0U);
}

TEST_F(Device, GuardsMayEndInAnyOrder) {
  host::set_device_count(4);
  auto first = std::make_unique<DeviceGuard>(DeviceGuard::create(DeviceId(1)).value());
  auto second = std::make_unique<DeviceGuard>(DeviceGuard::create(DeviceId(2)).value());
  auto third = std::make_unique<DeviceGuard>(DeviceGuard::create(DeviceId(3)).value());
  second.reset();
  EXPECT_EQ(current(), 3) << "the innermost guard holds";
  first.reset();
  EXPECT_EQ(current(), 3);
  third.reset();
  EXPECT_EQ(current(), 0);
}

TEST_F(Device, AGuardThatIsClosedSaysWhatItCouldNotRestore) {
  host::set_device_count(3);
  auto outer = DeviceGuard::create(DeviceId(1)).value();
  auto inner = DeviceGuard::create(DeviceId(2)).value();
  host::fail_next(call_of<&host_backend::set_device>, 1, HostStatus::invalid_value);
  const LaunchError error = error_in(inner.close());
  EXPECT_EQ(error.code, Errc::runtime_failed);
  EXPECT_EQ(error.device, 1);
  EXPECT_EQ(error.raw, raw(HostStatus::invalid_value));
  EXPECT_EQ(text(error.operation), "restore device");
  EXPECT_EQ(current(), 2);
  const auto made = host::calls_made(call_of<&host_backend::set_device>);
  EXPECT_TRUE(inner.close().has_value()) << "it has ended";
  EXPECT_EQ(host::calls_made(call_of<&host_backend::set_device>), made);
  EXPECT_TRUE(outer.close().has_value());
  EXPECT_EQ(current(), 0);
}

TEST_F(Device, AStreamOfAnotherDeviceIsNotMadeIfTheCurrentOneCannotComeBack) {
  host::set_device_count(2);
  host::fail_next(call_of<&host_backend::set_device>, 2, HostStatus::invalid_value);
  const LaunchError error = error_in(Stream::create(DeviceId(1)));
  EXPECT_EQ(error.code, Errc::runtime_failed);
  EXPECT_EQ(error.device, 0);
  EXPECT_EQ(host::calls_made(call_of<&host_backend::stream_destroy>), 1U);
}

TEST_F(Device, AGuardOfTheSameDeviceHoldsItToo) {
  host::set_device_count(2);
  auto outer = std::make_unique<DeviceGuard>(DeviceGuard::create(DeviceId(1)).value());
  {
    const auto inner = DeviceGuard::create(DeviceId(1)).value();
    outer.reset();
    EXPECT_EQ(current(), 1);
  }
  EXPECT_EQ(current(), 0);
}

TEST_F(Device, AGuardThatEndsInAnotherThreadLeavesThatThreadsDevice) {
  host::set_device_count(3);
  auto guard = std::make_unique<DeviceGuard>(DeviceGuard::create(DeviceId(1)).value());
  std::thread([&] {
    ASSERT_EQ(host_backend::set_device(2), 0);
    guard.reset();
    EXPECT_EQ(current(), 2);
  }).join();
}

TEST_F(Device, ManyGuardsEndAsTheyBegan) {
  host::set_device_count(3);
  std::vector<DeviceGuard> guards;
  guards.reserve(100);
  for (int i = 0; i < 100; ++i) guards.push_back(DeviceGuard::create(DeviceId(i % 3)).value());
  while (!guards.empty()) {
    guards.pop_back();
    EXPECT_EQ(current(), guards.empty() ? 0 : static_cast<int>((guards.size() - 1) % 3));
  }
}

// Of the guards beyond the first 32 the thread keeps no list.
TEST_F(Device, AGuardThatWasClosedDoesNothingMore) {
  host::set_device_count(3);
  std::vector<DeviceGuard> guards;
  guards.reserve(34);
  for (int i = 0; i < 34; ++i) guards.push_back(DeviceGuard::create(DeviceId(i % 2)).value());
  for (const std::size_t place : {33U, 32U, 31U}) {
    EXPECT_TRUE(guards[place].close().has_value());
    EXPECT_EQ(current(), static_cast<int>((place - 1) % 2));
    ASSERT_EQ(host_backend::set_device(2), 0);
    EXPECT_TRUE(guards[place].close().has_value());
    EXPECT_EQ(current(), 2);
    guards.pop_back();
    EXPECT_EQ(current(), 2);
    ASSERT_EQ(host_backend::set_device(static_cast<int>((place - 1) % 2)), 0);
  }
}

/// A runtime that tells a device's name by a question of its own.
struct Named : host_backend {
  static int limits_of(int device, DeviceLimits& limits) noexcept {
    const int status = host_backend::limits_of(device, limits);
    if (device == 0) limits.name = {};
    return status;
  }
  static Name device_name(int device) noexcept {
    return Name::of(device == 0 ? "asked for" : "wrong");
  }
};
TEST_F(Device, ItsNameIsAskedForIfItsLimitsHaveNone) {
  host::set_device_count(2);
  EXPECT_EQ(text(device_limits<Named>(DeviceId(0)).value().name), "asked for");
  EXPECT_EQ(text(device_limits<Named>(DeviceId(1)).value().name),
            text(device_limits(DeviceId(1)).value().name));
}

/// The devices of the guards of a thread, and the device that it has made current.
struct GuardModel {
  detail::GuardedDevices guards{};
  std::vector<std::pair<std::uint64_t, int>> live;  ///< number and device, the innermost last
  int now = 0;

  std::uint64_t make(int device) {
    const std::uint64_t number = guards.push(now, device);
    if (number == 0) return 0;
    live.emplace_back(number, device);
    now = device;
    return number;
  }
  void end(std::size_t which) {
    const std::uint64_t number = live[which].first;
    live.erase(live.begin() + static_cast<std::ptrdiff_t>(which));
    const int restored = guards.pop(number);
    EXPECT_GE(restored, -1);
    if (restored >= 0) now = restored;
  }
};

// The innermost guard's device is current, whatever the order of their ends.
TEST(GuardedDevices, FollowTheModelForEveryOrder) {
  std::uint32_t state = 20261127;
  const auto random = [&](std::size_t below) {
    state = state * 1664525U + 1013904223U;
    return static_cast<std::size_t>(state >> 16U) % below;
  };
  GuardModel model;
  for (int round = 0; round < 20000; ++round) {
    const bool full = model.live.size() == detail::GuardedDevices::room;
    if (full) {
      EXPECT_EQ(model.guards.push(model.now, 1), 0U) << "there is no room";
    }
    if (!full && (model.live.empty() || random(40) < 40 - model.live.size())) {
      EXPECT_NE(model.make(static_cast<int>(random(4))), 0U);
    } else {
      model.end(random(model.live.size()));
    }
    ASSERT_EQ(model.now, model.live.empty() ? 0 : model.live.back().second) << round;
    ASSERT_EQ(model.guards.count, static_cast<int>(model.live.size()));
    ASSERT_EQ(model.guards.pop(~std::uint64_t{0}), -1) << "that guard is not of this thread";
  }
  while (!model.live.empty()) model.end(0);
  EXPECT_EQ(model.now, 0);
}

// An entry that has ended stays behind the last one.
TEST(GuardedDevices, AnEndedGuardChangesNothing) {
  GuardModel model;
  model.make(1);
  const std::uint64_t ended = model.make(2);
  model.end(1);
  EXPECT_EQ(model.guards.pop(ended), -1);
  EXPECT_EQ(model.guards.count, 1);
  model.end(0);
  EXPECT_EQ(model.now, 0);
}

TEST(GuardedDevices, AllOfThemMayEndFromTheOutside) {
  GuardModel model;
  for (int i = 0; i < detail::GuardedDevices::room; ++i) EXPECT_NE(model.make(1 + i % 3), 0U);
  for (int i = 0; i < detail::GuardedDevices::room; ++i) model.end(0);
  EXPECT_EQ(model.now, 0);
}

TEST_F(Device, AGuardIsNotMadeIfTheCurrentDeviceIsNotKnown) {
  host::set_device_count(2);
  host::fail_next(call_of<&host_backend::current_device>, 1, HostStatus::invalid_value);
  const LaunchError error = error_in(DeviceGuard::create(DeviceId(1)));
  EXPECT_EQ(error.code, Errc::runtime_failed);
  EXPECT_EQ(error.device, 1);
  EXPECT_EQ(host::calls_made(call_of<&host_backend::set_device>), 0U);
  EXPECT_EQ(current(), 0);
}

}  // namespace
}  // namespace warpsafe::core_test
