// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// Devices, streams, captures, and the dynamic shared memory that a launch raises.
#include "../kernels.hpp"
#include "../stand_in.hpp"
#include <warpsafe/stream/event.hpp>

#include <cstdint>
#include <memory>
#include <thread>
#include <vector>

namespace vendor_test {
namespace {

namespace ws = warpsafe;
constexpr ws::LaunchConfig one_block{ws::grid<1>, ws::block<64>};

class Devices : public VendorTest {
 protected:
  static int current() { return ws::current_device().value().value(); }
};

TEST_F(Devices, AGuardRestoresTheDevice) {
  {
    auto outer = ws::DeviceGuard::create(ws::DeviceId(4)).value();
    EXPECT_EQ(current(), 4);
    {
      const auto inner = ws::DeviceGuard::create(ws::DeviceId(7)).value();
      EXPECT_EQ(current(), 7);
    }
    EXPECT_EQ(current(), 4);
    const auto moved = std::move(outer);
    EXPECT_EQ(current(), 4);
  }
  EXPECT_EQ(current(), 0);
}

TEST_F(Devices, GuardsMayEndInAnyOrder) {
  const auto guard_of = [](int device) {
    return std::make_unique<ws::DeviceGuard>(ws::DeviceGuard::create(ws::DeviceId(device)).value());
  };
  auto first = guard_of(1);
  auto second = guard_of(2);
  auto third = guard_of(3);
  second.reset();
  EXPECT_EQ(current(), 3) << "the innermost guard holds";
  first.reset();
  EXPECT_EQ(current(), 3);
  third.reset();
  EXPECT_EQ(current(), 0);
  // Two guards of one device, and a launch under the second, which outlives the first.
  auto outer = guard_of(6);
  {
    const auto inner = guard_of(6);
    outer.reset();
    EXPECT_EQ(current(), 6);
    ASSERT_THAT(ws::launch(make_stream(6), one_block, ws::kernel<nothing>), Succeeds());
    EXPECT_EQ(last_launch().device, 6);
  }
  EXPECT_EQ(current(), 0);
}

TEST_F(Devices, AGuardOfTheCurrentDeviceSetsNothing) {
  EXPECT_EQ(calls_of([] { EXPECT_THAT(ws::DeviceGuard::create(ws::DeviceId(0)), Succeeds()); }),
            std::vector<std::string>{"GetDevice"});
}

TEST_F(Devices, AGuardOfNoDeviceLeavesTheCurrentOne) {
  const auto error = error_in(ws::DeviceGuard::create(ws::DeviceId(99)));
  EXPECT_EQ(error.code, ws::Errc::device_invalid);
  EXPECT_EQ(error.device, 99);
  EXPECT_EQ(current(), 0);
}

TEST_F(Devices, AStreamOfAnotherDeviceLeavesTheCurrentOne) {
  const ws::Stream stream = make_stream(6);
  EXPECT_EQ(stream.device(), ws::DeviceId(6));
  EXPECT_EQ(current(), 0);
  const auto guard = ws::DeviceGuard::create(ws::DeviceId(6)).value();
  ASSERT_THAT(ws::launch(stream, one_block, ws::kernel<nothing>), Succeeds());
  EXPECT_EQ(last_launch().device, 6);
}

TEST_F(Devices, LimitsBelongToADevice) {
  const int device = fresh_device();
#if defined(WARPSAFE_BACKEND_CUDA)
  stand_in_cuda_set_attribute(device, cudaDevAttrMaxThreadsPerBlock, 512);
#else
  amd_control_set_attribute(device, hipDeviceAttributeMaxThreadsPerBlock, 512);
#endif
  const ws::LaunchConfig large{ws::grid<1>, ws::block<1024>};
  const ws::Stream here = make_stream();
  EXPECT_THAT(ws::launch(here, large, ws::kernel<nothing>), Succeeds());
  const auto guard = ws::DeviceGuard::create(ws::DeviceId(device)).value();
  const ws::Stream there = make_stream(device);
  const auto error = error_in(ws::launch(there, large, ws::kernel<nothing>));
  EXPECT_EQ(error.code, ws::Errc::block_too_large);
  EXPECT_EQ(error.limit, 512U);
  EXPECT_EQ(error.device, device);
  EXPECT_EQ(ws::device_limits(ws::DeviceId(device)).value().max_threads_per_block, 512U);
  EXPECT_EQ(ws::device_limits(ws::DeviceId(0)).value().max_threads_per_block, 1024U);
  EXPECT_FALSE(ws::device_limits(ws::DeviceId(0)).value().name.empty());
}

TEST_F(Devices, LimitsAreAskedOnce) {
  EXPECT_THAT(ws::device_limits(ws::DeviceId(8)), Succeeds());
  EXPECT_THAT(calls_of([] { EXPECT_THAT(ws::device_limits(ws::DeviceId(8)), Succeeds()); }),
              testing::IsEmpty());
}

TEST_F(Devices, AQuestionThatFailedIsAskedAgain) {
  const int device = fresh_device();
  fail("DeviceGetAttribute", 1, code::not_initialized);
  const auto error = error_in(ws::device_limits(ws::DeviceId(device)));
  EXPECT_EQ(error.code, ws::Errc::no_device);
  EXPECT_EQ(error.device, device);
  const auto limits = ws::device_limits(ws::DeviceId(device));
  ASSERT_THAT(limits, Succeeds());
  EXPECT_EQ(limits.value().max_threads_per_block, 1024U);
}

TEST_F(Devices, ABorrowedStreamStaysItsOwners) {
  NativeStream native = nullptr;
  ASSERT_EQ(Backend::stream_create(native, 0), 0);
  {
    const auto borrowed = ws::StreamRef::borrow(native, ws::DeviceId(0));
    ASSERT_THAT(borrowed, Succeeds());
    EXPECT_EQ(borrowed.value().native(), native);
    ASSERT_THAT(ws::launch(borrowed.value(), one_block, ws::kernel<nothing>), Succeeds());
    EXPECT_EQ(last_launch().stream, native);
  }
  EXPECT_EQ(count("StreamDestroy"), 0U);
  EXPECT_EQ(Backend::stream_destroy(native), 0);
  native = nullptr;
  EXPECT_EQ(error_in(ws::StreamRef::borrow(native, ws::DeviceId(0))).code, ws::Errc::stream_null);
}

#if defined(WARPSAFE_BACKEND_CUDA)
TEST_F(Devices, TheDefaultStreamsAreBorrowedByName) {
  for (NativeStream named : {cudaStreamLegacy, cudaStreamPerThread}) {
    const auto stream = ws::StreamRef::borrow(named, ws::DeviceId(0));
    ASSERT_THAT(stream, Succeeds());
    ASSERT_THAT(ws::launch(stream.value(), one_block, ws::kernel<nothing>), Succeeds());
    EXPECT_EQ(last_launch().stream, named);
  }
}
#endif

/// The queries of a launch must not break a capture, not even those of a kernel's first launch on a
/// device.
TEST_F(Devices, LaunchesAreCaptured) {
  const int device = fresh_device();
  const auto guard = ws::DeviceGuard::create(ws::DeviceId(device)).value();
  const ws::Stream stream = make_stream(device);
  void* memory = nullptr;
  ASSERT_EQ(Backend::allocate_unordered(memory, 64), 0);
  ASSERT_EQ(begin_capture(stream.native()), code::success);
  const auto calls = calls_of([&] {
    const ws::LaunchConfig config{ws::grid<1>, ws::block<64>, ws::shared<char>(60000)};
    EXPECT_THAT(ws::launch(stream, config, ws::kernel<captured>,
                           ws::trust(static_cast<const float*>(memory))),
                Succeeds());
    EXPECT_THAT(ws::launch(stream, one_block, ws::kernel<nothing>), Succeeds());
    EXPECT_FALSE(ws::launch(stream,
                            ws::LaunchConfig{ws::grid<1>, ws::BlockDim::from_vendor(dim3(512))},
                            ws::kernel<bounded>)
                     .has_value());
  });
  EXPECT_EQ(end_capture(stream.native()), 2) << "the capture is whole";
  const std::vector<std::string> safe{"GetDevice",         "DeviceGetAttribute",
                                      "FuncGetAttributes", "FuncSetAttribute",
                                      "LaunchKernel",      "PointerGetAttributes"};
  for (const std::string& call : calls) {
    EXPECT_THAT(safe, testing::Contains(call.substr(0, call.find(' '))));
  }
  for (const Launch& launch : launches()) EXPECT_EQ(launch.captured, 1);
  EXPECT_EQ(Backend::deallocate_unordered(memory), 0);
}

class DynamicShared : public VendorTest {
 protected:
  static std::uint64_t allowed() {
    ws::KernelLimits now;
    EXPECT_EQ(Backend::attributes_of(ws::kernel<raised>.entry(), now), 0);
    return now.max_dynamic_shared;
  }
  static void launch(const ws::Stream& stream, std::uint64_t bytes) {
    const auto config = ws::configure(ws::grid<1>, ws::block<64>, ws::shared<char>(bytes));
    EXPECT_THAT(ws::launch(stream, config, ws::kernel<raised>), Succeeds());
    EXPECT_EQ(last_launch().dynamic_shared_bytes, bytes);
    EXPECT_EQ(last_launch().result, code::success);
  }
};

TEST_F(DynamicShared, IsRaisedAndNeverLowered) {
  const int device = fresh_device();
  const auto guard = ws::DeviceGuard::create(ws::DeviceId(device)).value();
  const ws::Stream stream = make_stream(device);
  launch(stream, 1000);
  launch(stream, 49152);
  EXPECT_EQ(count("FuncSetAttribute"), 0U);
  if (!is_cuda) {
    launch(stream, shared_limit);
    EXPECT_EQ(count("FuncSetAttribute"), 0U) << "AMD's runtime allows all of it from the start";
    return;
  }
  launch(stream, 60000);
  EXPECT_EQ(allowed(), 60000U);
  launch(stream, 50000);
  launch(stream, 10);
  EXPECT_EQ(allowed(), 60000U);
  launch(stream, shared_limit);
  EXPECT_EQ(allowed(), shared_limit);
  EXPECT_EQ(count("FuncSetAttribute"), 2U);
}

#if defined(WARPSAFE_BACKEND_CUDA)
TEST_F(DynamicShared, WhatTheProgramRaisedStays) {
  const int device = fresh_device();
  const auto guard = ws::DeviceGuard::create(ws::DeviceId(device)).value();
  const ws::Stream stream = make_stream(device);
  ASSERT_EQ(Backend::raise_dynamic_shared(ws::kernel<raised>.entry(), 100000), 0);
  launch(stream, 60000);
  EXPECT_EQ(allowed(), 100000U);
  EXPECT_EQ(count("FuncSetAttribute"), 1U) << "the program's own";
}

TEST_F(DynamicShared, IsRaisedOnEachDevice) {
  for (const int device : {fresh_device(), fresh_device()}) {
    const auto guard = ws::DeviceGuard::create(ws::DeviceId(device)).value();
    launch(make_stream(device), 70000);
    EXPECT_EQ(allowed(), 70000U);
  }
  EXPECT_EQ(count("FuncSetAttribute"), 2U);
}

TEST_F(DynamicShared, AFailedRaiseIsTheLaunchsError) {
  const int device = fresh_device();
  const auto guard = ws::DeviceGuard::create(ws::DeviceId(device)).value();
  const ws::Stream stream = make_stream(device);
  const auto config = ws::configure(ws::grid<1>, ws::block<64>, ws::shared<char>(60000));
  fail("FuncSetAttribute", 1, code::invalid_value);
  const auto error = error_in(ws::launch(stream, config, ws::kernel<raised>));
  EXPECT_EQ(error.raw, code::invalid_value);
  EXPECT_EQ(error.dynamic_shared, 60000U);
  EXPECT_TRUE(launches().empty());
  launch(stream, 60000);
}
#endif

TEST_F(Devices, AnEventOfAnotherDevicesStreamNeedsThatDevice) {
  const ws::Stream there = make_stream(6);
  const auto error = error_in(there.record());
  EXPECT_EQ(error.code, ws::Errc::stream_wrong_device);
  EXPECT_EQ(error.value, 0U);
  EXPECT_EQ(error.limit, 6U);
  EXPECT_EQ(error.raw, code::invalid_handle);
  const auto guard = ws::DeviceGuard::create(ws::DeviceId(6)).value();
  EXPECT_THAT(there.record(), Succeeds());
}

TEST_F(Devices, ANewThreadChoosesItsDevice) {
  const ws::Stream there = make_stream(6);
  std::thread([] {
    const auto error = error_in(ws::Stream::create());
    EXPECT_EQ(error.code, ws::Errc::device_not_chosen);
    EXPECT_EQ(error.limit, 6U);
    EXPECT_EQ(make_stream(0).device(), ws::DeviceId(0));
  }).join();
}

}  // namespace
}  // namespace vendor_test
