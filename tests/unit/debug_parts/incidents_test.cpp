// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// The faults that are kept and the launches that are kept with them, with launches made by hand.

#include "core_test.hpp"
#include "private_member.hpp"
#include <warpsafe/debug/journal/suspects.hpp>

#include <gmock/gmock.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <thread>
#include <vector>

namespace warpsafe::core_test {

struct IncidentsLocked {
  friend constexpr auto member(IncidentsLocked);
};
template struct PrivateMember<IncidentsLocked, &debug::Incidents::lock_>;
struct CompletionLocked {
  friend constexpr auto member(CompletionLocked);
};
template struct PrivateMember<CompletionLocked, &debug::Completion::lock_>;

namespace {

using debug::Completion;
using debug::Incidents;
using debug::Journal;
using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::IsEmpty;

/// Faults of devices that no other test uses: the journal and the times of waits are the process's.
struct IncidentsTest : ::testing::Test {
  static constexpr Vendor vendor = Vendor::amd;
  static constexpr std::int32_t device = 40;

  IncidentsTest() { idle(); }
  ~IncidentsTest() override { idle(); }
  IncidentsTest(const IncidentsTest&) = delete;
  IncidentsTest& operator=(const IncidentsTest&) = delete;

  static void idle() {
    for (std::int32_t one = 40; one < 44; ++one) {
      debug::mark_device_idle(vendor, one);
      debug::mark_device_idle(Vendor::nvidia, one);
    }
  }
  /// A launch that the runtime accepted.
  static std::uint64_t launched(const char* kernel, std::int32_t on = device, Vendor of = vendor,
                                unsigned line = 7) {
    LaunchRecord record{};
    record.kernel = Name::of(kernel);
    for (std::uint32_t& axis : record.grid) axis = 1;
    for (std::uint32_t& axis : record.block) axis = 32;
    record.stream = reinterpret_cast<const void*>(std::uintptr_t{0x500});
    record.device = on;
    record.vendor = of;
    record.site = app;
    record.site.line = line;
    const std::uint64_t number = Journal::get().append(record);
    Journal::get().submitted(number, Completion::get().now());
    return number;
  }
  static LaunchError fault(std::int32_t raw = 700, Severity severity = Severity::context_lost,
                           Vendor of = vendor) {
    LaunchError error = LaunchError::make(Errc::execution_failed, Stage::completion);
    error.vendor = of;
    error.raw = raw;
    error.severity = severity;
    return error;
  }
  std::uint64_t add(const LaunchError& error, std::int32_t on = device) {
    return incidents->add(error, on);
  }
  /// The kernels of an incident's suspects, newest first.
  std::vector<std::string> kernels(std::uint64_t number) {
    std::vector<LaunchRecord> records(Journal::capacity);
    records.resize(incidents->copy(number, records.data(), records.size()));
    std::vector<std::string> names;
    for (const LaunchRecord& record : records) names.push_back(text(record.kernel));
    return names;
  }
  /// The end of the text of an error with this incident, without what the journal forgot.
  std::string said_of(std::uint64_t number) {
    LaunchError error = fault();
    error.incident = number;
    char room[8192];
    detail::TextBuffer out(room, sizeof room);
    incidents->put(out, error);
    const std::string all = room;
    return all.substr(0, all.find("\n  the journal holds"));
  }

  std::unique_ptr<Incidents> incidents{new Incidents()};
};

TEST_F(IncidentsTest, AContextThatIsLostKeepsItsFirstIncident) {
  launched("first");
  EXPECT_EQ(add(fault()), 1U);
  launched("later");
  EXPECT_EQ(add(fault()), 1U);
  EXPECT_THAT(kernels(1), ElementsAre("first"));
  // Anything else is another fault.
  EXPECT_EQ(add(fault(701)), 2U) << "another status";
  EXPECT_EQ(add(fault(), device + 1), 3U) << "another device";
  EXPECT_EQ(add(fault(700, Severity::context_lost, Vendor::nvidia)), 4U) << "another vendor";
  EXPECT_EQ(add(fault()), 1U) << "still there";
  EXPECT_EQ(add(fault(702), 0), 5U);
  EXPECT_EQ(add(fault(702), 1), 6U) << "device 0 is no unknown device";
  EXPECT_EQ(add(fault(703), 1), 7U);
  EXPECT_EQ(add(fault(703), 0), 8U);
}
TEST_F(IncidentsTest, AFaultThatTheContextSurvivesIsNewEachTime) {
  EXPECT_EQ(add(fault(700, Severity::recoverable)), 1U);
  EXPECT_EQ(add(fault(700, Severity::recoverable)), 2U);
  EXPECT_EQ(add(fault()), 3U) << "an incident whose context was not lost is another";
  EXPECT_EQ(add(fault(700, Severity::recoverable)), 4U) << "and so is one of a context that works";
}
TEST_F(IncidentsTest, AWaitThatSucceedsAfterTheFaultShowsThatTheDeviceWorksAgain) {
  EXPECT_EQ(add(fault()), 1U);
  debug::mark_device_idle(vendor, device + 1);
  EXPECT_EQ(add(fault()), 1U) << "a wait for another device";
  debug::mark_device_idle(vendor, device);
  EXPECT_EQ(add(fault()), 2U);
  EXPECT_EQ(add(fault()), 2U);
}
TEST_F(IncidentsTest, AFaultOfAnUnknownDeviceIsThatOfAnyDevice) {
  EXPECT_EQ(add(fault(), -1), 1U);
  EXPECT_EQ(add(fault(), device), 1U);
  EXPECT_EQ(add(fault(), -1), 1U);
  EXPECT_EQ(add(fault(701), device), 2U);
  EXPECT_EQ(add(fault(701), -1), 2U);
  EXPECT_EQ(add(fault(701), device + 1), 3U);
}

TEST_F(IncidentsTest, TheSuspectsAreOfTheFaultsDeviceAndVendor) {
  launched("here");
  launched("beside", device + 1);
  launched("elsewhere", device, Vendor::nvidia);
  EXPECT_THAT(kernels(add(fault(4), 0)), IsEmpty()) << "of device 0, not of any";
  EXPECT_THAT(kernels(add(fault(1))), ElementsAre("here"));
  EXPECT_THAT(kernels(add(fault(2), -1)), ElementsAre("beside", "here"));
  EXPECT_THAT(kernels(add(fault(3, Severity::context_lost, Vendor::nvidia), -1)),
              ElementsAre("elsewhere"));
}
TEST_F(IncidentsTest, ALaunchThatIsBeingSubmittedIsASuspectAndARefusedOneIsNot) {
  launched("accepted");
  LaunchRecord record{};
  record.vendor = vendor;
  record.device = device;
  record.kernel = Name::of("submitting");
  const std::uint64_t number = Journal::get().append(record);
  EXPECT_THAT(kernels(add(fault(1))), ElementsAre("submitting", "accepted"));
  Journal::get().refused(number);
  EXPECT_THAT(kernels(add(fault(2))), ElementsAre("accepted"));
}

TEST_F(IncidentsTest, TheOldestOfDevicesThatWorkMakesRoom) {
  const auto survived = [&](std::int32_t raw) { return add(fault(raw, Severity::recoverable)); };
  launched("kept");
  EXPECT_EQ(survived(1), 1U);
  EXPECT_EQ(add(fault(2)), 2U);
  EXPECT_EQ(survived(3), 3U);
  EXPECT_EQ(add(fault(4)), 4U);
  EXPECT_EQ(survived(5), 5U);  // in place of 1
  EXPECT_THAT(kernels(1), IsEmpty());
  EXPECT_THAT(kernels(2), ElementsAre("kept"));
  EXPECT_THAT(kernels(3), ElementsAre("kept"));
  EXPECT_EQ(survived(6), 6U);  // in place of 3
  EXPECT_THAT(kernels(3), IsEmpty());
  EXPECT_THAT(kernels(2), ElementsAre("kept"));
  EXPECT_EQ(add(fault(7)), 7U);  // in place of 5
  EXPECT_EQ(add(fault(8)), 8U);  // in place of 6
  EXPECT_THAT(kernels(6), IsEmpty());
  EXPECT_THAT(kernels(2), ElementsAre("kept")) << "a lost context goes last";
  EXPECT_EQ(survived(9), 9U);  // in place of 2
  EXPECT_THAT(kernels(2), IsEmpty());
  for (const std::uint64_t number : {4U, 7U, 8U, 9U}) {
    EXPECT_THAT(kernels(number), ElementsAre("kept")) << number;
  }
  EXPECT_THAT(kernels(0), IsEmpty());
}

TEST_F(IncidentsTest, ACopyEndsAtTheRoomThatTheCallerHas) {
  for (const char* name : {"a", "b", "c"}) launched(name);
  const std::uint64_t number = add(fault());
  std::vector<LaunchRecord> records(3);
  EXPECT_EQ(incidents->copy(number, records.data(), 2), 3U);
  EXPECT_EQ(text(records[0].kernel), "c");
  EXPECT_EQ(text(records[1].kernel), "b");
  EXPECT_EQ(records[2].kernel.size, 0U);
  records.resize(5);
  records[3].sequence = 77;
  EXPECT_EQ(incidents->copy(number, records.data(), 5), 3U);
  EXPECT_EQ(text(records[2].kernel), "a");
  EXPECT_EQ(records[3].sequence, 77U) << "there is no fourth";
}

TEST_F(IncidentsTest, TheTextSaysWhatIsKnown) {
  const std::string sync =
      "\n  set WARPSAFE_SYNC=all to find the failing launch: every launch then waits for its kernel";
  const auto listed = [](std::uint64_t number, const std::string& kernel) {
    return "\n    #" + std::to_string(number) + " '" + kernel +
           "', grid=(1,1,1), block=(32,32,32), shared=0 bytes, stream 0x500, at app.cpp:7";
  };
  if (Journal::get().overwritten() == 0) {
    LaunchError error = fault();
    error.incident = add(fault(4));
    char room[1024];
    detail::TextBuffer out(room, sizeof room);
    incidents->put(out, error);
    EXPECT_THAT(std::string(room), EndsWith("an earlier write that was found late"));
  }
  EXPECT_EQ(said_of(9), "\n  its suspects were discarded to make room for newer faults");
  EXPECT_EQ(said_of(0), "\n  its suspects were discarded to make room for newer faults");
  EXPECT_EQ(
      said_of(add(fault(1))),
      "\n  no suspects: every launch of checked code had ended, and no wait had reported a fault; "
      "look at what else uses the device, and for an earlier write that was found late");
  const std::uint64_t one = launched("one");
  EXPECT_EQ(said_of(add(fault(2))),
            "\n  suspect: 1 launch of device 40 not known to have ended" + listed(one, "one"));
  const std::uint64_t two = launched("two");
  EXPECT_EQ(said_of(add(fault(3), -1)),
            "\n  suspects: 2 launches of this process not known to have ended, newest first" +
                listed(two, "two") + listed(one, "one") + sync);
}
TEST_F(IncidentsTest, TheTextListsSixteen) {
  std::string list;
  for (int i = 0; i < 16; ++i) {
    list = "\n    #" + std::to_string(launched("k")) +
           " 'k', grid=(1,1,1), block=(32,32,32), shared=0 bytes, stream 0x500, at app.cpp:7" +
           list;
  }
  const std::string sixteen = said_of(add(fault(1)));
  EXPECT_EQ(sixteen.find("older ones"), std::string::npos) << sixteen;
  EXPECT_NE(sixteen.find("newest first" + list + "\n  set WARPSAFE_SYNC"), std::string::npos);
  launched("k");
  const std::string more = said_of(add(fault(2)));
  EXPECT_EQ(more.find(list.substr(list.rfind("\n    #"))), std::string::npos) << "the oldest";
  EXPECT_NE(more.find("app.cpp:7\n    and 1 older ones (debug::suspects)\n  set"),
            std::string::npos)
      << more;
}
TEST_F(IncidentsTest, TheTextSaysHowManyLaunchesTheJournalHasForgotten) {
  for (std::size_t i = 0; i < Journal::capacity + 1; ++i) launched("many");
  idle();
  const std::uint64_t gone = Journal::get().overwritten();
  ASSERT_GT(gone, 0U);
  LaunchError error = fault();
  error.incident = add(error);
  launched("one more");
  char room[1024];
  detail::TextBuffer out(room, sizeof room);
  incidents->put(out, error);
  EXPECT_THAT(std::string(room), EndsWith("\n  the journal holds the last 1024 launches: " +
                                          std::to_string(gone) + " older ones were not checked"));
}

// One thread at a time: while another one holds the lock, each function waits for it.

/// Runs each function in a thread of its own while `lock` is held. Returns how many ended early.
template <std::size_t N>
int ended_early(detail::ProcessLock& lock, void (*const (&functions)[N])(void*), void* context) {
  EXPECT_TRUE(lock.try_lock());
  int ended = 0;
  std::vector<std::thread> threads;
  for (auto* const function : functions) {
    threads.emplace_back([&ended, function, context] {
      function(context);
      __atomic_add_fetch(&ended, 1, __ATOMIC_RELAXED);
    });
  }
  ::usleep(10'000);
  const int early = __atomic_load_n(&ended, __ATOMIC_RELAXED);
  lock.unlock();
  for (std::thread& one : threads) one.join();
  EXPECT_EQ(ended, static_cast<int>(N)) << "and they end once the lock is free";
  return early;
}

TEST_F(IncidentsTest, EachFunctionTakesTheLock) {
  constexpr void (*functions[])(void*) = {
      [](void* all) { static_cast<Incidents*>(all)->add(fault(), device); },
      [](void* all) { static_cast<Incidents*>(all)->copy(1, nullptr, 0); },
      [](void* all) {
        char room[64];
        detail::TextBuffer out(room, sizeof room);
        static_cast<Incidents*>(all)->put(out, fault());
      }};
  EXPECT_EQ(ended_early(*incidents.*member(IncidentsLocked{}), functions, incidents.get()), 0);
}
TEST(CompletionLock, EachFunctionTakesIt) {
  constexpr void (*functions[])(void*) = {
      [](void* all) { static_cast<Completion*>(all)->stream_waited(Vendor::host, 0, 0, 3); },
      [](void* all) { static_cast<Completion*>(all)->device_waited(Vendor::host, 0, 3); },
      [](void* all) {
        static_cast<void>(static_cast<Completion*>(all)->succeeded_at(Vendor::host, 0));
      },
      [](void* all) {
        static_cast<void>(static_cast<Completion*>(all)->is_complete(LaunchRecord{}, 1));
      }};
  const std::unique_ptr<Completion> known(new Completion());
  EXPECT_EQ(ended_early(*known.*member(CompletionLocked{}), functions, known.get()), 0);
}

}  // namespace
}  // namespace warpsafe::core_test
