// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// Long records: they stay small, and what happened long ago is still found, with both places.

#include <warpsafe/memory/buffer.hpp>
#include <warpsafe/race/adversarial.hpp>
#include <warpsafe/race/race_recorder.hpp>
#include <warpsafe/warpsafe.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace warpsafe::long_record {
namespace {

using debug::AccessKind;
using debug::ActionKind;
using debug::MemoryAccess;
using debug::Mistake;
using debug::Point;
using debug::RaceReport;
using debug::RecordHeld;
using testing::HasSubstr;
using testing::Not;

/// A record of calls that no device executes. Streams, events, graphs and buffers are numbers.
class Record {
 public:
  Record() { recorder().begin(); }
  Record(const Record&) = delete;
  Record& operator=(const Record&) = delete;
  ~Record() { static_cast<void>(recorder().end()); }

  static debug::RaceRecorder& recorder() { return debug::RaceRecorder::get(); }
  static const void* object(std::uintptr_t number) {
    return reinterpret_cast<const void*>(0x1000 + 64 * number);
  }
  static const void* event(std::size_t number) { return object(1000000 + number); }
  static const void* graph(std::size_t number) { return object(2000000 + number); }
  static std::uintptr_t buffer(std::size_t number) { return 0x70000000 + number * 4096; }
  static call_site at(unsigned line) { return {"program.cpp", "", line}; }

  void host_allocates(std::size_t number, unsigned line = 1) {
    host(ActionKind::host_allocate, {buffer(number), 4096, AccessKind::allocate}, line);
  }
  void host_frees(std::size_t number, unsigned line = 1) {
    host(ActionKind::host_release, whole(number, AccessKind::release), line);
  }
  void host_writes(std::size_t number, unsigned line = 1) {
    host(ActionKind::host_write, {buffer(number), 4096, AccessKind::write}, line);
  }
  void writes(std::size_t stream, std::size_t number, unsigned line = 1) {
    const MemoryAccess access = whole(number, AccessKind::write);
    recorder().submitted(object(stream), ActionKind::kernel, {&access, 1}, at(line));
  }
  void reads(std::size_t stream, std::size_t number, unsigned line = 1) {
    const MemoryAccess access = whole(number, AccessKind::read);
    recorder().submitted(object(stream), ActionKind::kernel, {&access, 1}, at(line));
  }
  void records(std::size_t which, std::size_t stream) {
    recorder().recorded(event(which), object(stream), at(1));
  }
  void waits(std::size_t stream, std::size_t which) {
    recorder().waits(object(stream), event(which), at(1));
  }
  void synchronizes(std::size_t stream) {
    const Point end = recorder().end_of_stream(object(stream));
    recorder().on_host(ActionKind::synchronize, {&end, 1}, {}, at(1));
  }
  void synchronizes_all() {
    recorder().on_host(ActionKind::synchronize, recorder().end_of_streams(), {}, at(1));
  }
  void destroys(std::size_t stream) { recorder().stream_destroyed(object(stream), at(1)); }
  /// A graph of `body`, which is captured on `stream`.
  void captures(std::size_t which, std::size_t stream, const std::function<void()>& body) {
    recorder().capture_begins(object(stream));
    body();
    recorder().capture_ends(object(stream), graph(which));
    recorder().graph_set(graph(which), graph(which));
  }
  void launches(std::size_t which, std::size_t stream, unsigned line = 1) {
    recorder().graph_launched(graph(which), object(stream), at(line));
  }

  /// Ordered work of two streams on a buffer of their own.
  void much_other_work(bool host_waits = true) {
    constexpr std::size_t own = 100000;
    host_allocates(own);
    for (std::size_t end = recorder().size() + 6000; recorder().size() < end;) {
      writes(901, own);
      records(901, 901);
      waits(902, 901);
      reads(902, own);
      records(902, 902);
      waits(901, 902);
    }
    if (!host_waits) return;
    synchronizes(901);
    synchronizes(902);
  }
  [[nodiscard]] RaceReport report() { return recorder().end(); }

 private:
  static MemoryAccess whole(std::size_t number, AccessKind kind) {
    return {buffer(number), MemoryAccess::whole_allocation, kind};
  }
  void host(ActionKind kind, const MemoryAccess& access, unsigned line) {
    recorder().on_host(kind, {}, {&access, 1}, at(line));
  }
};

void expect_clean(Record& record) {
  const RaceReport report = record.report();
  EXPECT_TRUE(report.clean()) << report;
}
/// One race, between lines 11 and 22.
RaceReport expect_race(Record& record) {
  RaceReport report = record.report();
  EXPECT_EQ(report.findings.size(), 1U) << report;
  if (!report.clean()) {
    EXPECT_EQ(report.findings.front().first.action.site.line, 11U) << report;
    EXPECT_EQ(report.findings.front().second.action.site.line, 22U) << report;
  }
  return report;
}

TEST(LongRecord, AStreamThatNothingWaitedForRacesWithLaterWork) {
  for (const bool by_host : {false, true}) {
    Record record;
    record.host_allocates(1, 5);
    record.reads(3, 2);
    record.writes(1, 1, 11);
    record.records(7, 3);
    record.much_other_work();
    by_host ? record.host_writes(1, 22) : record.writes(2, 1, 22);
    const std::string text = expect_race(record).text();
    EXPECT_THAT(text, HasSubstr("#3 kernel on stream 2, at program.cpp:11, writes 4096 bytes"));
    EXPECT_THAT(text, HasSubstr("bytes 0 to 4095 of #1 allocation of 4096 bytes by the host"));
    EXPECT_THAT(text, HasSubstr(by_host ? "wait for stream 2, or for an event after #3"
                                        : "record an event on stream 2 after #3 and let stream"));
    // What happened around the first place, and a gap.
    EXPECT_THAT(text, HasSubstr("  #2 kernel -> stream 1  (program.cpp:1)\n"));
    EXPECT_THAT(text, HasSubstr("* #3 kernel -> stream 2  (program.cpp:11)\n"));
    EXPECT_THAT(text, HasSubstr("  #4 event record -> stream 1  (program.cpp:1)\n"));
    EXPECT_THAT(text, HasSubstr("  #15 "));
    EXPECT_THAT(text, Not(HasSubstr("  #16 ")));
    EXPECT_THAT(text, HasSubstr("    ...\n"));
  }
}

TEST(LongRecord, AnEventOfLongAgoOrdersWhatCameBeforeItAndNothingElse) {
  for (const bool too_early : {false, true}) {
    Record record;
    record.host_allocates(1);
    if (too_early) record.records(1, 1);
    record.writes(1, 1, 11);
    if (!too_early) record.records(1, 1);
    record.reads(1, 2);  // so that the record is not the stream's newest action
    record.much_other_work();
    record.waits(2, 1);
    record.writes(2, 1, 22);
    too_early ? static_cast<void>(expect_race(record)) : expect_clean(record);
  }
}

TEST(LongRecord, ANewStreamRacesWithWhatAllOthersHaveWaitedFor) {
  for (const bool host_too : {false, true}) {
    Record record;
    record.host_allocates(1);
    record.writes(1, 1, 11);
    record.records(1, 1);
    record.waits(901, 1);
    record.waits(902, 1);
    record.destroys(1);
    record.much_other_work(host_too);
    record.writes(2, 1, 22);
    host_too ? expect_clean(record) : static_cast<void>(expect_race(record));
  }
}

TEST(LongRecord, ARecordedAgainEventStandsForItsNewestRecord) {
  Record record;
  record.host_allocates(1);
  record.writes(1, 1, 11);
  record.records(1, 1);
  record.much_other_work();
  record.records(1, 3);
  record.much_other_work();
  record.waits(2, 1);
  record.writes(2, 1, 22);
  static_cast<void>(expect_race(record));
}

TEST(LongRecord, ADestroyedStreamsWorkRacesUntilItIsWaitedFor) {
  enum class Way { none, all, event, same_address };
  for (const Way way : {Way::none, Way::all, Way::event, Way::same_address}) {
    Record record;
    record.host_allocates(1);
    record.writes(1, 1, 11);
    if (way == Way::event) record.records(1, 1);
    record.destroys(1);
    record.much_other_work();
    if (way == Way::all) record.synchronizes_all();
    if (way == Way::event) record.waits(2, 1);
    // Another stream has its address, and says nothing about its work.
    if (way == Way::same_address) record.synchronizes(1);
    record.writes(way == Way::same_address ? 1 : 2, 1, 22);
    if (way == Way::all || way == Way::event) {
      expect_clean(record);
    } else {
      static_cast<void>(expect_race(record));
    }
  }
}

TEST(LongRecord, AWaitForAllCoversEachOfManyDestroyedStreams) {
  for (const bool waited : {false, true}) {
    Record record;
    for (std::size_t i = 0; i < 3000; ++i) {
      record.host_allocates(i);
      record.writes(1000 + i, i, 11);
      record.destroys(1000 + i);
    }
    record.much_other_work();
    if (waited) record.synchronizes_all();
    for (std::size_t i = 0; i < 3000; i += 300) record.writes(2, i, 22);
    const RaceReport report = record.report();
    EXPECT_EQ(report.findings.size(), waited ? 0U : 10U);
  }
}

TEST(LongRecord, FreedMemoryIsReportedUntilItIsAllocatedAgain) {
  for (const bool again : {false, true}) {
    Record record;
    record.host_allocates(1, 5);
    record.writes(1, 1);
    record.synchronizes(1);
    record.host_frees(1, 11);
    record.much_other_work();
    if (again) record.host_allocates(1);
    record.writes(2, 1, 22);
    if (again) {
      expect_clean(record);
    } else {
      const RaceReport report = expect_race(record);
      EXPECT_EQ(report.findings.front().mistake, Mistake::use_after_release);
      EXPECT_THAT(report.text(), HasSubstr("of #1 allocation of 4096 bytes by the host"));
    }
  }
}

TEST(LongRecord, AWaitThatBeganLongAgoKnowsWhatItWaitedFor) {
  for (const bool returned : {false, true}) {
    Record record;
    record.host_allocates(1);
    record.writes(1, 1, 11);
    const Point end = Record::recorder().end_of_stream(Record::object(1));
    record.reads(1, 2);  // another thread's
    record.destroys(1);
    record.much_other_work();
    if (returned) {
      Record::recorder().on_host(ActionKind::synchronize, {&end, 1}, {}, Record::at(1));
    } else {
      Record::recorder().wait_failed({&end, 1});
    }
    record.writes(2, 1, 22);
    returned ? expect_clean(record) : static_cast<void>(expect_race(record));
  }
}

TEST(LongRecord, LaunchesOfOneGraphAreOrderedHoweverFarApart) {
  for (const bool one_graph : {true, false}) {
    Record record;
    record.host_allocates(1);
    for (std::size_t i = 1; i <= 2; ++i) {
      record.captures(i, 5, [&] { record.writes(5, 1, i == 1 ? 11 : 22); });
    }
    record.launches(1, 1);
    record.reads(1, 2);
    record.much_other_work();
    record.launches(one_graph ? 1 : 2, 2);
    one_graph ? expect_clean(record) : static_cast<void>(expect_race(record));
    for (std::size_t i = 1; i <= 2; ++i) {
      Record::recorder().executable_destroyed(Record::graph(i));
      Record::recorder().graph_destroyed(Record::graph(i));
    }
  }
}

TEST(LongRecord, ABranchOfALaunchOfLongAgoRaces) {
  Record record;
  record.host_allocates(1);
  record.captures(1, 5, [&] {
    record.records(1, 5);
    record.waits(6, 1);
    record.writes(6, 1, 11);  // beside the stream's own strand
    record.reads(5, 2);
    record.records(2, 6);
    record.waits(5, 2);
  });
  record.launches(1, 1);
  record.much_other_work();
  Record::recorder().executable_destroyed(Record::graph(1));
  Record::recorder().graph_destroyed(Record::graph(1));
  record.much_other_work();
  record.writes(2, 1, 22);
  EXPECT_THAT(expect_race(record).text(), HasSubstr("in graph #"));
}

/// The most of each kind that the record held, looked at now and then.
class Most {
 public:
  void look() {
    const RecordHeld now = Record::recorder().held();
    const auto raise = [](std::size_t& most, std::size_t value) { most = std::max(most, value); };
    raise(all_.actions, now.actions);
    raise(all_.moments, now.moments);
    raise(all_.accesses, now.accesses);
    raise(all_.points, now.points);
    raise(all_.strands, now.strands);
    raise(all_.clock_parts, now.clock_parts);
    raise(all_.streams, now.streams);
  }
  [[nodiscard]] const RecordHeld& all() const { return all_; }

 private:
  RecordHeld all_{};
};

TEST(LongRecord, StaysSmallOverManyOperations) {
  Record record;
  Most most;
  for (std::size_t i = 0; i < 4; ++i) record.host_allocates(i);
  for (std::size_t i = 0; i < 20000; ++i) {
    const std::size_t own = i % 4;
    const std::size_t before = (own + 3) % 4;
    record.records(before, before);
    record.waits(own, before);
    record.writes(own, own);
    record.reads(own, before);
    record.records(4 + own, own);
    record.waits(before, 4 + own);
    if (i % 97 == 0) most.look();
  }
  EXPECT_LT(most.all().actions, 16000U);
  EXPECT_LT(most.all().moments, 16000U);
  EXPECT_LT(most.all().accesses, 600U);
  EXPECT_LT(most.all().points, 16000U);
  EXPECT_EQ(most.all().strands, 5U);
  EXPECT_LT(most.all().clock_parts, 32000U);
  EXPECT_EQ(most.all().streams, 4U);
  EXPECT_EQ(Record::recorder().size(), 4U + 6 * 20000U);
  expect_clean(record);
}

TEST(LongRecord, StaysSmallOverManyStreams) {
  for (const bool host_waits : {false, true}) {
    Record record;
    Most most;
    record.host_allocates(0);
    for (std::size_t i = 1; i <= 10000; ++i) {
      const std::size_t own = 1000 + i;
      if (!host_waits) {
        record.records(1, 0);
        record.waits(own, 1);
      }
      record.writes(own, 0);
      if (host_waits) {
        record.synchronizes(own);
      } else {
        record.records(2, own);
        record.waits(0, 2);
      }
      record.destroys(own);
      if (i % 97 == 0) most.look();
    }
    EXPECT_LT(most.all().actions, 16000U);
    EXPECT_LT(most.all().accesses, 2000U);
    EXPECT_LT(most.all().strands, 3000U);
    EXPECT_LT(most.all().streams, 3000U);
    EXPECT_LT(most.all().points, 16000U);
    EXPECT_LT(most.all().clock_parts, 64000U);
    expect_clean(record);
  }
}

TEST(LongRecord, StaysSmallOverManyLaunchesOfAWideGraph) {
  constexpr std::size_t nodes = 1000;
  Record record;
  Most most;
  for (std::size_t i = 0; i <= nodes; ++i) record.host_allocates(i);
  record.captures(1, 0, [&] {
    record.records(1, 0);
    for (std::size_t i = 1; i <= nodes; ++i) {
      record.waits(i, 1);
      record.reads(i, 0);
      record.writes(i, i);
      record.records(2, i);
      record.waits(0, 2);
    }
  });
  for (std::size_t i = 0; i < 400; ++i) {
    record.launches(1, i % 2);
    if (i % 7 == 0) most.look();
  }
  EXPECT_LT(most.all().accesses, 24 * nodes);
  EXPECT_LT(most.all().actions, 120 * nodes);
  EXPECT_LT(most.all().strands, 24 * nodes);
  EXPECT_LT(most.all().points, 120 * nodes);
  EXPECT_LT(most.all().clock_parts, 120 * nodes);
  Record::recorder().executable_destroyed(Record::graph(1));
  Record::recorder().graph_destroyed(Record::graph(1));
  expect_clean(record);
}

/// The recorder of the host backend. Only the stream's newest operation still exists.
TEST(LongRecord, OfTheHostBackendStaysSmall) {
  host::Device device(0);
  host::StreamState stream(device, 1);
  host::HostRaceRecorder recorder;
  recorder.begin();
  std::size_t most = 0;
  std::shared_ptr<host::Operation> newest;
  std::vector<unsigned char> bytes(16);
  const auto submit = [&](std::shared_ptr<host::Operation> operation) {
    recorder.submitted(stream, *operation);
    recorder.runs(*operation);
    newest = std::move(operation);
  };
  for (int i = 0; i < 50000; ++i) {
    submit(std::make_shared<host::FillOperation>(bytes.data(), 0, bytes.size()));
    submit(std::make_shared<host::MarkOperation>());
    most = std::max(most, recorder.held().actions);
  }
  EXPECT_LT(most, 8000U);
  EXPECT_LT(recorder.held().accesses, 100U);
  EXPECT_EQ(recorder.held().strands, 2U);
  EXPECT_EQ(recorder.history.size(), 100000U);
  EXPECT_TRUE(recorder.races.empty());
}

/// The record of a destroyed event would count as one that a call may still name.
TEST(LongRecord, ADestroyedEventKeepsNoRecord) {
  const RaceReport report = adversarial::run(1, [] {
    const Stream stream = Stream::create().value();
    host::EventHandle* event = nullptr;
    ASSERT_EQ(host_backend::event_create(event, false), 0);
    ASSERT_EQ(host_backend::event_record(event, stream.native()), 0);
    const std::weak_ptr<const host::Operation> record =
        host::Runtime::get().events.find(event)->record;
    static_cast<void>(stream.record());
    EXPECT_TRUE(stream.synchronize().has_value());
    EXPECT_FALSE(record.expired());
    ASSERT_EQ(host_backend::event_destroy(event), 0);
    EXPECT_TRUE(record.expired());
  });
  EXPECT_TRUE(report.clean()) << report;
}

WARPSAFE_KERNEL void put(float* x) { *x = 1; }

/// The same on the host backend, under a seed.
TEST(LongRecord, ASeedOfManyOperationsFindsARaceWithTheFirst) {
  const LaunchConfig once{grid<1>, block<1>};
  for (const bool waited : {false, true}) {
    const RaceReport report = adversarial::run(1, [&] {
      const Stream first = Stream::create().value();
      const Stream second = Stream::create().value();
      auto seldom = DeviceBuffer<float>::create(first, 1).value();
      auto often = DeviceBuffer<float>::create(second, 1).value();
      EXPECT_TRUE(second.synchronize().has_value());
      EXPECT_TRUE(launch(first, once, kernel<put>, seldom.view()).has_value());
      const Event done = first.record().value();
      // So that the record is not the stream's newest action.
      auto after = DeviceBuffer<float>::create(first, 1).value();
      EXPECT_TRUE(launch(first, once, kernel<put>, after.view()).has_value());
      for (int i = 0; i < 4000; ++i) {
        const Stream other = Stream::create().value();
        EXPECT_TRUE(wait(other, second.record().value()).has_value());
        EXPECT_TRUE(launch(other, once, kernel<put>, often.view()).has_value());
        EXPECT_TRUE(wait(second, other.record().value()).has_value());
      }
      if (waited) {
        EXPECT_TRUE(wait(second, done).has_value());
      }
      EXPECT_TRUE(launch(second, once, kernel<put>, seldom.view()).has_value());
      EXPECT_TRUE(first.synchronize().has_value());
      EXPECT_TRUE(second.synchronize().has_value());
    });
    EXPECT_EQ(report.findings.size(), waited ? 0U : 1U) << report;
    if (!waited) {
      EXPECT_THAT(report.text(), HasSubstr("on stream 1, at long_record_test.cpp:"));
    }
  }
}

}  // namespace
}  // namespace warpsafe::long_record
