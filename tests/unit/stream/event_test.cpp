// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

#include "launch_fixture.hpp"
#include <warpsafe/graph/capture.hpp>
#include <warpsafe/stream/event.hpp>

#include <gmock/gmock.h>

#include <atomic>
#include <chrono>
#include <string>
#include <thread>
#include <utility>

namespace warpsafe::core_test {
namespace {

WARPSAFE_KERNEL void put(int value, int* out) { *out = value; }
WARPSAFE_KERNEL void copy_one(const int* from, int* to) { *to = *from; }

struct EventTest : LaunchTest {
  const decltype(LaunchConfig{grid<1>, block<1>}) once{grid<1>, block<1>};
};

TEST_F(EventTest, IsReachedWhenEverythingBeforeItHasEnded) {
  may_end = false;
  ASSERT_TRUE(launch(stream, once, kernel<run_until_released>).has_value());
  const Event event = Event::create(stream).value();
  EXPECT_TRUE(stays_pending(event));
  may_end = true;
  EXPECT_TRUE(event.synchronize().has_value());
  EXPECT_TRUE(event.ready().value());
}

TEST_F(EventTest, ComesFromItsStreamAndAnswersByName) {
  may_end = false;
  ASSERT_TRUE(launch(stream, once, kernel<run_until_released>).has_value());
  const Event event = stream.record().value();
  const TimedEvent timed = stream.ref().record_timed().value();
  EXPECT_EQ(event.query().value(), Progress::not_ready);
  EXPECT_EQ(stream.query().value(), Progress::not_ready);
  may_end = true;
  ASSERT_TRUE(timed.synchronize().has_value());
  EXPECT_EQ(event.query().value(), Progress::ready);
  EXPECT_EQ(stream.query().value(), Progress::ready);
}

TEST_F(EventTest, IsMovedToALaterPoint) {
  Event event = stream.record().value();
  ASSERT_TRUE(event.synchronize().has_value());
  may_end = false;
  ASSERT_TRUE(launch(stream, once, kernel<run_until_released>).has_value());
  EXPECT_TRUE(event.ready().value());
  ASSERT_TRUE(event.record(stream).has_value());
  EXPECT_TRUE(stays_pending(event));
  may_end = true;
  EXPECT_TRUE(event.synchronize().has_value());
  EXPECT_EQ(host::calls_made(call_of<&host_backend::event_create>), 1U);
}

TEST_F(EventTest, AWaitIsForThePointThatItFound) {
  const Stream other = Stream::create().value();
  const Stream idle = Stream::create().value();
  may_end = false;
  ASSERT_TRUE(launch(stream, once, kernel<run_until_released>).has_value());
  Event event = stream.record().value();
  ASSERT_TRUE(warpsafe::wait(other, event).has_value());
  ASSERT_TRUE(event.record(idle).has_value());
  EXPECT_TRUE(event.shares_stream_with(idle.record().value()));
  EXPECT_TRUE(event.synchronize().has_value());
  EXPECT_TRUE(stays_pending(other));
  may_end = true;
  EXPECT_TRUE(other.synchronize().has_value());
}

TEST_F(EventTest, IsReplacedForAStreamOfAnotherDevice) {
  host::set_device_count(2);
  const Stream far = Stream::create(DeviceId(1)).value();
  Event event = stream.record().value();
  EXPECT_EQ(error_in(event.record(far)).code, Errc::stream_wrong_device);
  EXPECT_EQ(event.device(), DeviceId(0)) << "it marks the old point";
  EXPECT_TRUE(event.synchronize().has_value());
  {
    const auto guard = DeviceGuard::create(DeviceId(1)).value();
    ASSERT_TRUE(event.record(far).has_value());
  }
  EXPECT_EQ(event.device(), DeviceId(1));
  EXPECT_TRUE(event.synchronize().has_value());
}

TEST_F(EventTest, ThatWasMovedFromIsNotRecordedAgain) {
  Event event = stream.record().value();
  const Event next = std::move(event);
  // NOLINTNEXTLINE(bugprone-use-after-move): what is tested
  const LaunchError error = error_in(event.record(stream, app));
  EXPECT_EQ(error.code, Errc::event_moved);
  EXPECT_EQ(text(error.operation), "event record");
  EXPECT_TRUE(next.synchronize().has_value());
  Event other = stream.record().value();
  EXPECT_EQ(error_in(other.record(detail::StreamAccess::closed<host_backend>())).code,
            Errc::stream_null);
}

TEST_F(EventTest, RecordedAgainAfterACaptureItIsNoPointOfTheGraph) {
  Event event = stream.record().value();
  auto capture = Capture::begin(stream).value();
  ASSERT_TRUE(event.record(stream).has_value());
  EXPECT_TRUE(std::move(capture).end().has_value());
  EXPECT_EQ(error_in(event.synchronize()).code, Errc::captured_event);
  ASSERT_TRUE(event.record(stream).has_value());
  EXPECT_TRUE(event.synchronize().has_value());
}

TEST_F(EventTest, OrdersTwoStreams) {
  int* const numbers = device_array<int>(2);
  numbers[0] = numbers[1] = 0;
  const Stream other = Stream::create().value();
  may_end = false;
  ASSERT_TRUE(launch(stream, once, kernel<run_until_released>).has_value());
  ASSERT_TRUE(launch(stream, once, kernel<put>, 7, trust(numbers)).has_value());
  const Event written = Event::create(stream).value();
  ASSERT_TRUE(warpsafe::wait(other, written).has_value());
  ASSERT_TRUE(
      launch(other, once, kernel<copy_one>, trust(numbers), trust(numbers + 1)).has_value());
  EXPECT_TRUE(stays_pending(other)) << "it waits";
  may_end = true;
  ASSERT_TRUE(other.synchronize().has_value());
  EXPECT_EQ(numbers[1], 7);
}

TEST_F(EventTest, TimedOnesMeasureTheTimeBetweenThem) {
  const TimedEvent begin = TimedEvent::create(stream).value();
  ASSERT_TRUE(stream.synchronize().has_value()) << "reached before the time that is measured";
  may_end = false;
  ASSERT_TRUE(launch(stream, once, kernel<run_until_released>).has_value());
  const TimedEvent end = TimedEvent::create(stream).value();
  std::thread teller([] {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    may_end = true;
  });
  const auto ms = elapsed_ms(begin, end);
  teller.join();
  ASSERT_TRUE(ms.has_value()) << message(ms.error());
  EXPECT_GE(ms.value(), 4.0F) << "it waits for the second";
  EXPECT_LT(ms.value(), 60000.0F);
}

TEST_F(EventTest, TwoOfOneStreamAreNotSwapped) {
  const TimedEvent begin = stream.record_timed().value();
  ASSERT_TRUE(begin.synchronize().has_value());
  std::this_thread::sleep_for(std::chrono::milliseconds(2));
  const TimedEvent end = stream.record_timed().value();
  const auto swapped = elapsed_ms(end, begin, app);
  EXPECT_EQ(error_in(swapped).code, Errc::events_reversed);
  EXPECT_GE(error_in(swapped).value, 1000U);
  EXPECT_THAT(said(swapped),
              ::testing::MatchesRegex("event elapsed failed: the second event happened [0-9]+ us "
                                      "before the first, on one stream; pass the earlier event "
                                      "first: elapsed_ms\\(begin, end\\)\n  at app.cpp:7"));
  EXPECT_GE(elapsed_ms(begin, end).value(), 1.0F);
  EXPECT_EQ(elapsed_ms(begin, begin).value(), 0.0F);
}

TEST_F(EventTest, TheTimeBetweenTwoStreamsMayBeNegative) {
  const Stream other = Stream::create().value();
  const TimedEvent early = other.record_timed().value();
  ASSERT_TRUE(early.synchronize().has_value());
  may_end = false;
  ASSERT_TRUE(launch(stream, once, kernel<run_until_released>).has_value());
  const TimedEvent late = stream.record_timed().value();
  std::thread teller([] {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    may_end = true;
  });
  const auto ms = elapsed_ms(late, early);
  teller.join();
  ASSERT_TRUE(ms.has_value()) << message(ms.error());
  EXPECT_LT(ms.value(), 0.0F) << "it waits for the first, too";
  EXPECT_GT(elapsed_ms(early, late).value(), 0.0F);
}

TEST_F(EventTest, IsDestroyedOnceByItsLastOwner) {
  {
    Event first = Event::create(stream).value();
    Event second = std::move(first);
    EXPECT_EQ(first.native(), nullptr);  // NOLINT(bugprone-use-after-move): what is tested
    Event third = Event::create(stream).value();
    third = std::move(second);
    EXPECT_EQ(host::calls_made(call_of<&host_backend::event_destroy>), 1U);
    Event& same = third;
    third = std::move(same);
    EXPECT_NE(third.native(), nullptr) << "to itself it changes nothing";
  }
  EXPECT_EQ(host::calls_made(call_of<&host_backend::event_destroy>), 2U);
}

TEST_F(EventTest, EachCallThatFailsIsNamedWithItsCallersLine) {
  const auto expect_failed = [](const auto& outcome, const char* operation, unsigned line) {
    const LaunchError error = error_in(outcome);
    EXPECT_EQ(error.code, Errc::runtime_failed);
    EXPECT_EQ(text(error.operation), operation);
    EXPECT_EQ(error.site.line, line);
    EXPECT_THAT(error.site.file, ::testing::EndsWith("event_test.cpp"));
  };
  const auto fail = [](Call call) { host::fail_next(call, 1, HostStatus::unknown); };
  fail(call_of<&host_backend::event_create>);
  expect_failed(Event::create(stream), "event create", __LINE__);
  fail(call_of<&host_backend::event_record>);
  expect_failed(Event::create(stream), "event record", __LINE__);
  EXPECT_EQ(host::calls_made(call_of<&host_backend::event_destroy>), 1U)
      << "one that was not recorded is destroyed";
  const TimedEvent event = TimedEvent::create(stream).value();
  fail(call_of<&host_backend::event_synchronize>);
  expect_failed(event.synchronize(), "event synchronize", __LINE__);
  fail(call_of<&host_backend::event_query>);
  expect_failed(event.ready(), "event query", __LINE__);
  fail(call_of<&host_backend::stream_wait>);
  expect_failed(warpsafe::wait(stream, event), "stream wait", __LINE__);
  fail(call_of<&host_backend::event_elapsed>);
  expect_failed(elapsed_ms(event, event), "event elapsed", __LINE__);
  fail(call_of<&host_backend::event_synchronize>);
  expect_failed(elapsed_ms(event, event), "event synchronize", __LINE__);
}

// A vendor's runtime takes the handle of a moved-from Stream for its default stream.
TEST_F(EventTest, WhatIsLeftOfAStreamIsNotRecordedNorWaitedFor) {
  const Event event = Event::create(stream).value();
  Stream left = Stream::create().value();
  const Stream moved = std::move(left);
  const std::pair<LaunchError, std::string> refusals[] = {
      {error_in(Event::create(left)), "event record"},
      {error_in(left.record()), "event record"},
      {error_in(left.record_timed()), "event record"},
      {error_in(warpsafe::wait(left, event)), "stream wait"},
      {error_in(left.synchronize()), "stream synchronize"},
      {error_in(left.query()), "stream query"},
      {error_in(left.ready()), "stream query"}};
  for (const auto& [error, operation] : refusals) {
    EXPECT_EQ(error.code, Errc::stream_null) << operation;
    EXPECT_THAT(message(error),
                ::testing::StartsWith(operation + " not called: this Stream was moved from"));
  }
  EXPECT_TRUE(moved.synchronize().has_value());
}

TEST_F(EventTest, AWaitFindsAFaultOfWorkBeforeIt) {
  // The event is created before the fault, because a lost context creates none.
  may_end = false;
  ASSERT_TRUE(launch(stream, once, kernel<run_until_released>).has_value());
  host::fault_in_kernel(1, HostStatus::launch_failure);
  ASSERT_TRUE(launch(stream, once, kernel<put>, 1, nullptr).has_value());
  const Event event = Event::create(stream).value();
  may_end = true;
  const LaunchError error = error_in(event.synchronize());
  EXPECT_EQ(error.code, Errc::execution_failed);
  EXPECT_EQ(error.stage, Stage::completion);
  EXPECT_EQ(error.severity, Severity::context_lost);
}

TEST_F(EventTest, OfAnotherDevicesStreamNeedsThatDevice) {
  host::set_device_count(2);
  const Stream there = Stream::create(DeviceId(1)).value();
  const auto refused = there.record(app);
  const LaunchError error = error_in(refused);
  EXPECT_EQ(error.code, Errc::stream_wrong_device);
  EXPECT_EQ(error.value, 0U);
  EXPECT_EQ(error.limit, 1U);
  EXPECT_EQ(said(refused),
            "event record failed: the stream belongs to device 1, but device 0 is current; make "
            "device 1 current with DeviceGuard (hostErrorInvalidResourceHandle, 400)\n"
            "  at app.cpp:7");
  const auto guard = DeviceGuard::create(DeviceId(1)).value();
  EXPECT_TRUE(there.record().has_value());
}

TEST_F(EventTest, OfAnotherDeviceCanBeWaitedForButNotTimed) {
  host::set_device_count(2);
  const Stream here = Stream::create(DeviceId(0)).value();
  const Stream there = Stream::create(DeviceId(1)).value();
  const TimedEvent first = here.record_timed().value();
  const auto guard = DeviceGuard::create(DeviceId(1)).value();
  const TimedEvent second = there.record_timed().value();
  EXPECT_EQ(second.device(), DeviceId(1));
  EXPECT_TRUE(warpsafe::wait(there, first).has_value());
  EXPECT_TRUE(first.synchronize().has_value());
  const auto refused = elapsed_ms(first, second, app);
  EXPECT_EQ(error_in(refused).code, Errc::stream_wrong_device);
  EXPECT_EQ(said(refused),
            "event elapsed failed: one event is of device 0, the other of device 1; measure the "
            "time between events of one device (hostErrorInvalidResourceHandle, 400)\n"
            "  at app.cpp:7");
}

TEST_F(EventTest, ThatWasMovedFromIsNotUsed) {
  TimedEvent from = TimedEvent::create(stream).value();
  const TimedEvent event = std::move(from);
  const auto asked = host::calls_made(call_of<&host_backend::event_query>);
  // NOLINTBEGIN(bugprone-use-after-move): on purpose
  EXPECT_EQ(said(from.query(app)),
            "event query not called: this Event was moved from; use the one that it was moved to\n"
            "  at app.cpp:7");
  EXPECT_EQ(error_in(from.synchronize()).code, Errc::event_moved);
  EXPECT_EQ(error_in(warpsafe::wait(stream, from)).code, Errc::event_moved);
  EXPECT_EQ(error_in(elapsed_ms(from, event)).code, Errc::event_moved);
  EXPECT_EQ(error_in(elapsed_ms(event, from)).code, Errc::event_moved);
  // NOLINTEND(bugprone-use-after-move)
  EXPECT_EQ(host::calls_made(call_of<&host_backend::event_query>), asked);
}

}  // namespace
}  // namespace warpsafe::core_test
