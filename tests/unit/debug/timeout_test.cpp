// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// Waits that last too long, on the modelled GPU. The kernels here run until the test releases them.

#include "launch_fixture.hpp"
#include <warpsafe/compare.hpp>
#include <warpsafe/debug/journal/timeout.hpp>
#include <warpsafe/device_check.hpp>
#include <warpsafe/graph/capture.hpp>
#include <warpsafe/kernel/reference.hpp>
#include <warpsafe/memory/buffer.hpp>
#include <warpsafe/memory/copy.hpp>
#include <warpsafe/memory/pinned_buffer.hpp>
#include <warpsafe/memory/synchronize.hpp>
#include <warpsafe/race/adversarial.hpp>
#include <warpsafe/stream/event.hpp>

#include <gmock/gmock.h>
#include <pthread.h>
#include <sched.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

WARPSAFE_KERNEL void holds(const int* go) {
  while (__atomic_load_n(go, __ATOMIC_ACQUIRE) == 0) sched_yield();
}
WARPSAFE_KERNEL void comes_after() {}
WARPSAFE_KERNEL void fails_its_check(int x) { WARPSAFE_DEVICE_CHECK(x < 7, "small"); }
void holds_not(const int*) {}

namespace warpsafe::core_test {
namespace {

using ::testing::AllOf;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;
using ::testing::StartsWith;

constexpr LaunchConfig single_thread{grid<1>, block<1>};

struct Timeout : LaunchTest {
  Timeout() {
    debug::set_log_sink(&sink);
    *go = 0;
  }
  ~Timeout() override {
    debug::clear_timeout();
    let_go();
    wait();
    debug::set_log_sink(nullptr);
  }
  Timeout(const Timeout&) = delete;
  Timeout& operator=(const Timeout&) = delete;

  static void take(void* user, debug::LogLevel, const char* text, std::size_t size) noexcept {
    auto* const self = static_cast<Timeout*>(user);
    const std::lock_guard lock(self->mutex);
    self->said.emplace_back(text, size);
    // The report is read, and then the kernel may end.
    if (self->lets_go_when_told) self->let_go();
  }
  void let_go() const { __atomic_store_n(go, 1, __ATOMIC_RELEASE); }
  void hold() {
    const auto launched = launch(stream, single_thread, kernel<holds>, trust(go));
    ASSERT_TRUE(launched.has_value()) << message(launched.error());
  }

  int* const go = device_array<int>(1);
  bool lets_go_when_told = true;
  debug::LogSink sink{&take, this};
  std::mutex mutex;
  std::vector<std::string> said;
};

TEST_F(Timeout, NamesACheckThatHasFailed) {
  const Stream other = Stream::create().value();
  ASSERT_TRUE(launch(other, single_thread, kernel<fails_its_check>, 7).has_value());
  while (!detail::any_check_failed()) std::this_thread::yield();
  hold();
  debug::set_timeout(20);
  const LaunchError error = error_in(stream.synchronize());
  EXPECT_EQ(error.code, Errc::device_check_failed) << "the report has left it there";
  ASSERT_THAT(said, SizeIs(2));
  EXPECT_THAT(said[0], HasSubstr("\n  a check has failed, and what waits for its thread waits for "
                                 "ever: 'small (x < 7)' in kernel 'fails_its_check', block "
                                 "(0,0,0), thread (0,0,0), at timeout_test.cpp:"));
  host::reset();
}
TEST_F(Timeout, AThreadThatIsCancelledInAWaitWaitsToTheEnd) {
  hold();
  debug::set_timeout(20);
  static std::atomic<bool> waits, has_waited;
  waits = has_waited = false;
  lets_go_when_told = false;
  std::thread other([this] {
    waits = true;
    EXPECT_TRUE(stream.synchronize().has_value());
    has_waited = true;
    ::pause();
  });
  while (!waits) std::this_thread::yield();
  ::usleep(20'000);
  pthread_cancel(other.native_handle());
  ::usleep(20'000);
  EXPECT_FALSE(has_waited);
  let_go();
  other.join();
  EXPECT_TRUE(has_waited);
}
TEST_F(Timeout, AWaitThatLastsTellsWhatIsInFlightPerStreamAndGoesOn) {
  const Stream other = Stream::create().value();
  hold();
  ASSERT_TRUE(launch(stream, single_thread, kernel<comes_after>).has_value());
  const Event reached = stream.record().value();
  ASSERT_TRUE(warpsafe::wait(other, reached).has_value());
  ASSERT_TRUE(launch(other, single_thread, kernel<comes_after>).has_value());
  debug::set_timeout(20);
  ASSERT_TRUE(stream.synchronize().has_value());
  const std::string line = std::to_string(__LINE__ - 1);
  ASSERT_THAT(said, SizeIs(2));
  EXPECT_THAT(said[0],
              StartsWith("warpsafe: a wait has lasted 0.02 s (WARPSAFE_TIMEOUT): stream "
                         "synchronize of stream " +
                         address(stream.native()) + " of device 0, at timeout_test.cpp:" + line +
                         "\n  in flight (not known to have ended), by stream, oldest first:"
                         "\n  stream " +
                         address(stream.native()) + " of device 0: 2 launches\n    #"));
  EXPECT_THAT(said[0], ContainsRegex("#[0-9]+ 'holds', grid=.1,1,1., block=.1,1,1., shared=0 "
                                     "bytes, at timeout_test.cpp:[0-9]+\n    #[0-9]+ "
                                     "'comes_after', grid=.1,1,1., block=.1,1,1., shared=0 bytes, "
                                     "at timeout_test.cpp:[0-9]+\n  stream 0x[0-9a-f]+ of device "
                                     "0: 1 launch\n    #[0-9]+ 'comes_after'"));
  EXPECT_THAT(said[0], HasSubstr("\n  the wait goes on; WARPSAFE_TIMEOUT=SECONDS,stop ends such "
                                 "waits with an error"));
  EXPECT_THAT(said[1], ContainsRegex("^warpsafe: that wait has ended after [0-9]+ ms$"));
}

/// Blocks of such a kernel may wait for one that begins only after they have ended.
TEST_F(Timeout, TellsOfAGridWhoseBlocksMayWaitForEachOther) {
  const std::string remedy =
      "if blocks of a kernel wait for each other, launch it with cooperative";
  const auto said_of = [&](const auto& config) {
    *go = 0;
    said.clear();
    EXPECT_TRUE(launch(stream, config, kernel<holds>, trust(go)).has_value());
    debug::set_timeout(20);
    EXPECT_TRUE(stream.synchronize().has_value());
    return said.empty() ? std::string() : said[0];
  };
  EXPECT_THAT(said_of(LaunchConfig{grid<2>, block<1>}), HasSubstr(remedy));
  EXPECT_THAT(said_of(LaunchConfig{grid<1, 2>, block<1>}), HasSubstr(remedy));
  EXPECT_THAT(said_of(LaunchConfig{grid<1, 1, 2>, block<1>}), HasSubstr(remedy));
  EXPECT_THAT(said_of(LaunchConfig{grid<2>, block<1>, cooperative}), Not(HasSubstr(remedy)));
  EXPECT_THAT(said_of(single_thread), AllOf(HasSubstr("'holds'"), Not(HasSubstr(remedy))));
}

/// Without a limit, the host model has a line of its own.
TEST_F(Timeout, TheModelTellsOfBlocksThatMayWaitForOnesThatHaveNotBegun) {
  host::Time& patience = host::Runtime::get().long_wait;
  const host::Time usual = std::exchange(patience, host::millisecond);
  ASSERT_TRUE(
      launch(stream, LaunchConfig{grid<1000>, block<1>}, kernel<holds>, trust(go)).has_value());
  ASSERT_TRUE(stream.synchronize().has_value());
  patience = usual;
  ASSERT_THAT(said, SizeIs(1));
  EXPECT_THAT(said[0],
              StartsWith("warpsafe: no block of kernel 'holds' has ended for a while, and "));
  EXPECT_THAT(said[0],
              HasSubstr(" of 1000 have not begun; if its blocks wait for each other, launch "
                        "it with cooperative"));
}

TEST_F(Timeout, AWaitThatIsGivenUpIsAnErrorAndTheWorkGoesOn) {
  lets_go_when_told = false;
  hold();
  debug::set_timeout(20, true);
  const auto waited = stream.synchronize();
  const std::string line = std::to_string(__LINE__ - 1);
  const LaunchError error = error_in(waited);
  EXPECT_EQ(error.code, Errc::wait_timed_out);
  EXPECT_EQ(error.stage, Stage::completion);
  EXPECT_EQ(error.value, 20U);
  EXPECT_EQ(
      message(error),
      "Device synchronization failed: the wait was abandoned after 20 ms (WARPSAFE_TIMEOUT); the "
      "work may still be running\n  at timeout_test.cpp:" +
          line);
  EXPECT_EQ(host_backend::stream_query(stream.native()), host_backend::not_ready);
  debug::clear_timeout();
  let_go();
  EXPECT_TRUE(stream.synchronize().has_value());
}

TEST_F(Timeout, EventsAndPendingValuesAreWaitedForTheSameWay) {
  lets_go_when_told = false;
  auto buffer = DeviceBuffer<int>::create(stream, 4).value();
  auto pinned = PinnedBuffer<int>::create(4).value();
  hold();
  const Event after = stream.record().value();
  auto value = copy(stream, from(buffer), to(std::move(pinned)));
  debug::set_timeout(20, true);
  EXPECT_EQ(error_in(after.synchronize()).code, Errc::wait_timed_out);
  EXPECT_EQ(error_in(std::move(value).get()).code, Errc::wait_timed_out);
  ASSERT_THAT(said, SizeIs(2));
  EXPECT_THAT(said[0], HasSubstr("event synchronize of stream " + address(stream.native())));
}

TEST_F(Timeout, ACopyToOrdinaryMemoryIsNotMadeWhereItWouldHang) {
  lets_go_when_told = false;
  auto buffer = DeviceBuffer<int>::create(stream, 4).value();
  std::vector<int> values(4, 1);
  hold();
  debug::set_timeout(20, true);
  const auto before = host::calls_made(call_of<&host_backend::copy>);
  EXPECT_EQ(error_in(copy_and_wait(stream, from(buffer), to(values))).code, Errc::wait_timed_out);
  EXPECT_EQ(error_in(copy_and_wait(stream, from(values), to(buffer))).code, Errc::wait_timed_out);
  EXPECT_EQ(error_in(buffer.to_host(stream).get()).code, Errc::wait_timed_out);
  EXPECT_EQ(host::calls_made(call_of<&host_backend::copy>), before);
  EXPECT_THAT(said, SizeIs(3));
}

TEST_F(Timeout, AWaitAfterWhichMemoryGoesIsNeverGivenUp) {
  DeviceLimits without_pools = limits::sm_90;
  without_pools.memory_pools = false;  // so that memory is freed by the host, after a wait
  become(without_pools);
  {
    const auto buffer = DeviceBuffer<int>::create(stream, 4).value();
    hold();
    debug::set_timeout(20, true);
  }
  ASSERT_THAT(said, SizeIs(2));
  EXPECT_THAT(said[0], HasSubstr("\n  the wait goes on: memory in use depends on it"));
}

TEST_F(Timeout, AWaitForSeveralPendingValuesIsNeverGivenUp) {
  auto buffer = DeviceBuffer<int>::create(stream, 4).value();
  auto pinned = PinnedBuffer<int>::create(4).value();
  hold();
  auto value = copy(stream, from(buffer), to(std::move(pinned)));
  debug::set_timeout(20, true);
  EXPECT_TRUE(synchronize(stream, std::move(value)).has_value());
  ASSERT_THAT(said, SizeIs(2));
  EXPECT_THAT(said[0], HasSubstr("\n  the wait goes on: memory in use depends on it"));
}

TEST_F(Timeout, AWaitInTimeSaysNothingAndHasItsOwnStatus) {
  debug::set_timeout(60'000);
  ASSERT_TRUE(launch(stream, single_thread, kernel<comes_after>).has_value());
  EXPECT_TRUE(stream.synchronize().has_value());
  host::fail_next(call_of<&host_backend::stream_synchronize>, 1, HostStatus::invalid_value);
  EXPECT_EQ(error_in(stream.synchronize()).raw, raw(HostStatus::invalid_value));
  host::fault_in_kernel(1, HostStatus::illegal_address);
  ASSERT_TRUE(launch(stream, single_thread, kernel<comes_after>).has_value());
  EXPECT_EQ(error_in(stream.synchronize()).code, Errc::execution_failed);
  EXPECT_THAT(said, IsEmpty());
  host::reset();
  stream = Stream::create().value();
}

TEST_F(Timeout, ALimitOfManyYearsIsNotReachedAtOnce) {
  lets_go_when_told = false;
  // In nanoseconds, these do not fit into 64 bits.
  for (const std::uint64_t milliseconds :
       {static_cast<std::uint64_t>(std::chrono::milliseconds::max().count()),
        std::uint64_t{18446744073710}, ~std::uint64_t{0} - 1}) {
    *go = 0;
    hold();
    debug::set_timeout(milliseconds, true);
    std::thread helper([this] {
      ::usleep(50'000);
      let_go();
    });
    EXPECT_TRUE(stream.synchronize().has_value()) << milliseconds;
    helper.join();
  }
  EXPECT_THAT(said, IsEmpty());
}

TEST_F(Timeout, WithoutTheSwitchNothingIsAsked) {
  const auto before = host::calls_made(call_of<&host_backend::stream_query>);
  ASSERT_TRUE(stream.synchronize().has_value());
  EXPECT_EQ(host::calls_made(call_of<&host_backend::stream_query>), before);
}

TEST_F(Timeout, WhileAGraphIsCapturedNothingIsAsked) {
  debug::set_timeout(60'000);
  const Stream other = Stream::create().value();
  auto buffer = DeviceBuffer<int>::create(other, 4).value();
  auto recording = Capture::begin(stream).value();
  auto value = buffer.to_host(other);
  const auto before = host::calls_made(call_of<&host_backend::event_query>);
  EXPECT_TRUE(std::move(value).get().has_value());
  EXPECT_EQ(host::calls_made(call_of<&host_backend::event_query>), before);
  EXPECT_TRUE(std::move(recording).end().has_value());
}

TEST_F(Timeout, ABlockingLaunchIsWatchedToo) {
  debug::set_blocking(true);
  debug::set_timeout(20);
  hold();
  debug::set_blocking(false);
  ASSERT_THAT(said, SizeIs(2));
  EXPECT_THAT(said[0], HasSubstr("'holds'"));
}

/// The tools that look at a launch's data wait for its stream on both sides of it.
struct ToolTimeout : Timeout {
  ToolTimeout() = default;
  ~ToolTimeout() override {
    debug::set_shadow(nullptr);
    debug::set_reference(nullptr);
    debug::set_trace(nullptr);
    std::filesystem::remove_all(folder);
  }
  ToolTimeout(const ToolTimeout&) = delete;
  ToolTimeout& operator=(const ToolTimeout&) = delete;
  auto watched() {
    return launch(stream, single_thread, kernel<holds, reference<holds_not>>, trust(go, 1));
  }
  const std::string folder = "timeout_test-" + std::to_string(::getpid());
};

TEST_F(ToolTimeout, AToolThatWaitsForWhatIsBeforeItsLaunchIsWatched) {
  lets_go_when_told = false;
  hold();
  debug::set_timeout(20, true);
  const auto copies = host::calls_made(call_of<&host_backend::copy>);
  const auto launches = host::calls_made(call_of<&host_backend::launch>);
  debug::set_shadow("holds");
  EXPECT_EQ(error_in(watched()).code, Errc::wait_timed_out);
  debug::set_shadow(nullptr);
  debug::set_reference("holds");
  EXPECT_EQ(error_in(watched()).code, Errc::wait_timed_out);
  debug::set_reference(nullptr);
  debug::set_trace("holds", folder.c_str());
  EXPECT_EQ(error_in(watched()).code, Errc::wait_timed_out);
  ASSERT_THAT(said, SizeIs(3));
  EXPECT_THAT(said[0], HasSubstr("stream synchronize of stream " + address(stream.native())));
  EXPECT_EQ(host::calls_made(call_of<&host_backend::copy>), copies)
      << "nothing that would hang was begun";
  EXPECT_EQ(host::calls_made(call_of<&host_backend::launch>), launches);
}

TEST_F(ToolTimeout, AToolThatWaitsForItsOwnLaunchIsWatched) {
  debug::set_timeout(20);
  debug::set_shadow("holds");
  EXPECT_TRUE(watched().has_value());
  ASSERT_THAT(said, SizeIs(2));
  EXPECT_THAT(said[0], ContainsRegex("in flight.*\n.*1 launch\n    #[0-9]+ 'holds'"));
  EXPECT_THAT(said[1], HasSubstr("that wait has ended"));
}

TEST_F(ToolTimeout, AToolGivesUpTheWaitForItsOwnLaunchWithTheKernelsName) {
  lets_go_when_told = false;
  debug::set_timeout(20, true);
  debug::set_trace("holds", folder.c_str());
  const LaunchError error = error_in(watched());
  EXPECT_EQ(error.code, Errc::wait_timed_out);
  EXPECT_EQ(error.kernel, Name::of("holds"));
  EXPECT_THAT(message(error), HasSubstr("the wait was abandoned after 20 ms"));
}

TEST_F(ToolTimeout, AComparisonIsWatched) {
  const std::vector<int> expected(4, 0);
  auto buffer = DeviceBuffer<int>::from(stream, expected).value();
  hold();
  debug::set_timeout(20);
  EXPECT_TRUE(compare(stream, buffer, expected).value().agrees());
  ASSERT_THAT(said, SizeIs(2));
  let_go();
  wait();
  lets_go_when_told = false;
  *go = 0;
  hold();
  debug::set_timeout(20, true);
  EXPECT_EQ(error_in(compare(stream, buffer, expected)).code, Errc::wait_timed_out);
}

/// Waits with WARPSAFE_TIMEOUT set for a kernel that is released after `milliseconds` (0: never).
/// Exits with the error's code, or 0.
[[noreturn]] void wait_with(const char* value, unsigned milliseconds) {
  ::setenv("WARPSAFE_TIMEOUT", value, 1);
  const Stream stream = Stream::create().value();
  void* memory = nullptr;
  if (host_backend::allocate(memory, sizeof(int), stream.native()) != 0) std::_Exit(101);
  int* const go = static_cast<int*>(memory);
  *go = 0;
  std::thread helper([go, milliseconds] {
    ::usleep(milliseconds * 1000);
    if (milliseconds != 0) __atomic_store_n(go, 1, __ATOMIC_RELEASE);
  });
  helper.detach();
  if (!launch(stream, single_thread, kernel<holds>, trust(go)).has_value()) std::_Exit(102);
  const auto waited = stream.synchronize();
  std::_Exit(waited.has_value() ? 0 : static_cast<int>(waited.error().code));
}

struct TimeoutDeathTest : ::testing::Test {
  TimeoutDeathTest() { ::testing::FLAGS_gtest_death_test_style = "threadsafe"; }
};

TEST_F(TimeoutDeathTest, TheEnvironmentSaysHowLongAndWhetherToStop) {
  constexpr int timed_out = static_cast<int>(Errc::wait_timed_out);
  EXPECT_EXIT(wait_with("0.01", 700), ::testing::ExitedWithCode(0),
              "a wait has lasted 0.01 s .*\n.*\n.*\n.*the wait goes on.*\n.*has ended");
  EXPECT_EXIT(wait_with("0.01,stop", 0), ::testing::ExitedWithCode(timed_out),
              "a wait has lasted 0.01 s");
  EXPECT_EXIT(wait_with("0.01,stop", 0), ::testing::ExitedWithCode(timed_out), "is abandoned");
  EXPECT_EXIT(wait_with("60", 10), ::testing::ExitedWithCode(0), "^$");
  EXPECT_EXIT(wait_with("18446744074,stop", 50), ::testing::ExitedWithCode(0), "^$");
  EXPECT_EXIT(wait_with("99999999999999999999999,stop", 50), ::testing::ExitedWithCode(0), "^$");
  EXPECT_EXIT(wait_with("", 10), ::testing::ExitedWithCode(0), "^$");
  for (const char* no_time : {"soon", "5,go", "-1", "5s"}) {
    EXPECT_EXIT(wait_with(no_time, 10), ::testing::ExitedWithCode(0),
                std::string("^warpsafe: WARPSAFE_TIMEOUT=") + no_time +
                    " is not a number of seconds, optionally followed by \",stop\"\n$");
  }
}

TEST(TimeoutInASchedule, AskingIsLeftOutWhereItCouldGoOnForEver) {
  debug::set_timeout(0, true);
  const auto report = adversarial::run(4, [] {
    const Stream stream = Stream::create().value();
    static_cast<void>(launch(stream, single_thread, kernel<comes_after>));
    return stream.synchronize();
  });
  debug::clear_timeout();
  EXPECT_TRUE(report.clean()) << report;
}

}  // namespace
}  // namespace warpsafe::core_test
