// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// What a long wait says about the work in flight, and how it is watched: with launches made by
// hand and calls that the test answers.

#include "core_test.hpp"
#include "log_fixture.hpp"
#include "private_member.hpp"
#include <warpsafe/debug/journal/timeout.hpp>

#include <gmock/gmock.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace warpsafe::core_test {

struct LastNumber {
  friend constexpr auto member(LastNumber);
};
template struct PrivateMember<LastNumber, &debug::Journal::last_>;

namespace {

using debug::Completion;
using debug::Journal;
using debug::JournalReader;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::MatchesRegex;

const void* stream_at(std::uintptr_t number) { return reinterpret_cast<const void*>(number); }

/// The process's journal without launches in flight.
/// The number of a stream of a device.
std::uint64_t number_of(std::uintptr_t stream, std::int32_t device) {
  return stream << 8U | static_cast<std::uint32_t>(device);
}

struct InFlight : ::testing::Test {
  InFlight() { clear(); }
  ~InFlight() override { clear(); }
  InFlight(const InFlight&) = delete;
  InFlight& operator=(const InFlight&) = delete;

  static void clear() {
    for (std::size_t i = 0; i < Journal::capacity; ++i) {
      Journal::get().refused(Journal::get().append(LaunchRecord{}));
    }
  }
  static std::uint64_t launching(const char* kernel, std::uintptr_t stream = 0x100,
                                 std::int32_t device = 40, Vendor vendor = Vendor::amd) {
    LaunchRecord record{};
    record.kernel = Name::of(kernel);
    record.stream = stream_at(stream);
    record.stream_number = number_of(stream, device);
    record.device = device;
    record.vendor = vendor;
    return Journal::get().append(record);
  }
  static std::uint64_t launched(const char* kernel, std::uintptr_t stream = 0x100,
                                std::int32_t device = 40, Vendor vendor = Vendor::amd) {
    const std::uint64_t number = launching(kernel, stream, device, vendor);
    Journal::get().submitted(number, Completion::get().now());
    return number;
  }
  static std::string listed(std::uint64_t number, const std::string& kernel) {
    return "\n    #" + std::to_string(number) + " '" + kernel +
           "', grid=(0,0,0), block=(0,0,0), shared=0 bytes";
  }
  static std::string said_now() {
    char room[8192];
    detail::TextBuffer out(room, sizeof room);
    debug::put_in_flight(out);
    return room;
  }
  static std::string forgotten() {
    const std::uint64_t gone = Journal::get().last() - Journal::capacity;
    return "\n  the journal holds the last 1024 launches: " + std::to_string(gone) +
           " older ones are not listed";
  }
  static constexpr const char* heading =
      "\n  in flight (not known to have ended), by stream, oldest first:";
};

TEST_F(InFlight, AStreamIsOneOfItsDeviceAndVendor) {
  EXPECT_EQ(said_now(),
            "\n  in flight: no launch of checked code; look at copies, library calls, and other "
            "users of the device");
  const std::uint64_t a = launched("a", 0x100);
  const std::uint64_t b = launched("b", 0x200);
  const std::uint64_t c = launching("c", 0x100);
  const std::uint64_t d = launched("d", 0x100, 41);
  const std::uint64_t e = launched("e", 0x100, 40, Vendor::nvidia);
  const std::uint64_t f = launched("f", 0x200);
  EXPECT_EQ(said_now(),
            heading + std::string("\n  stream 0x100 of device 40: 2 launches") + listed(a, "a") +
                listed(c, "c") + "\n  stream 0x200 of device 40: 2 launches" + listed(b, "b") +
                listed(f, "f") + "\n  stream 0x100 of device 41: 1 launch" + listed(d, "d") +
                "\n  stream 0x100 of device 40: 1 launch" + listed(e, "e") + forgotten());
  Completion::get().stream_waited(Vendor::amd, 40, number_of(0x200, 40),
                                  Completion::get().begin_wait());
  Completion::get().device_waited(Vendor::nvidia, 40, Completion::get().begin_wait());
  Completion::get().device_waited(Vendor::amd, 40, Completion::get().begin_wait());
  EXPECT_EQ(said_now(), heading + std::string("\n  stream 0x100 of device 40: 1 launch") +
                            listed(c, "c") + "\n  stream 0x100 of device 41: 1 launch" +
                            listed(d, "d") + forgotten());
}

TEST_F(InFlight, EightLaunchesOfAStreamAreListed) {
  std::string list;
  for (int i = 0; i < 8; ++i) list += listed(launched("k"), "k");
  EXPECT_EQ(said_now(),
            heading + ("\n  stream 0x100 of device 40: 8 launches" + list) + forgotten());
  launched("k");
  EXPECT_EQ(said_now(), heading + ("\n  stream 0x100 of device 40: 9 launches" + list) +
                            "\n    and 1 later ones" + forgotten());
  launched("k");
  EXPECT_EQ(said_now(), heading + ("\n  stream 0x100 of device 40: 10 launches" + list) +
                            "\n    and 2 later ones" + forgotten());
}

TEST_F(InFlight, ALaunchIsInOrderAlsoAfterNumbersThatWereNotUsed) {
  // Writers that are overtaken by a whole round give up their numbers, and the places keep the
  // launches of the round before.
  const std::uint64_t first = launched("first");
  for (std::uint64_t i = 0; i < Journal::capacity - 4; ++i) {
    Journal::get().refused(launching("between"));
  }
  __atomic_add_fetch(&(Journal::get().*member(LastNumber{})), 3, __ATOMIC_RELAXED);
  const std::uint64_t newest = launched("newest");
  EXPECT_EQ(newest, first + Journal::capacity);
  __atomic_add_fetch(&(Journal::get().*member(LastNumber{})), 2, __ATOMIC_RELAXED);
  const JournalReader all;
  ASSERT_EQ(all.size(), Journal::capacity);
  for (std::size_t i = 1; i < all.size(); ++i) {
    ASSERT_LT(all[i - 1].sequence, all[i].sequence) << i;
  }
  EXPECT_EQ(all[all.size() - 1].sequence, newest);
  const JournalReader pending(&debug::is_in_flight);
  ASSERT_EQ(pending.size(), 1U);
  EXPECT_EQ(text(pending[0].kernel), "newest");
}

TEST(WaitText, HasSecondsWithTheDigitsThatAreNeeded) {
  const std::map<std::uint64_t, std::string> texts = {
      {0, "0 s"},           {1, "0.001 s"},         {20, "0.02 s"},  {45, "0.045 s"},
      {100, "0.1 s"},       {500, "0.5 s"},         {990, "0.99 s"}, {999, "0.999 s"},
      {1000, "1 s"},        {1001, "1.001 s"},      {1100, "1.1 s"}, {1101, "1.101 s"},
      {2050, "2.05 s"},     {12345, "12.345 s"},    {60000, "60 s"}, {101010, "101.01 s"},
      {909090, "909.09 s"}, {1001001, "1001.001 s"}};
  for (const auto& [milliseconds, expected] : texts) {
    char room[64];
    detail::TextBuffer out(room, sizeof room);
    debug::detail::put_seconds(out, milliseconds);
    EXPECT_EQ(room, expected) << milliseconds;
  }
}
TEST(WaitLimit, IsInNanosecondsAndNeverSoLongThatATimeWouldOverflow) {
  constexpr std::uint64_t most = ~std::uint64_t{0} / 2;
  const auto limit = &debug::detail::limit_in_nanoseconds;
  EXPECT_EQ(limit(0), 0U);
  EXPECT_EQ(limit(1), 1'000'000U);
  EXPECT_EQ(limit(5000), 5'000'000'000U);
  EXPECT_EQ(limit(most / 1'000'000 - 1), (most / 1'000'000 - 1) * 1'000'000);
  EXPECT_EQ(limit(most / 1'000'000), most);
  EXPECT_EQ(limit(~std::uint64_t{0}), most);
}

/// A runtime whose work ends after a number of queries.
struct SlowRuntime {
  int queries = 0;
  int waits = 0;
  int ready_after = 1'000'000;
  int answer = 0;       ///< of the query that finds the work ended
  int wait_status = 0;  ///< of the runtime's own wait
  bool may_query = true;
  bool has_asked = false;  ///< whether it may query
};
SlowRuntime slow;
constexpr int not_ready = 34;
constexpr detail::WaitCalls slow_calls{
    Name::of("stream synchronize"),
    Vendor::amd,
    not_ready,
    [](void*) noexcept {
      ++slow.waits;
      return slow.wait_status;
    },
    [](void*) noexcept { return ++slow.queries > slow.ready_after ? slow.answer : not_ready; },
    [](void*) noexcept {
      slow.has_asked = true;
      return slow.may_query;
    }};

struct WatchedWait : ::testing::Test, LogSinkTest {
  WatchedWait() {
    debug::detail::ensure_started();
    slow = {};
    InFlight::clear();
  }
  ~WatchedWait() override {
    debug::clear_timeout();
    detail::capture_hooks = captures_before;
  }
  WatchedWait(const WatchedWait&) = delete;
  WatchedWait& operator=(const WatchedWait&) = delete;

  static constexpr detail::WaitTarget may_stop{nullptr, 3, app, true};
  static constexpr detail::WaitTarget may_not_stop{nullptr, 3, app, false};
  static int watched(const detail::WaitTarget& place) {
    return debug::detail::watched_wait(slow_calls, nullptr, place);
  }
  const detail::CaptureHooks* const captures_before = detail::capture_hooks;
};

TEST_F(WatchedWait, PausesGrowToAMillisecond) {
  EXPECT_EQ(debug::detail::poll(slow_calls, nullptr, debug::detail::nanoseconds_now() + 20'000'000),
            not_ready);
  EXPECT_GE(slow.queries, 2);
  EXPECT_LE(slow.queries, 32) << "ten pauses make the first millisecond, twenty the others";
  slow = {};
  slow.ready_after = 2;
  slow.answer = 5;
  EXPECT_EQ(debug::detail::poll(slow_calls, nullptr, ~std::uint64_t{0}), 5);
  EXPECT_EQ(slow.queries, 3);
  slow = {};
  slow.ready_after = 16;
  const std::uint64_t begun = debug::detail::nanoseconds_now();
  EXPECT_EQ(debug::detail::poll(slow_calls, nullptr, ~std::uint64_t{0}), 0);
  EXPECT_GE(debug::detail::nanoseconds_now() - begun, 7'000'000U);
}

TEST_F(WatchedWait, TheStatusIsThatOfTheQueryThatFailedOrOfTheRuntimesWait) {
  debug::set_timeout(60'000);
  slow.ready_after = 1;
  slow.answer = 700;
  EXPECT_EQ(watched(may_stop), 700);
  EXPECT_EQ(slow.waits, 0) << "some runtimes report an error only once";
  slow.answer = 0;
  slow.wait_status = 701;
  EXPECT_EQ(watched(may_stop), 701);
  EXPECT_EQ(slow.waits, 1);
  EXPECT_THAT(messages, IsEmpty());
}

TEST_F(WatchedWait, ALateWaitHasItsOwnStatusAndItsTimeIsSaid) {
  debug::set_timeout(1);
  slow.wait_status = 702;
  EXPECT_EQ(watched(may_stop), 702);
  const auto texts = all_texts();
  ASSERT_EQ(texts.size(), 2U);
  EXPECT_EQ(texts[0],
            "warpsafe: a wait has lasted 0.001 s (WARPSAFE_TIMEOUT): stream synchronize of device "
            "3, at app.cpp:7\n  in flight: no launch of checked code; look at copies, library "
            "calls, and other users of the device\n  the wait goes on; "
            "WARPSAFE_TIMEOUT=SECONDS,stop ends such waits with an error");
  EXPECT_THAT(texts[1], MatchesRegex("warpsafe: that wait has ended after [0-9]{1,6} ms"));
  messages.clear();
  debug::set_timeout(1, true);
  EXPECT_EQ(watched(may_not_stop), 702);
  EXPECT_EQ(watched(may_stop), not_ready);
  EXPECT_EQ(slow.waits, 2);
}

TEST_F(WatchedWait, NothingIsAskedWhereAQueryWouldBreakACapture) {
  debug::set_timeout(0, true);
  slow.wait_status = 9;
  slow.may_query = false;
  EXPECT_EQ(watched(may_stop), 9);
  slow.may_query = true;
  constexpr detail::CaptureHooks open{};
  detail::capture_hooks = &open;
  EXPECT_EQ(watched(may_stop), 9);
  EXPECT_EQ(slow.queries, 0);
  EXPECT_THAT(messages, IsEmpty());
}

TEST_F(WatchedWait, AToolsWaitIsNotPartOfTheProgramsRun) {
  static std::vector<std::string> told;
  told.clear();
  Observer listener;
  listener.waiting = [](void*, Name what) noexcept { told.push_back("before " + text(what)); };
  listener.waited = [](void*, const WaitRecord& wait) noexcept {
    told.push_back("after " + text(wait.what) + ' ' + std::to_string(wait.device) + ' ' +
                   std::to_string(wait.status) + (wait.begun <= wait.ended ? "" : " late"));
  };
  slow.wait_status = 4;
  observe(listener);
  EXPECT_EQ(debug::detail::wait_as_tool(slow_calls, nullptr, may_stop), 4);
  EXPECT_THAT(told, IsEmpty());
  EXPECT_EQ(detail::observed_wait(detail::observers(), slow_calls, nullptr, may_stop), 4);
  stop_observing(listener);
  EXPECT_THAT(told, ElementsAre("before stream synchronize", "after stream synchronize 3 4"));
}

}  // namespace
}  // namespace warpsafe::core_test
