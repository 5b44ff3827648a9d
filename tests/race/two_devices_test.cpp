// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// Copies of another device's memory, and managed memory on another stream than the one that works
// on it. Neither needs peer access, and both need an order.

#include <warpsafe/host.hpp>
#include <warpsafe/memory.hpp>
#include <warpsafe/race/adversarial.hpp>
#include <warpsafe/warpsafe.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <utility>
#include <vector>

namespace warpsafe::adversarial::two_devices {
namespace {

using testing::HasSubstr;
using Floats = std::vector<float>;

constexpr std::size_t count = 4;
constexpr std::uint64_t some_seeds = 2000;
const LaunchConfig one_thread{grid<1>, block<1>};

WARPSAFE_KERNEL void set(float* x, float value) {
  for (std::size_t i = 0; i < count; ++i) x[i] = value;
}

/// A stream and a buffer of each of two devices.
struct Pair {
  Stream here, there;
  DeviceBuffer<float> near, far;
};
result<Pair> make_pair_of_devices() {
  WARPSAFE_TRY(auto here, Stream::create(DeviceId(0)));
  WARPSAFE_TRY(auto there, Stream::create(DeviceId(1)));
  WARPSAFE_TRY(auto near, DeviceBuffer<float>::from(here, Floats(count, 1.0F)));
  WARPSAFE_TRY(auto far, DeviceBuffer<float>::from(there, Floats(count, 2.0F)));
  return Pair{std::move(here), std::move(there), std::move(near), std::move(far)};
}
/// A kernel of device 1 writes the far memory. Its event is what a copy has to wait for.
result<Event> write_far(Pair& devices, float value) {
  WARPSAFE_TRY(const auto guard, DeviceGuard::create(DeviceId(1)));
  WARPSAFE_TRYV(launch(devices.there, one_thread, kernel<set>, devices.far.view(), value));
  return devices.there.record();
}

enum class Way { to_host, to_device, to_pinned };

/// Reads the far memory on device 0's stream, and returns whether the numbers are right.
result<bool> read_far(bool ordered, Way way) {
  WARPSAFE_TRY(auto devices, make_pair_of_devices());
  WARPSAFE_TRY(const auto written, write_far(devices, 3.0F));
  if (ordered) WARPSAFE_TRYV(wait(devices.here, written));
  Floats values;
  if (way == Way::to_host) {
    WARPSAFE_TRY(values, devices.far.to_host(devices.here).get());
  } else if (way == Way::to_pinned) {
    WARPSAFE_TRY(auto pinned, PinnedBuffer<float>::create(count));
    WARPSAFE_TRY(auto back, copy(devices.here, from(devices.far), to(std::move(pinned))).get());
    values.assign(back.span().begin(), back.span().end());
  } else {
    WARPSAFE_TRYV(copy(devices.here, from(devices.far), to(devices.near)));
    WARPSAFE_TRY(values, devices.near.to_host(devices.here).get());
  }
  return values == Floats(count, 3.0F);
}

class TwoDevices : public testing::Test {
 protected:
  TwoDevices() { host::set_device_count(2); }
  ~TwoDevices() override { host::reset(); }
  TwoDevices(const TwoDevices&) = delete;
  TwoDevices& operator=(const TwoDevices&) = delete;

  template <class Program>
  static void expect_clean(const Program& program) {
    const RaceReport report = run(some_seeds, [&]() -> result<void> {
      WARPSAFE_TRY(const bool right, program());
      EXPECT_TRUE(right);
      return success();
    });
    EXPECT_TRUE(report.clean()) << report;
  }
  template <class Program>
  static std::string expect_race(const Program& program) {
    const RaceReport report = run(some_seeds, program);
    EXPECT_FALSE(report.clean());
    if (!report.clean()) {
      EXPECT_EQ(report.findings[0].mistake, debug::Mistake::race);
    }
    return report.text();
  }
};

TEST_F(TwoDevices, ACopyOfTheOthersMemoryNeedsAnOrder) {
  for (const Way way : {Way::to_host, Way::to_device, Way::to_pinned}) {
    expect_clean([&] { return read_far(true, way); });
    EXPECT_THAT(expect_race([&] { return read_far(false, way); }),
                HasSubstr("kernel 'set' on stream 2"));
  }
}

TEST_F(TwoDevices, ACopyIntoTheOthersMemoryNeedsAnOrder) {
  const auto program = [](bool ordered) -> result<bool> {
    WARPSAFE_TRY(auto devices, make_pair_of_devices());
    // The buffer is new to device 0's stream.
    WARPSAFE_TRY(const auto guard, DeviceGuard::create(DeviceId(1)));
    WARPSAFE_TRY(const auto allocated, devices.there.record());
    WARPSAFE_TRYV(wait(devices.here, allocated));
    WARPSAFE_TRYV(copy(devices.here, from(devices.near), to(devices.far)));
    if (ordered) {
      WARPSAFE_TRY(const auto inner, DeviceGuard::create(DeviceId(0)));
      WARPSAFE_TRY(const auto copied, devices.here.record());
      WARPSAFE_TRYV(wait(devices.there, copied));
    }
    WARPSAFE_TRY(const auto values, devices.far.to_host(devices.there).get());
    return values == Floats(count, 1.0F);
  };
  expect_clean([&] { return program(true); });
  expect_race([&] { return program(false); });
}

// `assign` runs on the buffer's own stream, of its own device.
TEST_F(TwoDevices, AnAssignmentIsOrderedByTheBuffersOwnStream) {
  expect_clean([]() -> result<bool> {
    WARPSAFE_TRY(auto devices, make_pair_of_devices());
    WARPSAFE_TRYV(write_far(devices, 3.0F));
    WARPSAFE_TRYV(copy_and_wait(devices.there, from(Floats(count, 4.0F)),
                                to(devices.far)));  // waits, so the next line is in order
    WARPSAFE_TRY(const auto values, devices.far.to_host(devices.here).get());
    return values == Floats(count, 4.0F);
  });
}

// The free of the far memory waits for the copy on the other device's stream.
TEST_F(TwoDevices, TheMemoryIsFreedAfterTheCopy) {
  expect_clean([]() -> result<bool> {
    WARPSAFE_TRY(auto devices, make_pair_of_devices());
    WARPSAFE_TRY(const auto written, write_far(devices, 3.0F));
    WARPSAFE_TRYV(wait(devices.here, written));
    WARPSAFE_TRYV(copy(devices.here, from(devices.far), to(devices.near)));
    WARPSAFE_TRYV(devices.far.close());
    // The allocator may hand the memory out again, to work of device 1.
    WARPSAFE_TRY(auto next, DeviceBuffer<float>::create(devices.there, count));
    {
      const auto guard = DeviceGuard::create(DeviceId(1)).value();
      WARPSAFE_TRYV(launch(devices.there, one_thread, kernel<set>, next.view(), 5.0F));
    }
    WARPSAFE_TRY(const auto values, devices.near.to_host(devices.here).get());
    return values == Floats(count, 3.0F);
  });
}

// A ManagedBuffer is moved into `to_host` of another stream while a kernel works on it. `get` waits
// for the kernel, so that the host's read is in order. The program reports that read, as the
// detector cannot see it.
TEST_F(TwoDevices, ManagedMemoryOfAnotherStreamIsReadAfterItsKernel) {
  for (const bool on_own_stream : {true, false}) {
    expect_clean([&]() -> result<bool> {
      WARPSAFE_TRY(const auto own, Stream::create(DeviceId(0)));
      WARPSAFE_TRY(const auto working, Stream::create(DeviceId(0)));
      WARPSAFE_TRY(const auto asking, Stream::create(DeviceId(0)));
      WARPSAFE_TRY(auto buffer, ManagedBuffer<float>::create(own, count));
      WARPSAFE_TRYV(
          launch(on_own_stream ? own : working, one_thread, kernel<set>, buffer.view(), 3.0F));
      WARPSAFE_TRY(const auto on_host, std::move(buffer).to_host(asking).get());
      reads(on_host.span());
      const auto values = on_host.span();
      return Floats(values.begin(), values.end()) == Floats(count, 3.0F);
    });
  }
}
// Through a span that was taken before, the host reads early: the detector names both.
TEST_F(TwoDevices, ManagedMemoryThatIsReadBeforeItsKernelHasEndedIsARace) {
  const std::string text = expect_race([]() -> result<void> {
    WARPSAFE_TRY(const auto own, Stream::create(DeviceId(0)));
    WARPSAFE_TRY(const auto asking, Stream::create(DeviceId(0)));
    WARPSAFE_TRY(auto buffer, ManagedBuffer<float>::create(own, count));
    WARPSAFE_TRY(auto on_host, std::move(buffer).to_host(own).get());
    const auto kept = on_host.span();
    buffer = std::move(on_host).to_device();
    WARPSAFE_TRYV(launch(own, one_thread, kernel<set>, buffer.view(), 3.0F));
    auto token = std::move(buffer).to_host(asking);
    reads(kept);
    WARPSAFE_TRYV(std::move(token).get());
    return success();
  });
  EXPECT_THAT(text, HasSubstr("read of 16 bytes by the host, at two_devices_test.cpp:"));
  EXPECT_THAT(text, HasSubstr("kernel 'set'"));
}

}  // namespace
}  // namespace warpsafe::adversarial::two_devices
