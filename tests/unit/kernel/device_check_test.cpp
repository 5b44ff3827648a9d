// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// Checks in kernels, on the host backend.

#include "launch_fixture.hpp"
#include <warpsafe/debug.hpp>
#include <warpsafe/device_check.hpp>
#include <warpsafe/graph.hpp>
#include <warpsafe/graph/capture.hpp>
#include <warpsafe/memory/buffer.hpp>
#include <warpsafe/memory/copy.hpp>
#include <warpsafe/memory/managed_buffer.hpp>
#include <warpsafe/memory/memory_info.hpp>
#include <warpsafe/memory/pinned_buffer.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

namespace warpsafe::core_test {

namespace {

#line 7 "/home/me/src/kernels.cu"
WARPSAFE_KERNEL void checked(float* values, std::size_t n, std::size_t bad) {
  const std::size_t i = thread_index().x;
  WARPSAFE_DEVICE_CHECK(i < n, "inside of the array");
  WARPSAFE_DEVICE_CHECK(i != bad, "no bad element");
  values[i] = 1;
}
WARPSAFE_KERNEL void checked_with_barrier(float* values, unsigned bad) {
  WARPSAFE_DEVICE_CHECK(thread_in_block().x < bad, "before the barrier");
  sync_block();
  values[thread_index().x] = 2;
}
#line 38 "device_check_test.cpp"

using testing::AllOf;
using testing::EndsWith;
using testing::HasSubstr;

class DeviceCheck : public LaunchTest {
 protected:
  result<void> run(std::size_t n, std::size_t bad) {
    return launch(stream, LaunchConfig{grid<2>, block<32>}, kernel<checked>, values.view(), n, bad);
  }
  DeviceBuffer<float> values = DeviceBuffer<float>::create(stream, 64).value();
};

TEST_F(DeviceCheck, TheNextWaitSaysWhichAndWhere) {
  ASSERT_TRUE(run(64, 37).has_value());
  const auto waited = stream.synchronize(app);
  const LaunchError error = error_in(waited);
  EXPECT_EQ(error.code, Errc::device_check_failed);
  EXPECT_EQ(error.severity, Severity::recoverable);
  EXPECT_EQ(message(error),
            "Device synchronization failed after kernel 'checked': check 'no bad element (i != "
            "bad)' failed in block (1,0,0), thread (5,0,0), at kernels.cu:10\n  at app.cpp:7");
}

TEST_F(DeviceCheck, AQueryThatFindsTheWorkEndedSaysIt) {
  const auto expect_told = [](const auto& asked) {
    auto ready = asked.ready(app);
    while (ready.has_value() && !ready.value()) ready = asked.ready(app);
    const LaunchError error = error_in(ready);
    EXPECT_EQ(error.code, Errc::device_check_failed);
    EXPECT_TRUE(is_app(error.site));
    EXPECT_TRUE(asked.ready().value()) << "it is said once";
  };
  ASSERT_TRUE(run(64, 37).has_value());
  expect_told(stream);
  ASSERT_TRUE(run(64, 37).has_value());
  expect_told(stream.record().value());
  ASSERT_TRUE(run(64, 37).has_value());
  auto copied = copy(stream, from(values), to(PinnedBuffer<float>::create(64).value()));
  expect_told(copied);
  EXPECT_TRUE(std::move(copied).get().has_value());
}

// In a process of its own: one checked launch prepares the record for all later ones.
TEST_F(DeviceCheck, WithoutACheckedLaunchItFailsTheKernel) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const auto ends = [&] {
    const auto launched = launch<CheckLevel::off>(stream, LaunchConfig{grid<1>, block<32>},
                                                  kernel<checked>, values.view(), 1UL, 64UL);
    const auto waited = stream.synchronize();
    if (!waited.has_value()) std::fputs(message(waited.error()).c_str(), stderr);
    std::_Exit(launched.has_value() && !waited.has_value() ? 0 : 1);
  };
  EXPECT_EXIT(ends(), testing::ExitedWithCode(0), "inside of the array");
}

TEST_F(DeviceCheck, TheDeviceGoesOnAfterIt) {
  ASSERT_TRUE(run(64, 0).has_value());
  EXPECT_EQ(error_in(stream.synchronize()).code, Errc::device_check_failed);
  EXPECT_TRUE(stream.synchronize().has_value()) << "it is said once";
  ASSERT_TRUE(run(64, 99).has_value());
  wait();
  EXPECT_EQ(values.to_host(stream).get().value(), std::vector<float>(64, 1.0F));
}

TEST_F(DeviceCheck, OneOfManyFailuresIsSaid) {
  ASSERT_TRUE(run(0, 99).has_value());
  EXPECT_THAT(said(stream.synchronize()), HasSubstr("check 'inside of the array (i < n)' failed"));
  EXPECT_TRUE(stream.synchronize().has_value());
}

// The free of managed memory waits for the kernel, and returns no error to the program.
TEST_F(DeviceCheck, AFreeThatWaitsLeavesItToTheNextWait) {
  const auto held = [] { return memory_info(DeviceId(0)).value().held; };
  const auto before = held();
  auto managed = ManagedBuffer<float>::create(stream, 64).value();
  ASSERT_TRUE(launch(stream, LaunchConfig{grid<2>, block<32>}, kernel<checked>, managed.view(),
                     std::size_t{64}, std::size_t{37})
                  .has_value());
  { const auto freed = std::move(managed); }
  EXPECT_EQ(held(), before) << "its last use has ended";
  EXPECT_EQ(error_in(stream.synchronize()).code, Errc::device_check_failed);
}

// So does every destructor that waits.
TEST_F(DeviceCheck, ADestructorThatWaitsLeavesItToTheNextWait) {
  const auto printed_while = [](const auto& drop) {
    ::testing::internal::CaptureStderr();
    drop();
    return ::testing::internal::GetCapturedStderr();
  };
  auto target = PinnedBuffer<float>::create(64).value();
  ASSERT_TRUE(run(64, 37).has_value());
  {
    auto pending = std::optional(copy(stream, from(values), to(std::move(target))));
    EXPECT_THAT(printed_while([&] { pending.reset(); }), HasSubstr("was dropped unread"));
  }
  EXPECT_EQ(error_in(stream.synchronize()).code, Errc::device_check_failed);
  auto graph = capture(stream, [&](Capture& open) -> result<void> {
                 WARPSAFE_TRYV(open.keep(PinnedBuffer<int>::create(1).value()));
                 return run(64, 37);
               }).value();
  auto instance = std::optional(graph.instantiate().value());
  ASSERT_TRUE(instance->launch(stream).has_value());
  EXPECT_EQ(printed_while([&] { instance.reset(); }), "");
  EXPECT_EQ(error_in(stream.synchronize()).code, Errc::device_check_failed);
}

TEST_F(DeviceCheck, EveryKindOfWaitSaysIt) {
  ASSERT_TRUE(run(64, 1).has_value());
  const auto event = stream.record().value();
  EXPECT_EQ(error_in(event.synchronize()).code, Errc::device_check_failed);
  ASSERT_TRUE(run(64, 1).has_value());
  const std::uint64_t held = memory_info(DeviceId(0)).value().held;
  EXPECT_EQ(error_in(values.to_host(stream).get()).code, Errc::device_check_failed);
  EXPECT_TRUE(values.close().has_value());
  EXPECT_EQ(memory_info(DeviceId(0)).value().held, held - 64 * sizeof(float))
      << "the copy has ended, so that its memory can be given back";
}

TEST_F(DeviceCheck, ABlockingLaunchSaysItItselfWithTheSameBlockAndThread) {
  debug::set_blocking(true);
  const auto launched = run(64, 37);
  debug::set_blocking(false);
  EXPECT_THAT(said(launched),
              AllOf(HasSubstr("after kernel 'checked': check 'no bad element (i != "
                              "bad)' failed in block (1,0,0), thread (5,0,0), at "
                              "kernels.cu:10\n  at device_check_test.cpp:"),
                    EndsWith("\n  (a launch-blocking mode was on, which changes the timing)")));
  EXPECT_TRUE(stream.synchronize().has_value()) << "it is said once";
}

TEST_F(DeviceCheck, ThreadsThatWaitAtABarrierDoNotHang) {
  const auto failing = [&](unsigned bad) {
    EXPECT_TRUE(launch(stream, LaunchConfig{grid<2>, block<32>}, kernel<checked_with_barrier>,
                       values.view(), bad)
                    .has_value());
    return said(stream.synchronize());
  };
  EXPECT_THAT(failing(31), AllOf(HasSubstr("kernel 'checked_with_barrier'"),
                                 HasSubstr("thread (31,0,0), at kernels.cu:14")));
  EXPECT_THAT(failing(0), HasSubstr("check 'before the barrier"));
  EXPECT_TRUE(launch(stream, LaunchConfig{grid<2>, block<32>}, kernel<checked_with_barrier>,
                     values.view(), 32U)
                  .has_value());
  EXPECT_EQ(values.to_host(stream).get().value(), std::vector<float>(64, 2.0F));
}

TEST_F(DeviceCheck, AGraphCanBeReplayedAfterwards) {
  auto capture = Capture::begin(stream).value();
  ASSERT_TRUE(launch(capture.stream(), LaunchConfig{grid<2>, block<32>}, kernel<checked>,
                     values.view(), 64, 40)
                  .has_value());
  auto graph = std::move(capture).end().value();
  auto replay = graph.instantiate().value();
  for (int again = 0; again < 2; ++again) {
    ASSERT_TRUE(replay.launch(stream).has_value());
    EXPECT_EQ(error_in(stream.synchronize()).code, Errc::device_check_failed) << again;
  }
}

TEST_F(DeviceCheck, AFaultOfTheDeviceComesFirst) {
  host::fault_in_kernel(1, HostStatus::illegal_address);
  ASSERT_TRUE(run(64, 99).has_value());
  EXPECT_EQ(error_in(stream.synchronize()).code, Errc::execution_failed);
}

TEST_F(DeviceCheck, AUnitThatEachFileRegistersIsListedOnce) {
  // Two files of a program did this before main, and its first launch never ended.
  detail::register_check_unit(detail::check_unit);
  unsigned listed = 0;
  const detail::CheckUnit* unit = detail::device_checks.units;
  for (unsigned steps = 0; unit != nullptr && steps < 100; ++steps, unit = unit->next) {
    if (unit == &detail::check_unit) ++listed;
  }
  EXPECT_EQ(unit, nullptr);
  EXPECT_EQ(listed, 1U);
}

}  // namespace

}  // namespace warpsafe::core_test
