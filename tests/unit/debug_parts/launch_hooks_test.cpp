// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// What the debug tools do around a launch, with a runtime that the test answers for.

#include "core_test.hpp"
#include "log_fixture.hpp"
#include <warpsafe/debug.hpp>
#include <warpsafe/debug/hooks/detail/launch_break.hpp>
#include <warpsafe/debug/hooks/detail/launch_hooks.hpp>

#include <gmock/gmock.h>
#include <sys/ptrace.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

namespace warpsafe::core_test {
namespace {

using debug::LogLevel;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::MatchesRegex;
using ::testing::SizeIs;
using ::testing::StartsWith;

/// The record of a launch, in memory that held something else.
LaunchRecord filled_from(const LaunchShape& shape, const KernelLimits* limits = nullptr) {
  LaunchRecord record;
  std::memset(static_cast<void*>(&record), 0xa5, sizeof record);
  const Name name = Name::of("axpy");
  detail::fill_record(
      record, {name, shape, limits, reinterpret_cast<const void*>(std::uintptr_t{0x70}), 9, 3, app},
      Vendor::amd);
  return record;
}
LaunchShape shape_made() {
  LaunchShape shape;
  for (std::uint32_t axis = 0; axis < 3; ++axis) {
    shape.grid[axis] = axis + 1;
    shape.block[axis] = axis + 4;
  }
  shape.dynamic_shared = 99;
  return shape;
}

TEST(FilledRecord, HasTheFactsOfALaunch) {
  KernelLimits limits;
  limits.registers = 40;
  limits.max_threads_per_block = 512;
  limits.static_shared = 128;
  const LaunchRecord record = filled_from(shape_made(), &limits);
  EXPECT_EQ(record.sequence, 0U);
  EXPECT_EQ(text(record.kernel), "axpy");
  EXPECT_THAT(record.grid, ElementsAre(1, 2, 3));
  EXPECT_THAT(record.block, ElementsAre(4, 5, 6));
  EXPECT_EQ(record.dynamic_shared, 99U);
  EXPECT_EQ(record.stream, reinterpret_cast<const void*>(std::uintptr_t{0x70}));
  EXPECT_EQ(record.stream_number, 9U);
  EXPECT_EQ(record.device, 3);
  EXPECT_EQ(record.vendor, Vendor::amd);
  EXPECT_EQ(record.state, LaunchState::started);
  EXPECT_EQ(record.registers, 40U);
  EXPECT_EQ(record.max_threads_per_block, 512U);
  EXPECT_EQ(record.static_shared, 128U);
  EXPECT_EQ(record.options, 0);
  EXPECT_EQ(record.priority, 0);
  EXPECT_THAT(record.cluster, ElementsAre(0, 0, 0, 0));
  EXPECT_TRUE(is_app(record.site));
  const LaunchRecord unknown = filled_from(shape_made());
  EXPECT_EQ(unknown.registers + unknown.max_threads_per_block + unknown.static_shared, 0U);
}
TEST(FilledRecord, HasEachOptionAlone) {
  const auto options = [](auto change) {
    LaunchShape shape = shape_made();
    change(shape);
    return filled_from(shape).options;
  };
  EXPECT_EQ(options([](LaunchShape& one) { one.has_priority = true; }), 1);
  EXPECT_EQ(options([](LaunchShape& one) { one.has_cluster = true; }), 2);
  EXPECT_EQ(options([](LaunchShape& one) { one.has_cluster = one.non_portable_cluster = true; }),
            6);
  EXPECT_EQ(options([](LaunchShape& one) { one.cooperative = true; }), 8);
  EXPECT_EQ(options([](LaunchShape& one) { one.programmatic = true; }), 16);
}
TEST(FilledRecord, APriorityAndAClusterAreClampedToTheirRoom) {
  LaunchShape shape = shape_made();
  shape.has_priority = true;
  struct Row {
    std::int32_t asked;
    int kept;
  };
  for (const auto& [asked_for, kept] :
       {Row{-1000, -128}, Row{-129, -128}, Row{-128, -128}, Row{-127, -127}, Row{0, 0},
        Row{126, 126}, Row{127, 127}, Row{128, 127}, Row{129, 127}, Row{1000, 127}}) {
    shape.priority = asked_for;
    EXPECT_EQ(filled_from(shape).priority, kept) << asked_for;
    EXPECT_THAT(filled_from(shape).cluster, ElementsAre(0, 0, 0, 0)) << "it asks for none";
  }
  shape.has_priority = false;
  shape.has_cluster = true;
  shape.cluster[0] = 254;
  shape.cluster[1] = 255;
  shape.cluster[2] = 256;
  EXPECT_THAT(filled_from(shape).cluster, ElementsAre(254, 255, 255, 0));
  EXPECT_EQ(filled_from(shape).priority, 0) << "it asks for none";
  shape.cluster[0] = 257;
  EXPECT_EQ(filled_from(shape).cluster[0], 255);
}

/// What the runtime answers, and what it was asked.
struct Answers {
  int limits_status = 0;
  Name limits_name{};
  int capturing_status = 0;
  bool capturing = false;
  int pending = 0;
  int query_status = 0;
  int wait_status = 0;
  Severity severity = Severity::recoverable;
  std::vector<std::string> calls;
};
Answers answers;
constexpr detail::WaitCalls answered_waits{Name::of("stream synchronize"),
                                           Vendor::amd,
                                           34,
                                           [](void*) noexcept {
                                             answers.calls.emplace_back("wait");
                                             return answers.wait_status;
                                           },
                                           [](void*) noexcept { return answers.query_status; },
                                           [](void*) noexcept { return true; }};
constexpr detail::BackendCalls answered{
    .name = Name::of("CUDA"),
    .vendor = Vendor::amd,
    .peek_last_error = []() noexcept { return answers.pending; },
    .error_name = [](int status) noexcept { return Name::of(status == 0 ? "fine" : "bad"); },
    .error_text = [](int) noexcept { return Name::of("it was bad"); },
    .stream_capturing =
        [](void*, bool& capturing) noexcept {
          answers.calls.emplace_back("capturing");
          capturing = answers.capturing;
          return answers.capturing_status;
        },
    .stream_wait = &answered_waits,
    .error =
        [](int status, Name operation, call_site site, Stage stage, int device) noexcept {
          LaunchError error = LaunchError::make(Errc::execution_failed, stage, site);
          error.raw = status;
          error.operation = operation;
          error.device = device;
          error.severity = answers.severity;
          return error;
        },
    .limits_of =
        [](int device, DeviceLimits& limits) noexcept {
          answers.calls.push_back("limits of " + std::to_string(device));
          limits.name = answers.limits_name;
          return answers.limits_status;
        },
    .floor = &limits::cuda_floor,
    .device_name =
        [](int device) noexcept { return device == 61 ? Name::of("Named") : Name::of("Wrong"); },
    .copy = nullptr,
    .pointer_kind = nullptr,
    .profile = nullptr};

struct LaunchHooks : ::testing::Test, LogSinkTest {
  LaunchHooks() { answers = {}; }
  ~LaunchHooks() override {
    debug::set_blocking(false);
    debug::clear_timeout();
  }
  LaunchHooks(const LaunchHooks&) = delete;
  LaunchHooks& operator=(const LaunchHooks&) = delete;
  static LaunchRecord record_made() {
    LaunchRecord record = filled_from(shape_made());
    record.sequence = 12;
    return record;
  }
};

TEST_F(LaunchHooks, ADevicesLimitsAreWrittenAtItsFirstLaunch) {
  debug::set_log_level(LogLevel::debug);
  static int runs = 0;
  answers.limits_name = Name::of("Its name");
  debug::detail::log_device(60, answered);
  debug::detail::log_device(60, answered);
  answers.limits_name = {};
  debug::detail::log_device(61, answered);
  answers.limits_status = 5;
  debug::detail::log_device(62, answered);
  if (runs == 0) {
    EXPECT_THAT(answers.calls, ElementsAre("limits of 60", "limits of 61", "limits of 62"));
  }
  expect_once(runs, ElementsAre(StartsWith("Device 60 'Its name': max_threads_per_block=1024, "),
                                StartsWith("Device 61 'Named': ")));
  for (int i = 0; i < 2; ++i) {
    answers = {};
    debug::detail::log_device(63, answered);
    EXPECT_THAT(answers.calls, SizeIs(i == 0 && runs == 1 ? 1 : 0)) << "the last one that is told";
  }
  answers = {};
  debug::detail::log_device(64, answered);
  debug::detail::log_device(-1, answered);
  EXPECT_THAT(answers.calls, IsEmpty()) << "no device of a process has this number";
}

TEST_F(LaunchHooks, TheLineOfALaunchHasItsStatusItsTimeAndItsPlace) {
  debug::set_log_level(LogLevel::trace);
  const auto line = [&](std::uint64_t ago, int status, LaunchRecord record) {
    messages.clear();
    debug::detail::launch_begun = debug::detail::nanoseconds_now() - ago;
    debug::detail::trace_launch(record, answered, status);
    return messages.empty() ? "" : messages.back().text;
  };
  LaunchRecord record = record_made();
  record.site = app;
  const std::string start = "  CUDA launch\\(stream 0x70\\) = ";
  const std::string place = ", at app\\.cpp:7";
  EXPECT_THAT(line(0, 0, record), MatchesRegex(start + "fine, [0-9]{1,6}\\.[0-9] us" + place));
  EXPECT_THAT(line(0, 7, record), MatchesRegex(start + "bad, .* us" + place));
  // An hour has ten digits in microseconds.
  EXPECT_THAT(line(3'600'000'000'000, 0, record),
              MatchesRegex(start + "fine, 36000[0-9]{5}\\.[0-9] us" + place));
  record.site = {};
  EXPECT_THAT(line(0, 0, record), MatchesRegex(start + "fine, [0-9.]+ us"));
  messages.clear();
  debug::detail::trace_launch(record, answered, 0);
  EXPECT_THAT(messages, IsEmpty()) << "its line is written";
}

TEST_F(LaunchHooks, ALaunchThatBeganBeforeTheTraceHasNoLineInIt) {
  const LaunchRecord record = record_made();
  debug::set_log_level(LogLevel::error);
  EXPECT_FALSE(debug::detail::before_launch(record, answered));
  debug::set_log_level(LogLevel::trace);
  debug::detail::trace_launch(record, answered, 0);
  EXPECT_THAT(messages, IsEmpty());
}

TEST_F(LaunchHooks, ABlockingLaunchIsWaitedForUnlessItIsCaptured) {
  const LaunchRecord record = record_made();
  const auto waited = [&] {
    answers.calls.clear();
    return debug::detail::wait_for_launch(record, answered);
  };
  EXPECT_EQ(waited(), 0);
  EXPECT_THAT(answers.calls, IsEmpty()) << "no switch asks for it";
  debug::set_blocking(true);
  answers.wait_status = 700;
  EXPECT_EQ(waited(), 700);
  EXPECT_THAT(answers.calls, ElementsAre("capturing", "wait"));
  answers.capturing = true;
  EXPECT_EQ(waited(), 0);
  EXPECT_THAT(answers.calls, ElementsAre("capturing"));
  answers.capturing_status = 9;
  EXPECT_EQ(waited(), 0) << "a question that is refused is no fault of the kernel";
  answers.severity = Severity::context_lost;
  EXPECT_EQ(waited(), 9) << "a lost context is";
  EXPECT_THAT(answers.calls, ElementsAre("capturing"));
}
TEST_F(LaunchHooks, ABlockingLaunchsWaitMayBeGivenUp) {
  debug::set_blocking(true);
  debug::set_timeout(1, true);
  answers.query_status = answered_waits.not_ready;
  answers.wait_status = 700;
  EXPECT_EQ(debug::detail::wait_for_launch(record_made(), answered), answered_waits.not_ready);
  EXPECT_THAT(answers.calls, ElementsAre("capturing"));
}
TEST_F(LaunchHooks, ABlockingLaunchsWaitIsPartOfTheRun) {
  static int told;
  told = 0;
  Observer listener;
  listener.waited = [](void*, const WaitRecord& wait) noexcept {
    told += wait.status == 700 && wait.device == 3 ? 1 : 100;
  };
  debug::set_blocking(true);
  observe(listener);
  answers.wait_status = 700;
  EXPECT_EQ(debug::detail::wait_for_launch(record_made(), answered), 700);
  stop_observing(listener);
  EXPECT_EQ(told, 1);
}
TEST_F(LaunchHooks, AWaitThatSucceedsCompletesTheLaunchesOfItsStream) {
  const LaunchRecord record = record_made();
  const std::uint64_t submitted = debug::Completion::get().now();
  debug::set_blocking(true);
  answers.wait_status = 700;
  EXPECT_EQ(debug::detail::wait_for_launch(record, answered), 700);
  EXPECT_FALSE(debug::Completion::get().is_complete(record, submitted));
  answers.wait_status = 0;
  EXPECT_EQ(debug::detail::wait_for_launch(record, answered), 0);
  EXPECT_TRUE(debug::Completion::get().is_complete(record, submitted));
}

// Errors.

TEST_F(LaunchHooks, AnErrorsDeviceIsItsOwnOrThatOfTheCall) {
  static std::vector<int> told;
  told.clear();
  Observer listener;
  listener.failed = [](void*, const LaunchError& error) noexcept { told.push_back(error.device); };
  observe(listener);
  for (const int own : {-1, 0, 2}) {
    LaunchError error = LaunchError::make(Errc::runtime_failed, Stage::runtime_call);
    error.device = own;
    detail::tell_runtime_error(error, 5, false);
    EXPECT_EQ(error.device, own) << "the caller's is as before";
  }
  stop_observing(listener);
  EXPECT_THAT(told, ElementsAre(5, 0, 2));
}
TEST_F(LaunchHooks, AnErrorThatIsTooLongEndsInTheLogWhereItsRoomDoes) {
  debug::set_log_level(LogLevel::error);
  const std::string text(5000, 't');
  LaunchError error = LaunchError::make(Errc::runtime_failed, Stage::runtime_call);
  error.raw_text = Name::of(text.c_str());
  debug::detail::log_error(LogLevel::error, error, "after");
  ASSERT_EQ(messages.size(), 1U);
  EXPECT_EQ(messages[0].text.size(), 4095U);
  EXPECT_THAT(messages[0].text, MatchesRegex("warpsafe: .*tttt"));
}

struct StartDeathTest : ::testing::Test {
  // A new process: what is tested happens once in a process, before anything else.
  StartDeathTest() { ::testing::FLAGS_gtest_death_test_style = "threadsafe"; }
};
/// The program with these variables, up to `first`, its first use of the switches.
template <class First>
[[noreturn]] void starts_with(const First& first) {
  ::setenv("WARPSAFE_TIMEOUT", "60", 1);
  ::setenv("WARPSAFE_SYNC", "all", 1);
  ::setenv("WARPSAFE_LOG", "off", 1);
  first();
  std::_Exit(debug::detail::timeout_in_use == 60'000 ? 7 : 8);
}

TEST_F(StartDeathTest, WhateverIsSetFirstTheEnvironmentIsReadBefore) {
  EXPECT_EXIT(starts_with([] { debug::set_log_level(LogLevel::error); }),
              ::testing::ExitedWithCode(7), "^$");
  EXPECT_EXIT(starts_with([] { debug::set_blocking(false); }), ::testing::ExitedWithCode(7), "^$");
  EXPECT_EXIT(starts_with([] {
                if (!debug::blocking()) std::_Exit(9);
              }),
              ::testing::ExitedWithCode(7), "^$");
  EXPECT_EXIT(starts_with([] {
                debug::set_timeout(5);
                if (!debug::blocking() || debug::detail::timeout_in_use != 5) std::_Exit(9);
                debug::set_timeout(60'000);
              }),
              ::testing::ExitedWithCode(7), "^$");
}
TEST_F(StartDeathTest, ATraceBeginsBeforeMain) {
  ::setenv("WARPSAFE_LOG", "trace", 1);
  EXPECT_EXIT(std::_Exit(debug::log_level() == LogLevel::trace ? 7 : 8),
              ::testing::ExitedWithCode(7), "");
  ::unsetenv("WARPSAFE_LOG");
}
TEST_F(StartDeathTest, ADebuggerIsSeen) {
  EXPECT_EXIT(std::_Exit(debug::detail::is_debugged() ? 8 : 7), ::testing::ExitedWithCode(7), "");
  const auto traced = [] {
    if (::ptrace(PTRACE_TRACEME, 0, nullptr, nullptr) != 0) std::_Exit(7);  // not allowed here
    std::_Exit(debug::detail::is_debugged() ? 7 : 8);
  };
  EXPECT_EXIT(traced(), ::testing::ExitedWithCode(7), "");
}

}  // namespace
}  // namespace warpsafe::core_test
