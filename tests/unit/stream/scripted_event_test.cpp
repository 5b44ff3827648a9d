// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// Events of captures, and what a runtime may say about events, with a scripted runtime.

#include "stream_driver.hpp"
#include <warpsafe/stream/event.hpp>

#include <gtest/gtest.h>

#include <cstdint>
#include <optional>
#include <type_traits>
#include <utility>

namespace warpsafe::core_test {
namespace {

class ScriptedEvents : public StreamDriverTest {
 protected:
  using PlainEvent = basic_event<StreamDriver, false>;
  using MeasuringEvent = basic_event<StreamDriver, true>;
  /// An event recorded in the scripted stream of a number.
  static MeasuringEvent recorded(std::uintptr_t stream, int device = 0) {
    auto made = Driver::stream(stream, device).record_timed(app).value();
    script.calls.clear();
    return made;
  }
  static void expect(const LaunchError& error, Errc code, const char* operation) {
    EXPECT_EQ(error.code, code);
    EXPECT_EQ(text(error.operation), operation);
    EXPECT_EQ(error.vendor, Driver::vendor);
    EXPECT_TRUE(is_app(error.site));
  }
};

TEST_F(ScriptedEvents, TheEventOfAnOpenCaptureOrdersOnlyItsStreams) {
  std::optional<OpenCapture> open(std::in_place);
  const MeasuringEvent inside = recorded(4);
  MeasuringEvent moved = recorded(4);
  const MeasuringEvent next = std::move(moved);
  expect(error_in(inside.synchronize(app)), Errc::captured_event, "event synchronize");
  expect(error_in(inside.query(app)), Errc::captured_event, "event query");
  expect(error_in(elapsed_ms(inside, next, app)), Errc::captured_event, "event elapsed");
  // NOLINTNEXTLINE(bugprone-use-after-move): what is tested
  expect(error_in(warpsafe::wait(Driver::stream(6), moved, app)), Errc::event_moved, "stream wait");
  script.calls.clear();
  EXPECT_TRUE(warpsafe::wait(Driver::stream(6), inside, app).has_value());
  EXPECT_EQ(script.taken(), (Calls{"stream_wait 6 1", "joined 6 1 7"}));
  open.reset();
  expect(error_in(warpsafe::wait(Driver::stream(6), inside, app)), Errc::captured_event,
         "stream wait");
  EXPECT_EQ(script.taken(), Calls{});
  const MeasuringEvent outside = recorded(4);
  EXPECT_TRUE(warpsafe::wait(Driver::stream(6), outside, app).has_value());
  EXPECT_EQ(script.taken(), Calls{"stream_wait 6 3"});
}

// Only the runtime knows whether a stream takes part in another library's capture.
TEST_F(ScriptedEvents, TheEventOfOtherCodesCaptureMayBeWaitedForInIt) {
  script.capturing.insert(Driver::handle<void*>(4));
  const MeasuringEvent inside = recorded(4);
  script.capturing.clear();
  const MeasuringEvent outside = recorded(4);
  expect(error_in(inside.synchronize(app)), Errc::captured_event, "event synchronize");
  EXPECT_TRUE(warpsafe::wait(Driver::stream(6), inside, app).has_value());
  script.fails = {{"stream_wait", 1}};
  expect(error_in(warpsafe::wait(Driver::stream(6), inside, app)), Errc::captured_event,
         "stream wait");
  expect(error_in(warpsafe::wait(Driver::stream(6), outside, app)), Errc::runtime_failed,
         "stream wait");
  script.fails = {{"stream_wait", 719}};
  EXPECT_EQ(error_in(warpsafe::wait(Driver::stream(6), inside, app)).code, Errc::execution_failed)
      << "it says more than the capture";
  // An answer that is not given is no capture.
  Driver::answers = false;
  EXPECT_TRUE(recorded(4).query(app).has_value());
}

TEST_F(ScriptedEvents, APointThatAQueryFindsReachedIsToldToTheTools) {
  const NotedWaits noted;
  const MeasuringEvent event = recorded(4, 0);
  for (const auto& [status, progress] :
       {std::pair(0, Progress::ready), std::pair(Driver::not_ready, Progress::not_ready)}) {
    script.fails = {{"event_query", status}};
    EXPECT_EQ(event.query(app).value(), progress);
    EXPECT_EQ(script.taken(),
              status == 0 ? (Calls{"event_query 1", "reached 4 0 1"}) : Calls{"event_query 1"});
  }
  script.fails = {{"event_query", 1}};
  EXPECT_EQ(error_in(event.query(app)).raw, 1);
  EXPECT_EQ(script.taken(), Calls{"event_query 1"});
  EXPECT_TRUE(event.synchronize(app).has_value());
  EXPECT_EQ(script.taken(), (Calls{"waits 1 0 1", "reached 4 0 1"}));
}

TEST_F(ScriptedEvents, AssignmentTakesTheWholePoint) {
  const NotedWaits noted;
  MeasuringEvent event = recorded(4);
  MeasuringEvent other = recorded(6, 3);
  event = std::move(other);
  EXPECT_EQ(script.taken(), Calls{"event_destroy 1"});
  EXPECT_EQ(event.device(), DeviceId(3));
  EXPECT_TRUE(event.shares_stream_with(recorded(6)));
  EXPECT_FALSE(event.shares_stream_with(recorded(4)));
  script.calls.clear();
  EXPECT_TRUE(event.synchronize(app).has_value());
  EXPECT_EQ(script.taken(), (Calls{"waits 2 3 1", "reached 6 3 2"}));
}

TEST_F(ScriptedEvents, ARecordThatFailsOnAnotherDeviceNamesBoth) {
  script.fails = {{"event_record", 1}};
  for (const int current : {0, 1, 2}) {
    script.device = current;
    const LaunchError error = error_in(Driver::stream(4, 2).record(app));
    EXPECT_EQ(error.code, current == 2 ? Errc::runtime_failed : Errc::stream_wrong_device);
    EXPECT_EQ(error.value, current == 2 ? 0U : static_cast<unsigned>(current));
    EXPECT_EQ(error.limit, current == 2 ? 0U : 2U);
  }
}

TEST_F(ScriptedEvents, TheTimeIsMeasuredOnceBothAreReached) {
  const NotedWaits noted;
  Driver::elapsed = 1.5F;
  const MeasuringEvent begin = recorded(4);
  const MeasuringEvent end = recorded(4);
  const MeasuringEvent elsewhere = recorded(6);
  const auto measured = [&](const MeasuringEvent& from, const MeasuringEvent& to) {
    EXPECT_EQ(elapsed_ms(from, to, app).value(), Driver::elapsed);
    return script.taken();
  };
  // Those of one stream are reached in order.
  EXPECT_EQ(measured(begin, end), (Calls{"waits 2 0 1", "reached 4 0 2", "event_elapsed 1 2"}));
  EXPECT_EQ(measured(begin, elsewhere), (Calls{"waits 1 0 1", "reached 4 0 1", "waits 3 0 1",
                                               "reached 6 0 3", "event_elapsed 1 3"}));
  script.fails = {{"event_elapsed", Driver::not_ready}};
  EXPECT_EQ(measured(end, begin), (Calls{"waits 1 0 1", "reached 4 0 1", "event_elapsed 2 1",
                                         "waits 2 0 1", "reached 4 0 2", "event_elapsed 2 1"}))
      << "the first was recorded last";
  script.fails = {{"event_elapsed", 1}};
  expect(error_in(elapsed_ms(begin, end, app)), Errc::runtime_failed, "event elapsed");
  script.fails = {{"waits", 1}};
  expect(error_in(elapsed_ms(begin, elsewhere, app)), Errc::runtime_failed, "event synchronize");
}

TEST_F(ScriptedEvents, ANegativeTimeOnOneStreamIsRefusedInMicroseconds) {
  const MeasuringEvent begin = recorded(4);
  const MeasuringEvent end = recorded(4);
  Driver::elapsed = -2500.0F;
  const LaunchError error = error_in(elapsed_ms(begin, end, app));
  expect(error, Errc::events_reversed, "event elapsed");
  EXPECT_EQ(finding(error),
            (Finding{Errc::events_reversed, Stage::runtime_call, 2500000, 0, Axis::none}));
  EXPECT_EQ(elapsed_ms(begin, recorded(6), app).value(), -2500.0F);
}

}  // namespace
}  // namespace warpsafe::core_test
