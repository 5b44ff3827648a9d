// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// The runtime's last-error slot belongs to the program. A call of the library leaves it unchanged,
// unless the runtime itself stores the status of a failed call there.
#include "../kernels.hpp"
#include "last_error_fixture.hpp"
#include <warpsafe/launch/check.hpp>
#include <warpsafe/launch/occupancy.hpp>
#include <warpsafe/memory/buffer.hpp>
#include <warpsafe/stream/event.hpp>

#include <vector>

namespace vendor_test {
namespace {

namespace ws = warpsafe;
using LastError = LastErrorTest;

TEST_F(LastError, ALaunchOfEveryLevel) {
  const ws::Stream stream = make_stream();
  expect_untouched(
      [&] { EXPECT_THAT(ws::launch(stream, plain, ws::kernel<nothing>), Succeeds()); });
  expect_untouched([&] {
    EXPECT_THAT(ws::launch<ws::CheckLevel::off>(stream, plain, ws::kernel<nothing>), Succeeds());
  });
  EXPECT_EQ(launches().size(), 2U);
}

TEST_F(LastError, ALaunchWithOptions) {
  const int device = fresh_device();  // where the kernel's shared memory has to be raised
  const auto guard = ws::DeviceGuard::create(ws::DeviceId(device)).value();
  const ws::Stream stream = make_stream(device);
  expect_untouched([&] {
    const ws::LaunchConfig config{ws::grid<4>, ws::block<64>, ws::cooperative,
                                  ws::shared<char>(60000)};
    EXPECT_THAT(ws::launch(stream, config, ws::kernel<nothing>), Succeeds());
  });
}

TEST_F(LastError, ALaunchThatACheckRefuses) {
  const ws::Stream stream = make_stream();
  const auto refuse = [&](auto config, auto kernel, const auto&... arguments) {
    expect_untouched(
        [&] { EXPECT_FALSE(ws::launch(stream, config, kernel, arguments...).has_value()); });
  };
  refuse(ws::LaunchConfig{ws::grid<1>, ws::BlockDim::create(512).value()}, ws::kernel<bounded>);
  refuse(ws::LaunchConfig{ws::grid<1>, ws::block<64>, ws::shared<char>(shared_limit + 1)},
         ws::kernel<nothing>);
  refuse(plain, ws::kernel<counted>, nullptr, -1);
  EXPECT_TRUE(launches().empty());
}

TEST_F(LastError, ALaunchThatTheRuntimeRefusesLeavesTheRuntimesOwnCode) {
  const ws::Stream stream = make_stream();
  ASSERT_THAT(ws::launch(stream, plain, ws::kernel<nothing>), Succeeds());
  plant_last_error(code::out_of_memory);
  fail("LaunchKernel", 1, code::invalid_value);
  EXPECT_EQ(error_in(ws::launch(stream, plain, ws::kernel<nothing>)).raw, code::invalid_value);
  EXPECT_EQ(last_error(), code::invalid_value) << "the runtime puts it there";
}

TEST_F(LastError, AHostPointerThroughTrust) {
  const ws::Stream stream = make_stream();
  const float here = 0;
  plant_last_error(code::out_of_memory);
  EXPECT_EQ(error_in(ws::launch(stream, plain, ws::kernel<counted>, ws::trust(&here), 1)).code,
            ws::Errc::argument_host_pointer);
  EXPECT_EQ(last_error(), code::out_of_memory);
}

TEST_F(LastError, ANullPointerIsNoMemory) {
  ws::MemoryKind kind = ws::MemoryKind::device;
  int device = 0;
  EXPECT_EQ(ws::default_backend::pointer_kind(nullptr, kind, device), code::success);
  EXPECT_EQ(kind, ws::MemoryKind::unregistered);
}

TEST_F(LastError, ChecksOfCodeAsWritten) {
  const ws::Stream stream = make_stream();
  expect_untouched(
      [&] { EXPECT_THAT(ws::check(ws::kernel<nothing>, 1, 64, 0, stream.native()), Succeeds()); });
  expect_untouched([&] { EXPECT_FALSE(ws::check(ws::kernel<bounded>, 1, 512).has_value()); });
}

TEST_F(LastError, QuestionsAboutDevicesAndKernels) {
  const ws::Stream stream = make_stream(5);
  expect_untouched([&] { EXPECT_THAT(ws::device_limits(ws::DeviceId(5)), Succeeds()); });
  expect_untouched([&] { EXPECT_THAT(ws::device_count(), Succeeds()); });
  expect_untouched([&] { EXPECT_THAT(ws::current_device(), Succeeds()); });
  expect_untouched([&] { EXPECT_THAT(ws::kernel_limits(stream, ws::kernel<floats>), Succeeds()); });
  expect_untouched([&] {
    EXPECT_THAT(ws::max_resident_blocks(stream, ws::kernel<floats>, ws::block<64>), Succeeds());
  });
  expect_untouched([&] { EXPECT_THAT(ws::DeviceGuard::create(ws::DeviceId(6)), Succeeds()); });
}

TEST_F(LastError, StreamsAndEvents) {
  expect_untouched([&] {
    ws::Stream stream = make_stream();
    EXPECT_THAT(stream.synchronize(), Succeeds());
    EXPECT_THAT(stream.ready(), Succeeds());
    EXPECT_THAT(stream.close(), Succeeds());
  });
  expect_untouched([&] {
    const ws::Stream stream = make_stream();
    const ws::Stream other = make_stream();
    auto begin = ws::TimedEvent::create(stream).value();
    auto end = ws::TimedEvent::create(stream).value();
    EXPECT_THAT(ws::wait(other, end), Succeeds());
    EXPECT_THAT(end.ready(), Succeeds());
    EXPECT_THAT(end.synchronize(), Succeeds());
    EXPECT_THAT(ws::elapsed_ms(begin, end), Succeeds());
  });
}

#if defined(WARPSAFE_BACKEND_CUDA)
TEST_F(LastError, AnUnfinishedStreamIsNoError) {
  const ws::Stream stream = make_stream();
  stand_in_cuda_hold(stream.native());
  ASSERT_THAT(ws::launch(stream, plain, ws::kernel<nothing>), Succeeds());
  expect_untouched([&] {
    const auto ready = stream.ready();
    ASSERT_THAT(ready, Succeeds());
    EXPECT_FALSE(ready.value());
  });
  stand_in_cuda_release(stream.native());
}
#endif

TEST_F(LastError, BuffersAndCopies) {
  const ws::Stream stream = make_stream();
  const std::vector<int> values{1, 2, 3};
  expect_untouched([&] {
    auto buffer = ws::DeviceBuffer<int>::from(stream, values);
    ASSERT_THAT(buffer, Succeeds());
    EXPECT_THAT(ws::copy_and_wait(stream, ws::from(values), ws::to(buffer.value())), Succeeds());
    const auto back = buffer.value().to_host(stream).get();
    ASSERT_THAT(back, Succeeds());
    EXPECT_EQ(back.value(), values);
    EXPECT_THAT(buffer.value().zero(stream), Succeeds());
  });
}

TEST_F(LastError, RefusedCallsLeaveTheRuntimesOwnCode) {
  plant_last_error(code::out_of_memory);
  EXPECT_EQ(error_in(ws::DeviceGuard::create(ws::DeviceId(99))).code, ws::Errc::device_invalid);
  EXPECT_EQ(last_error(), code::invalid_device) << "the runtime puts it there";
}

}  // namespace
}  // namespace vendor_test
