// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// The launches that a fault is attributed to, on the modelled GPU.

#include "launch_fixture.hpp"
#include <warpsafe/debug/journal/suspects.hpp>
#include <warpsafe/launch/check.hpp>
#include <warpsafe/memory/buffer.hpp>
#include <warpsafe/stream/event.hpp>

#include <gmock/gmock.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <thread>
#include <vector>

WARPSAFE_KERNEL void first() {}
WARPSAFE_KERNEL void second() {}
WARPSAFE_KERNEL void third() {}
WARPSAFE_KERNEL void half_waits() {
  if (warpsafe::thread_in_block().x % 2 == 0) warpsafe::sync_block();
}

namespace warpsafe::core_test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

// Under ThreadSanitizer each of a kernel's threads is an OS thread.
constexpr LaunchConfig two_threads{grid<2>, block<1>};
constexpr LaunchConfig one_block{grid<1>, block<32>};
#if defined(__SANITIZE_THREAD__)
constexpr unsigned rounds = 4;
#else
constexpr unsigned rounds = 20;
#endif

/// The kernels of the suspects of an error, newest first.
std::vector<std::string> suspects_of(const LaunchError& error) {
  std::vector<LaunchRecord> records(debug::Journal::capacity);
  records.resize(debug::suspects(error, records.data(), records.size()));
  std::vector<std::string> names;
  for (const LaunchRecord& record : records) names.push_back(text(record.kernel));
  return names;
}

struct Suspects : LaunchTest {
  Stream other = Stream::create().value();

  template <class K>
  void go(const Stream& on, K which) {
    const auto launched = launch(on, two_threads, which);
    ASSERT_TRUE(launched.has_value()) << message(launched.error());
  }
  /// The next launch faults when it runs.
  static void plant_fault() { host::fault_in_kernel(1, HostStatus::illegal_address); }
};

TEST_F(Suspects, AreTheLaunchesThatNobodyWaitedFor) {
  go(stream, kernel<first>);
  wait();
  go(stream, kernel<second>);
  plant_fault();
  go(stream, kernel<third>);
  const LaunchError error = error_in(stream.synchronize());
  EXPECT_EQ(error.code, Errc::execution_failed);
  EXPECT_THAT(suspects_of(error), ElementsAre("third", "second"));
}

TEST_F(Suspects, IncludeThoseOfOtherStreamsWhoeverNotices) {
  plant_fault();
  go(stream, kernel<first>);
  while (host_backend::stream_query(stream.native()) == host_backend::not_ready) {
  }
  const LaunchError error = error_in(other.synchronize());
  EXPECT_THAT(suspects_of(error), ElementsAre("first"));
}

TEST_F(Suspects, AWaitForOneStreamClearsOnlyThat) {
  go(stream, kernel<first>);
  go(other, kernel<second>);
  ASSERT_TRUE(other.synchronize().has_value());
  plant_fault();
  go(other, kernel<third>);
  EXPECT_THAT(suspects_of(error_in(other.synchronize())), ElementsAre("third", "first"));
}

TEST_F(Suspects, AnEventClearsWhatWasBeforeIt) {
  go(stream, kernel<first>);
  const Event point = Event::create(stream).value();
  go(stream, kernel<second>);
  ASSERT_TRUE(point.synchronize().has_value());
  plant_fault();
  go(stream, kernel<third>);
  EXPECT_THAT(suspects_of(error_in(stream.synchronize())), ElementsAre("third", "second"));
}

TEST_F(Suspects, AnAnswerThatTheStreamIsReadyClearsToo) {
  go(stream, kernel<first>);
  while (!stream.ready().value()) {
  }
  plant_fault();
  go(stream, kernel<second>);
  EXPECT_THAT(suspects_of(error_in(stream.synchronize())), ElementsAre("second"));
}

TEST_F(Suspects, APendingValueClearsAndNames) {
  auto buffer = DeviceBuffer<int>::create(stream, 4).value();
  ASSERT_TRUE(buffer.zero(stream).has_value());
  go(stream, kernel<first>);
  ASSERT_TRUE(buffer.to_host(stream).get().has_value());
  plant_fault();
  go(stream, kernel<second>);
  EXPECT_THAT(suspects_of(error_in(buffer.to_host(stream).get())), ElementsAre("second"));
}

TEST_F(Suspects, ALaunchThatMeetsTheFaultSaysItWasBeforeItAndIsNoSuspect) {
  plant_fault();
  go(stream, kernel<first>);
  while (host_backend::stream_query(stream.native()) == host_backend::not_ready) {
  }
  host::fail_next(call_of<&host_backend::launch>, 1, HostStatus::illegal_address);
  const auto refused = launch(other, two_threads, kernel<second>);
  const LaunchError error = error_in(refused);
  EXPECT_EQ(error.code, Errc::pending_error);
  EXPECT_EQ(error.severity, Severity::context_lost);
  EXPECT_THAT(suspects_of(error), ElementsAre("first"));
  EXPECT_THAT(message(error), HasSubstr("an error was pending before this call: an illegal memory "
                                        "access was encountered"));
}

TEST_F(Suspects, ALostContextStaysSaidWithTheSameSuspects) {
  plant_fault();
  go(stream, kernel<first>);
  const LaunchError at_once = error_in(stream.synchronize());
  ASSERT_THAT(suspects_of(at_once), ElementsAre("first"));
  for (int i = 0; i < 2000; ++i) {  // a program that retries for ever
    const LaunchError later = error_in(launch(stream, two_threads, kernel<second>));
    ASSERT_EQ(later.incident, at_once.incident);
    ASSERT_EQ(later.severity, Severity::context_lost);
  }
  const LaunchError last = error_in(other.synchronize());
  EXPECT_EQ(last.incident, at_once.incident);
  EXPECT_THAT(suspects_of(last), ElementsAre("first"));
  EXPECT_THAT(message(last), HasSubstr("the device's context is lost"));
}

TEST_F(Suspects, AResetDeviceStartsAgain) {
  plant_fault();
  go(stream, kernel<first>);
  const LaunchError before = error_in(stream.synchronize());
  host::reset();
  plant_fault();
  const Stream fresh = Stream::create().value();
  go(fresh, kernel<second>);
  const LaunchError after = error_in(fresh.synchronize());
  EXPECT_NE(after.incident, before.incident);
  EXPECT_THAT(suspects_of(after), ElementsAre("second"));
  EXPECT_THAT(suspects_of(before), ElementsAre("first")) << "each keeps its own";
}

TEST_F(Suspects, ARefusedLaunchIsNone) {
  host::fail_next(call_of<&host_backend::launch>, 1, HostStatus::invalid_value);
  ASSERT_FALSE(launch(stream, two_threads, kernel<first>).has_value());
  plant_fault();
  go(stream, kernel<second>);
  EXPECT_THAT(suspects_of(error_in(stream.synchronize())), ElementsAre("second"));
}

TEST_F(Suspects, OfAnotherDeviceAreNone) {
  host::set_device_count(2);
  const Stream elsewhere = Stream::create(DeviceId(1)).value();
  const Stream here = Stream::create(DeviceId(0)).value();
  {
    const auto guard = DeviceGuard::create(DeviceId(1)).value();
    go(elsewhere, kernel<first>);
  }
  plant_fault();
  go(here, kernel<second>);
  EXPECT_THAT(suspects_of(error_in(here.synchronize())), ElementsAre("second"));
}

TEST_F(Suspects, AFaultThatTheDeviceSurvivesHasThemToo) {
  ASSERT_TRUE(launch(stream, one_block, kernel<half_waits>).has_value());
  const LaunchError error = error_in(stream.synchronize());
  EXPECT_EQ(error.code, Errc::barrier_divergence);
  EXPECT_THAT(suspects_of(error), ElementsAre("half_waits"));
  ASSERT_TRUE(stream.synchronize().has_value());
  ASSERT_TRUE(launch(stream, one_block, kernel<half_waits>).has_value());
  const LaunchError again = error_in(stream.synchronize());
  EXPECT_NE(again.incident, error.incident);
}

TEST_F(Suspects, AnErrorOfACallAloneHasNone) {
  go(stream, kernel<first>);
  host::fail_next(call_of<&host_backend::stream_synchronize>, 1, HostStatus::invalid_value);
  const LaunchError error = error_in(stream.synchronize());
  EXPECT_EQ(error.incident, 0U);
  EXPECT_THAT(suspects_of(error), IsEmpty());
  EXPECT_THAT(message(error), Not(HasSubstr("known to have ended")));
}

TEST_F(Suspects, TheTextNamesEachWithItsNumbersAndPlace) {
  go(other, kernel<first>);
  plant_fault();
  const LaunchConfig config{grid<7, 2>, block<64>, shared<char>(100)};
  const auto launched = launch(stream, config, kernel<second>);
  const unsigned line = __LINE__ - 1;
  ASSERT_TRUE(launched.has_value());
  const std::uint64_t number = debug::Journal::get().last();
  const std::string said_text = said(stream.synchronize());
  EXPECT_THAT(said_text, HasSubstr("\n  suspects: 2 launches of device 0 not known to have ended, "
                                   "newest first\n    #" +
                                   std::to_string(number) +
                                   " 'second', grid=(7,2,1), block=(64,1,1), shared=100 bytes, "
                                   "stream " +
                                   address(stream.native()) +
                                   ", at suspects_test.cpp:" + std::to_string(line) + "\n    #" +
                                   std::to_string(number - 1) + " 'first', grid=(2,1,1)"));
  EXPECT_THAT(said_text, HasSubstr("set WARPSAFE_SYNC=all to find the failing launch"));
}

TEST_F(Suspects, ALongListIsCutInTheTextAndWholeInTheList) {
  for (int i = 0; i < 39; ++i) go(stream, kernel<first>);
  plant_fault();
  go(stream, kernel<second>);
  const LaunchError error = error_in(stream.synchronize());
  EXPECT_EQ(suspects_of(error).size(), 40U);
  EXPECT_THAT(message(error), HasSubstr("\n    and 24 older ones (debug::suspects)"));
}

TEST_F(Suspects, TheJournalsOverflowIsSaid) {
  for (std::size_t i = 0; i < debug::Journal::capacity + 5; ++i) {
    go(stream, kernel<first>);
    if (i % 100 == 0) wait();
  }
  wait();
  plant_fault();
  go(stream, kernel<second>);
  const LaunchError error = error_in(stream.synchronize());
  EXPECT_THAT(suspects_of(error), ElementsAre("second"));
  EXPECT_THAT(message(error), HasSubstr("the journal holds the last 1024 launches: "));
}

TEST_F(Suspects, ManyThreadsLoseNoCulprit) {
  // Each thread launches and waits on its own stream. One launch among all of them faults.
  constexpr int threads = 8;
  constexpr unsigned launches = 40;
  for (unsigned round = 1; round <= rounds; ++round) {
    host::reset();
    host::fault_in_kernel(round * 7, HostStatus::illegal_address);
    std::vector<std::thread> running;
    LaunchError first_error = LaunchError::make(Errc{}, Stage{});
    bool found = false;
    for (int i = 0; i < threads; ++i) {
      running.emplace_back([&] {
        auto mine = Stream::create();
        if (!mine.has_value()) return;
        for (unsigned n = 0; n < launches; ++n) {
          if (!launch(mine.value(), two_threads, kernel<first>).has_value()) return;
          if (n % 3 != 0) continue;
          const auto waited = mine.value().synchronize();
          if (waited.has_value()) continue;
          if (!__atomic_test_and_set(&found, __ATOMIC_ACQ_REL)) first_error = waited.error();
          return;
        }
      });
    }
    for (std::thread& one : running) one.join();
    if (!found) continue;
    EXPECT_THAT(suspects_of(first_error), Not(IsEmpty())) << round;
    EXPECT_LE(suspects_of(first_error).size(), 4U * threads) << round;
  }
}

}  // namespace
}  // namespace warpsafe::core_test
