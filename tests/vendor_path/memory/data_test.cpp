// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// Buffers, copies and tokens over the vendors' runtimes: the functions they call, and their order.
// None of them breaks a capture or touches the last error.
#include "../stand_in.hpp"
#include <warpsafe/memory/copy.hpp>
#include <warpsafe/memory/managed_buffer.hpp>
#include <warpsafe/memory/memory_info.hpp>
#include <warpsafe/memory/pitched_buffer.hpp>
#include <warpsafe/memory/synchronize.hpp>

#include <numeric>
#include <string>
#include <utility>
#include <vector>

namespace vendor_test {
namespace {

namespace ws = warpsafe;
using Names = std::vector<std::string>;

class Data : public VendorTest {
 protected:
  void SetUp() override {
    VendorTest::SetUp();
    plant_last_error(code::unknown);
    successes_leave_last_error();
  }
  void TearDown() override {
    const Status expected = own_error ? code::out_of_memory : code::unknown;
    EXPECT_EQ(last_error(), expected) << "the library leaves it alone";
    VendorTest::TearDown();
  }
  static std::vector<int> counting(std::size_t count) {
    std::vector<int> values(count);
    std::iota(values.begin(), values.end(), 0);
    return values;
  }
  static ws::DeviceBuffer<int> filled(const ws::Stream& stream, std::size_t count) {
    return ws::DeviceBuffer<int>::from(stream, counting(count)).value();
  }
  bool own_error = false;  // the runtime stores the error of a failed call there
};

TEST_F(Data, GoesToTheDeviceAndBack) {
  const ws::Stream stream = make_stream();
  const auto source = filled(stream, 1000);
  auto target = ws::DeviceBuffer<int>::create(stream, 1000).value();
  ASSERT_THAT(target.zero(stream), Succeeds());
  ASSERT_THAT(ws::copy(stream, ws::from(source), ws::to(target)), Succeeds());
  const auto back = target.to_host(stream).get();
  ASSERT_THAT(back, Succeeds());
  EXPECT_EQ(back.value(), counting(1000));
}

TEST_F(Data, IsAllocatedAndFreedInTheOrderOfItsStream) {
  const ws::Stream stream = make_stream(fresh_device());
  // Calls that would break another stream's capture run with this thread's mode relaxed.
  const std::string mode = "ThreadExchangeStreamCaptureMode";
  EXPECT_EQ(calls_of([&] { EXPECT_EQ(filled(stream, 4).size(), 4U); }),
            (Names{"DeviceGetAttribute", "StreamIsCapturing", mode, "MallocAsync", mode,
                   "StreamIsCapturing", "GetDevice", "SetDevice", "MemcpyAsync", "SetDevice", mode,
                   "StreamIsCapturing", "StreamSynchronize", mode, "StreamIsCapturing", mode,
                   "FreeAsync", mode}));
  EXPECT_EQ(
      calls_of([&] { EXPECT_EQ(ws::DeviceBuffer<int>::create(stream, 4).value().size(), 4U); }),
      (Names{"StreamIsCapturing", mode, "MallocAsync", mode, "StreamIsCapturing", mode, "FreeAsync",
             mode}))
      << "whether the device has pools is asked once";
}

TEST_F(Data, OfADeviceWithoutPoolsIsPlainMemory) {
  const int device = fresh_device();
#if defined(WARPSAFE_BACKEND_CUDA)
  stand_in_cuda_set_attribute(device, cudaDevAttrMemoryPoolsSupported, 0);
#else
  amd_control_set_attribute(device, hipDeviceAttributeMemoryPoolsSupported, 0);
#endif
  const ws::Stream stream = make_stream(device);
  {
    const auto buffer = filled(stream, 4);
    EXPECT_EQ(buffer.to_host(stream).get().value(), counting(4));
    EXPECT_EQ(ws::memory_info(ws::DeviceId(device)).value().held, 16U);
  }
  EXPECT_EQ(count("MallocAsync"), 0U);
  EXPECT_EQ(count("Malloc"), 1U);
  EXPECT_EQ(count("Free"), 1U);
  EXPECT_EQ(ws::current_device().value(), ws::DeviceId(0));
}

TEST_F(Data, PinnedMemoryGoesBesideTheHost) {
  const ws::Stream stream = make_stream();
  auto buffer = ws::DeviceBuffer<int>::create(stream, 3).value();
  auto pinned = ws::PinnedBuffer<int>::create(3).value();
  for (int& value : pinned.span()) value = 9;
  auto back = ws::copy(stream, ws::from(std::move(pinned)), ws::to(buffer)).get();
  ASSERT_THAT(back, Succeeds());
  for (int& value : back.value().span()) value = 0;
  auto read = ws::copy(stream, ws::from(buffer), ws::to(std::move(back).value())).get();
  ASSERT_THAT(read, Succeeds());
  EXPECT_THAT(read.value().span(), testing::Each(9));
}

TEST_F(Data, MatricesAreCopiedByRows) {
  const ws::Stream stream = make_stream();
  auto matrix =
      ws::PitchedBuffer<int>::create(stream, ws::extent<2>{ws::rows{3}, ws::cols{5}}).value();
  ASSERT_THAT(ws::copy_and_wait(stream, ws::from(counting(15)), ws::to(matrix)), Succeeds());
  EXPECT_EQ(matrix.to_host(stream).get().value(), counting(15));
  EXPECT_EQ(count("Memcpy2DAsync"), 2U);
}

TEST_F(Data, BetweenTwoDevices) {
  const ws::Stream here = make_stream(0);
  const ws::Stream there = make_stream(1);
  const auto source = filled(here, 4);
  auto target = ws::DeviceBuffer<int>::create(there, 4).value();
  ASSERT_THAT(ws::copy(there, ws::from(source), ws::to(target)), Succeeds());
  EXPECT_EQ(target.to_host(there).get().value(), counting(4));
  EXPECT_EQ(count("MemcpyPeerAsync"), is_cuda ? 1U : 0U);
}

TEST_F(Data, AMarkIsMadeOnTheStreamsDevice) {
  const ws::Stream there = make_stream(1);
  const auto buffer = filled(there, 4);
  EXPECT_EQ(buffer.to_host(there).get().value(), counting(4)) << "with device 0 current";
  EXPECT_EQ(ws::current_device().value(), ws::DeviceId(0));
}

TEST_F(Data, ManagedMemoryGoesBackAndForth) {
  const ws::Stream stream = make_stream();
  auto buffer = ws::ManagedBuffer<int>::create(stream, 3);
  ASSERT_THAT(buffer, Succeeds());
  auto on_host = std::move(buffer).value().to_host(stream).get();
  ASSERT_THAT(on_host, Succeeds());
  on_host.value().span()[0] = 5;
  EXPECT_EQ(count("MallocManaged"), 1U);
  const auto again = std::move(on_host).value().to_device();
  EXPECT_EQ(again.size(), 3U);
}

TEST_F(Data, OutOfMemorySaysWhoHasIt) {
  // Tests whose frees fail may have run before.
  const std::uint64_t held = ws::memory_info(ws::DeviceId(0)).value().held;
  own_error = true;
  const ws::Stream stream = make_stream();
  const auto some = ws::DeviceBuffer<char>::create(stream, 300).value();
  const auto error = error_in(ws::DeviceBuffer<char>::create(stream, std::uint64_t{1} << 46U));
  EXPECT_EQ(error.code, ws::Errc::out_of_memory);
  EXPECT_EQ(error.value, std::uint64_t{1} << 46U);
  EXPECT_EQ(error.held, held + 300);
  EXPECT_GT(error.limit, error.free_bytes());
  EXPECT_THAT(ws::message(error), testing::HasSubstr("this program's buffers hold " +
                                                     std::to_string(held + 300) + " bytes"));
}

/// All of this beside a capture that forbids unsafe calls, in this thread's mode and in the global
/// one.
TEST_F(Data, BreaksNoCaptureOfAnotherStream) {
  const ws::Stream stream = make_stream();
  const ws::Stream capturing = make_stream();
  auto early = filled(stream, 4);
  auto token = ws::copy(stream, ws::from(early), ws::to(ws::PinnedBuffer<int>::create(4).value()));
  ASSERT_EQ(begin_capture(capturing.native()), code::success);
  EXPECT_THAT(token.ready(), Succeeds());
  EXPECT_THAT(std::move(token).get(), Succeeds());
  {
    const auto buffer = filled(stream, 4);
    const auto read = ws::synchronize(stream, buffer.to_host(stream));
    EXPECT_THAT(read, Succeeds());
    EXPECT_THAT(ws::PinnedBuffer<int>::create(4), Succeeds());
  }
  EXPECT_THAT(early.close(), Succeeds());
  EXPECT_EQ(end_capture(capturing.native()), 0) << "whole, and without a node";
}

TEST_F(Data, WhatWaitsIsRefusedInACaptureAndTheRestIsCaptured) {
  const ws::Stream stream = make_stream();
  auto source = filled(stream, 4);
  auto target = filled(stream, 4);
  ASSERT_EQ(begin_capture(stream.native()), code::success);
  EXPECT_EQ(error_in(source.to_host(stream).get()).code, ws::Errc::stream_capturing);
  EXPECT_EQ(error_in(ws::copy_and_wait(stream, ws::from(counting(4)), ws::to(source))).code,
            ws::Errc::stream_capturing);
  EXPECT_EQ(
      error_in(ws::copy(stream, ws::from(ws::PinnedBuffer<int>::create(4).value()), ws::to(target))
                   .get())
          .code,
      ws::Errc::stream_capturing);
  EXPECT_THAT(ws::copy(stream, ws::from(source), ws::to(target)), Succeeds());
  EXPECT_THAT(target.fill_bytes(stream, std::byte{1}), Succeeds());
  EXPECT_THAT(source.close(), Succeeds());
  EXPECT_EQ(end_capture(stream.native()), 2) << "a copy and a fill; the free waits";
  const auto frees = count("FreeAsync");
  const auto later = filled(stream, 1);
  EXPECT_EQ(count("FreeAsync"), frees + 1);
}

}  // namespace
}  // namespace vendor_test
