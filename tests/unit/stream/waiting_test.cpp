// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// What is checked before a wait, and the points that a wait reaches, with a scripted runtime.

#include "stream_driver.hpp"
#include <warpsafe/stream/detail/backend_calls.hpp>
#include <warpsafe/stream/detail/beside_captures.hpp>
#include <warpsafe/stream/detail/stream_mark.hpp>
#include <warpsafe/stream/detail/stream_uses.hpp>
#include <warpsafe/stream/detail/waiting.hpp>

#include <gmock/gmock.h>

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

namespace warpsafe::core_test {
namespace {

constexpr CheckLevel waits_full = CheckLevel::full;

class Waiting : public StreamDriverTest {
 protected:
  /// Whether a wait for a stream would break a capture.
  template <CheckLevel Level = waits_full>
  bool breaks(std::uintptr_t stream) {
    error = LaunchError::make(Errc{}, Stage{});
    const basic_stream_ref<Driver> asked = Driver::stream(stream);
    const bool refused = detail::breaks_capture<Driver, Level>(
        stream == 0 ? nullptr : &asked, nullptr, Name::of("some call"), app, error);
    if (refused) {
      EXPECT_EQ(finding(error),
                (Finding{Errc::stream_capturing, Stage::validation, 0, 0, Axis::none}));
      EXPECT_EQ(error.vendor, Driver::vendor);
      EXPECT_EQ(text(error.operation), "some call");
      EXPECT_TRUE(is_app(error.site));
    }
    return refused;
  }
  using Mark = detail::StreamMark<Driver>;

  LaunchError error = LaunchError::make(Errc{}, Stage{});
};

TEST_F(Waiting, APointKnowsItsTimeOnlyIfToolsAskForIt) {
  const detail::StreamPoint nothing;
  EXPECT_EQ(nothing.stream, nullptr);
  EXPECT_EQ(nothing.time, 0U);
  EXPECT_EQ(nothing.device, -1);
  void* const stream = Driver::handle<void*>(4);
  {
    const NotedWaits noted;
    const auto point = detail::StreamPoint::of(stream, 7, 2);
    EXPECT_EQ(point.time, 1U);
    point.reached(Driver::vendor);
    EXPECT_EQ(script.taken(), Calls{"reached 7 2 1"});
    nothing.reached(Driver::vendor);
    EXPECT_EQ(script.taken(), Calls{}) << "nothing is known";
  }
  Observer* const before = detail::observers_in_use;
  __atomic_store_n(&detail::observers_in_use, nullptr, __ATOMIC_RELEASE);
  const auto alone = detail::StreamPoint::of(stream, 7, 2);
  detail::StreamPoint{stream, detail::StreamNumber(7), 5, 2}.reached(Driver::vendor);
  __atomic_store_n(&detail::observers_in_use, before, __ATOMIC_RELEASE);
  EXPECT_EQ(alone.time, 0U);
  EXPECT_EQ(alone.stream, stream);
  EXPECT_EQ(alone.device, 2);
}

TEST_F(Waiting, ANullStreamIsRefusedInItsBackendsName) {
  const LaunchError refused =
      error_in(detail::check_stream<waits_full>(Name::of("some call"), Driver::stream(0), app));
  EXPECT_EQ(finding(refused), (Finding{Errc::stream_null, Stage::validation, 0, 0, Axis::none}));
  EXPECT_EQ(refused.vendor, Driver::vendor);
  EXPECT_EQ(text(refused.operation), "some call");
  EXPECT_EQ(refused.subcode, Subcode::stream_closed);
  EXPECT_TRUE(
      detail::check_stream<waits_full>(Name::of("some call"), Driver::stream(1), app).has_value());
}

TEST_F(Waiting, ADestroyedStreamIsRefusedAtLevelFull) {
  const detail::StreamNumber number = detail::StreamNumber::next();
  const auto stream = detail::StreamAccess::make<Driver>(Driver::handle<void*>(4), 0, number);
  EXPECT_TRUE(detail::check_stream<waits_full>(Name::of("some call"), stream, app).has_value());
  number.end();
  const LaunchError refused =
      error_in(detail::check_stream<waits_full>(Name::of("some call"), stream, app));
  EXPECT_EQ(finding(refused), (Finding{Errc::stream_null, Stage::validation, 0, 0, Axis::none}));
  EXPECT_EQ(refused.subcode, Subcode::stream_destroyed);
  EXPECT_TRUE(
      detail::check_stream<CheckLevel::off>(Name::of("some call"), stream, app).has_value());
}

TEST_F(Waiting, AStreamThatOtherCodeCapturesIsFoundAtLevelFull) {
  EXPECT_FALSE(breaks(4));
  script.capturing.insert(Driver::handle<void*>(4));
  EXPECT_TRUE(breaks(4));
  EXPECT_EQ(error.stream, Driver::handle<void*>(4));
  EXPECT_FALSE(breaks<CheckLevel::off>(4));
  script.fails = {{"stream_capturing", 1}};
  EXPECT_FALSE(breaks(4)) << "the call itself will tell";
  script.fails.clear();
  Driver::answers = false;
  EXPECT_FALSE(breaks(4)) << "nor does a runtime that gives no answer keep a program from waiting";
}

TEST_F(Waiting, AnOpenCaptureLearnsTheThreadsOwnMode) {
  const OpenCapture open;
  EXPECT_FALSE(breaks(4));
  EXPECT_EQ(script.taken(),
            (Calls{"exchange_capture_mode", "exchange_capture_mode ~", "asked_strict"}));
  script.relaxed = true;
  EXPECT_FALSE(breaks(4));
  EXPECT_EQ(script.taken(),
            (Calls{"exchange_capture_mode ~", "exchange_capture_mode ~", "asked_relaxed ~"}));
  EXPECT_TRUE(script.relaxed) << "it is restored";
  script.relaxed = false;
  script.fails = {{"exchange_capture_mode", 1}};
  EXPECT_FALSE(breaks(4));
  EXPECT_EQ(script.taken(), (Calls{"exchange_capture_mode", "asked_strict"}))
      << "a mode that is not known counts as strict";
  OpenCapture::refuses = true;
  EXPECT_TRUE(breaks(4));
}

/// A backend whose queries may always change their answer.
struct PolledBackend {};
struct ScheduledBackend {
  static bool is_scheduled() noexcept { return scheduled; }
  static inline bool scheduled = true;
};

TEST_F(Waiting, PollingHelpsUnlessASchedulerRunsTheWork) {
  EXPECT_TRUE(detail::polling_helps<PolledBackend>());
  ScheduledBackend::scheduled = true;
  EXPECT_FALSE(detail::polling_helps<ScheduledBackend>());
  ScheduledBackend::scheduled = false;
  EXPECT_TRUE(detail::polling_helps<ScheduledBackend>());
}

TEST_F(Waiting, AWatchedCallIsPrecededByAWaitThatBreaksNoCapture) {
  const NotedWaits noted;
  const auto ahead = [] {
    const int status = detail::wait_ahead(Driver::stream(4, 2), app);
    EXPECT_EQ(status, script.status_of("waits"));
    return script.taken();
  };
  EXPECT_EQ(ahead(), Calls{}) << "waits are not watched";
  NotedWaits::watches = true;
  EXPECT_EQ(ahead(), Calls{"waits 4 2 1"});
  script.capturing.insert(Driver::handle<void*>(4));
  EXPECT_EQ(ahead(), Calls{});
  script.capturing.clear();
  Driver::answers = false;
  EXPECT_EQ(ahead(), Calls{}) << "it may capture";
  Driver::answers = true;
  {
    const OpenCapture open;
    EXPECT_EQ(ahead(), Calls{});
  }
  script.fails = {{"waits", 6}};
  EXPECT_EQ(ahead(), Calls{"waits 4 2 1"});
}

TEST_F(Waiting, AStreamThatCannotBeAskedDoesNotCapture) {
  const auto captures = [] { return detail::captures<waits_full>(Driver::stream(4)); };
  EXPECT_FALSE(captures());
  script.capturing.insert(Driver::handle<void*>(4));
  EXPECT_TRUE(captures());
  Driver::answers = false;
  EXPECT_FALSE(captures());
  Driver::answers = true;
  script.fails = {{"stream_capturing", 1}};
  EXPECT_FALSE(captures());
}

TEST_F(Waiting, AnotherDeviceIsCurrentForTheBodyAlone) {
  int body = 0;
  const auto on = [&](int device) {
    return detail::on_device<Driver>(
        device, [&]() noexcept { return script.call("body", script.device) + body; });
  };
  script.device = 1;
  EXPECT_EQ(on(1), 0);
  EXPECT_EQ(script.taken(), Calls{"body 1"}) << "it is current already";
  EXPECT_EQ(on(2), 0);
  EXPECT_EQ(script.taken(), (Calls{"set_device 2", "body 2", "set_device 1"}));
  body = 1;
  EXPECT_EQ(on(1), 1);
  EXPECT_EQ(on(2), 1);
  EXPECT_EQ(script.taken(), (Calls{"body 1", "set_device 2", "body 2", "set_device 1"}));
  body = 0;
  script.fails = {{"current_device", 1}};
  EXPECT_EQ(on(1), 1);
  EXPECT_EQ(script.taken(), Calls{});
  script.fails = {{"set_device", 1}};
  EXPECT_EQ(on(2), 1);
  EXPECT_EQ(script.taken(), Calls{"set_device 2"}) << "the body did not run";
  script.device = 1;
  script.fails.clear();
  script.fails_later = {{"set_device", 1}};
  EXPECT_EQ(on(2), 1) << "the device was not restored";
  EXPECT_EQ(script.taken(), (Calls{"set_device 2", "body 2", "set_device 1"}));
}

// The status says that nothing was submitted, so what the body did ends.
TEST_F(Waiting, WorkThatWasSubmittedHasEndedIfTheDeviceIsNotRestored) {
  const auto submit = [](int status) {
    script.device = 1;
    script.fails.clear();
    script.fails_later = {{"set_device", 7}};
    return detail::submit_on_device(2, Driver::stream(4, 1),
                                    [&]() noexcept { return script.call("submit") + status; });
  };
  EXPECT_EQ(submit(0), 7);
  EXPECT_EQ(script.taken(),
            (Calls{"set_device 2", "submit", "set_device 1", "exchange_capture_mode",
                   "stream_synchronize 4 ~", "exchange_capture_mode ~"}));
  EXPECT_EQ(submit(5), 5);
  EXPECT_EQ(script.taken(), (Calls{"set_device 2", "submit", "set_device 1"})) << "nothing runs";
}

TEST_F(Waiting, AMarkIsAPointThatCanMove) {
  const NotedWaits noted;
  Mark mark;
  EXPECT_EQ(mark.wait<waits_full>(app, true), 0);
  EXPECT_EQ(mark.query<waits_full>(), 0);
  EXPECT_EQ(mark.order_before(Driver::stream(4)), 0);
  EXPECT_EQ(script.taken(), Calls{}) << "no point is reached at once";

  EXPECT_EQ(mark.set(Driver::stream(4)), 0);
  EXPECT_EQ(script.taken(), Calls{"event_record 1 4"});
  EXPECT_EQ(mark.order_before(Driver::stream(6)), 0);
  EXPECT_EQ(script.taken(), Calls{"stream_wait 6 1"});
  const Calls relaxed_wait = {"exchange_capture_mode", "waits 1 0 1 ~", "reached 4 0 1 ~",
                              "exchange_capture_mode ~"};
  EXPECT_EQ(mark.wait<waits_full>(app, true), 0);
  EXPECT_EQ(script.taken(), relaxed_wait);
  EXPECT_EQ(mark.query<waits_full>(), 0);
  EXPECT_EQ(script.taken(), (Calls{"exchange_capture_mode", "event_query 1 ~", "reached 4 0 1 ~",
                                   "exchange_capture_mode ~"}));
  for (const int status : {1, Driver::not_ready}) {
    script.fails = {{"event_query", status}, {"waits", status}};
    EXPECT_EQ(mark.query<waits_full>(), status);
    EXPECT_EQ(mark.wait<waits_full>(app, false), status);
    EXPECT_EQ(script.taken(),
              (Calls{"exchange_capture_mode", "event_query 1 ~", "exchange_capture_mode ~",
                     "exchange_capture_mode", "waits 1 0 0 ~", "exchange_capture_mode ~"}))
        << "it is not reached";
  }
  script.fails.clear();
  EXPECT_EQ(mark.set(Driver::stream(8, 3)), 0);
  EXPECT_EQ(script.taken(), (Calls{"set_device 3", "event_record 1 8", "set_device 0"}))
      << "the same event, on its stream's device";
}

/// Of a handle of the scripted runtime.
std::uintptr_t number_of(const void* handle) {
  return reinterpret_cast<std::uintptr_t>(handle) /
         reinterpret_cast<std::uintptr_t>(StreamDriver::handle<void*>(1));
}

/// A runtime that can tell without a call whether an event has ended.
struct KnowingDriver : StreamDriver {
  static inline std::uintptr_t first_open = 0;  ///< events before it have ended
  static bool event_ended(native_event event) noexcept { return number_of(event) < first_open; }
};

template <class B>
struct MarksOf {
  MarksOf() { script.calls.clear(); }
  /// Sets the marks of these streams, and forgets the calls.
  void set(std::uintptr_t first, std::uintptr_t last) {
    for (std::uintptr_t i = first; i <= last; ++i) {
      int status = -1;
      EXPECT_TRUE(marks.set(stream(i), status));
      EXPECT_EQ(status, 0);
    }
    static_cast<void>(script.taken());
  }
  static basic_stream_ref<B> stream(std::uintptr_t number) {
    return detail::StreamAccess::make<B>(B::template handle<void*>(number), 0,
                                         detail::StreamNumber(number));
  }
  std::vector<std::uintptr_t> streams() const {
    std::vector<std::uintptr_t> found;
    marks.each([&](const auto& use) {
      found.push_back(use.number.value());
      return true;
    });
    std::sort(found.begin(), found.end());
    return found;
  }
  detail::StreamUses<B> marks;
};
std::vector<std::uintptr_t> numbers(std::uintptr_t first, std::uintptr_t last) {
  std::vector<std::uintptr_t> made(last - first + 1);
  std::iota(made.begin(), made.end(), first);
  return made;
}

TEST_F(Waiting, MarksThatHaveEndedMakeRoom) {
  MarksOf<KnowingDriver> held;
  KnowingDriver::first_open = 11;  // of the events, which have the numbers of the streams here
  held.set(1, 16);
  EXPECT_EQ(held.streams(), numbers(1, 16));
  held.set(1, 16);
  EXPECT_EQ(held.streams(), numbers(1, 16)) << "no stream is new";
  int status = -1;
  EXPECT_TRUE(held.marks.set(held.stream(17), status));
  EXPECT_EQ(held.streams(), numbers(11, 17));
  EXPECT_THAT(script.taken(), testing::Contains(testing::StartsWith("event_destroy")).Times(10));
  // Six are left of these, so the next time is at twice as many and 16.
  held.set(18, 38);
  EXPECT_EQ(held.streams(), numbers(11, 38));
  KnowingDriver::first_open = 1000;
  held.set(39, 39);
  EXPECT_EQ(held.streams(), numbers(39, 39));
}

TEST_F(Waiting, MarksStayWhereNothingIsKnownOfThem) {
  MarksOf<StreamDriver> held;
  held.set(1, 100);
  EXPECT_EQ(held.streams(), numbers(1, 100));
}

TEST_F(Waiting, MarksAreVisitedUntilOneStops) {
  MarksOf<StreamDriver> held;
  held.set(1, 3);
  int visited = 0;
  held.marks.each([&](const auto&) { return ++visited < 2; });
  EXPECT_EQ(visited, 2);
}

TEST_F(Waiting, MovedMarksTakeTheirPointsAlong) {
  const NotedWaits noted;
  {
    Mark first;
    Mark second;
    EXPECT_EQ(first.set(Driver::stream(4)), 0);
    EXPECT_EQ(second.set(Driver::stream(6, 0)), 0);
    first = std::move(second);
    Mark third = std::move(first);
    script.calls.clear();
    EXPECT_EQ(third.wait<waits_full>(app, true), 0);
    EXPECT_EQ(script.taken(), (Calls{"exchange_capture_mode", "waits 2 0 1 ~", "reached 6 0 2 ~",
                                     "exchange_capture_mode ~"}));
    // NOLINTBEGIN(bugprone-use-after-move): what is tested
    EXPECT_EQ(first.query<waits_full>(), 0);
    EXPECT_EQ(script.taken(), Calls{}) << "it has no point";
    EXPECT_EQ(second.order_before(Driver::stream(9)), 0);
    EXPECT_EQ(script.taken(), Calls{"stream_wait 9 1"}) << "assignment swaps";
    EXPECT_EQ(second.wait<waits_full>(app, true), 0);
    EXPECT_EQ(script.taken(), (Calls{"exchange_capture_mode", "waits 1 0 1 ~", "reached 4 0 1 ~",
                                     "exchange_capture_mode ~"}));
    // NOLINTEND(bugprone-use-after-move)
  }
  EXPECT_EQ(script.taken(), (Calls{"event_destroy 2", "event_destroy 1"}));
}

}  // namespace
}  // namespace warpsafe::core_test
