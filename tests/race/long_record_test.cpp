// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// Long records: they stay small, and what happened long ago is still found, with both places.

#include "host_record.hpp"
#include <warpsafe/memory/buffer.hpp>
#include <warpsafe/race/adversarial.hpp>
#include <warpsafe/stream/event.hpp>
#include <warpsafe/warpsafe.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace warpsafe::long_record {
namespace {

using debug::ActionKind;
using debug::Mistake;
using debug::RaceReport;
using host_record::Handed;
using testing::HasSubstr;
using testing::Not;

/// Buffers are numbers, too.
class Record : public host_record::Record {
 public:
  static std::uintptr_t buffer(std::size_t number) { return 0x70000000 + number * 4096; }
  static MemoryAccess whole(std::size_t number, AccessKind kind) {
    return {buffer(number), 4096, kind};
  }

  void host_allocates(std::size_t number, unsigned line = 1) {
    on_host(ActionKind::host_allocate, whole(number, AccessKind::allocate), line);
  }
  void host_frees(std::size_t number, unsigned line = 1) {
    on_host(ActionKind::host_release, whole(number, AccessKind::release), line);
  }
  void host_writes(std::size_t number, unsigned line = 1) {
    on_host(ActionKind::host_write, whole(number, AccessKind::write), line);
  }
  void writes(std::size_t stream, std::size_t number, unsigned line = 1) {
    submits(stream, {whole(number, AccessKind::write)}, line);
  }
  void reads(std::size_t stream, std::size_t number, unsigned line = 1) {
    submits(stream, {whole(number, AccessKind::read)}, line);
  }
  void records(std::size_t event, std::size_t stream) {
    host_record::Record::records(event, stream, 1);
  }
  void waits(std::size_t stream, std::size_t event) {
    host_record::Record::waits(stream, event, 1);
  }
  void launches(std::size_t graph, std::size_t stream) {
    host_record::Record::launches(graph, stream, 1);
  }
  /// A node for makes_graph, after nodes of smaller numbers.
  static host::GraphNode node(std::size_t number, AccessKind kind, unsigned line,
                              host::NodeSet after = {}) {
    const std::vector<MemoryAccess> accesses = {whole(number, kind)};
    return {host::make_shared<host_record::Work>(accesses, line), std::move(after)};
  }

  /// Ordered work of two streams on a buffer of their own.
  void much_other_work(bool host_waits = true) {
    constexpr std::size_t own = 100000;
    host_allocates(own);
    for (const std::size_t end = size() + 6000; size() < end;) {
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
    EXPECT_THAT(text,
                HasSubstr("#3 fill of 4096 bytes on stream 2, at program.cpp:11, writes 4096"));
    EXPECT_THAT(text, HasSubstr("bytes 0 to 4095 of #1 allocation of 4096 bytes by the host"));
    EXPECT_THAT(text, HasSubstr(by_host ? "wait for stream 2, or for an event after #3"
                                        : "record an event on stream 2 after #3 and let stream"));
    // What happened around the first place, and a gap.
    EXPECT_THAT(text, HasSubstr("  #2 copy of 4096 bytes -> stream 1  (program.cpp:1)\n"));
    EXPECT_THAT(text, HasSubstr("* #3 fill of 4096 bytes -> stream 2  (program.cpp:11)\n"));
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
  enum class Way { none, all, event, dropped, same_address };
  for (const Way way : {Way::none, Way::all, Way::event, Way::dropped, Way::same_address}) {
    Record record;
    record.host_allocates(1);
    record.writes(1, 1, 11);
    if (way == Way::event) record.records(1, 1);
    record.destroys(1);
    record.much_other_work();
    if (way == Way::all) record.synchronizes_all();
    if (way == Way::event) record.waits(2, 1);
    // It has run, which the host does not know.
    if (way == Way::dropped) record.drops_destroyed();
    // Another stream has its number, and says nothing about its work.
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
    const Handed end = record.end_of_stream(1);
    record.reads(1, 2);  // another thread's
    record.destroys(1);
    record.much_other_work();
    if (returned) record.knows({end});
    record.writes(2, 1, 22);
    returned ? expect_clean(record) : static_cast<void>(expect_race(record));
  }
}

TEST(LongRecord, LaunchesOfOneGraphAreOrderedHoweverFarApart) {
  for (const bool one_graph : {true, false}) {
    Record record;
    record.host_allocates(1);
    for (std::size_t i = 1; i <= 2; ++i) {
      record.makes_graph(i, {Record::node(1, AccessKind::write, i == 1 ? 11 : 22)});
    }
    record.launches(1, 1);
    record.reads(1, 2);
    record.much_other_work();
    record.launches(one_graph ? 1 : 2, 2);
    one_graph ? expect_clean(record) : static_cast<void>(expect_race(record));
  }
}

TEST(LongRecord, ABranchOfALaunchOfLongAgoRaces) {
  Record record;
  record.host_allocates(1);
  record.makes_graph(1, {Record::node(2, AccessKind::read, 1),
                         Record::node(1, AccessKind::write, 11)});  // beside the stream's strand
  record.launches(1, 1);
  record.much_other_work();
  record.makes_graph(1, {});  // the first is destroyed
  record.much_other_work();
  record.writes(2, 1, 22);
  EXPECT_THAT(expect_race(record).text(), HasSubstr("in graph #"));
}

/// The most of each kind that the record held, looked at now and then.
class Most {
 public:
  void look(const Record& record) {
    const auto now = record.recorder().held();
    actions = std::max(actions, now.actions);
    accesses = std::max(accesses, now.accesses);
    strands = std::max(strands, now.strands);
  }
  std::size_t actions = 0;
  std::size_t accesses = 0;
  std::size_t strands = 0;
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
    if (i % 97 == 0) most.look(record);
  }
  EXPECT_LT(most.actions, 16000U);
  EXPECT_LT(most.accesses, 600U);
  EXPECT_EQ(most.strands, 5U);
  EXPECT_EQ(record.size(), 4U + 6 * 20000U);
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
      if (i % 1024 == 0) record.drops_destroyed();
      if (i % 97 == 0) most.look(record);
    }
    EXPECT_LT(most.actions, 16000U);
    EXPECT_LT(most.accesses, 2000U);
    EXPECT_LT(most.strands, 3000U);
    expect_clean(record);
  }
}

TEST(LongRecord, StaysSmallOverManyLaunchesOfAWideGraph) {
  constexpr std::size_t nodes = 1000;
  Record record;
  Most most;
  for (std::size_t i = 0; i <= nodes; ++i) record.host_allocates(i);
  host::GraphNodes wide;
  for (std::size_t i = 1; i <= nodes; ++i) {
    wide.push_back(Record::node(0, AccessKind::read, 1));
    wide.push_back(Record::node(i, AccessKind::write, 1, {wide.size() - 1}));
  }
  record.makes_graph(1, std::move(wide));
  for (std::size_t i = 0; i < 400; ++i) {
    record.launches(1, i % 2);
    if (i % 7 == 0) most.look(record);
  }
  EXPECT_LT(most.accesses, 24 * nodes);
  EXPECT_LT(most.actions, 120 * nodes);
  EXPECT_LT(most.strands, 24 * nodes);
  expect_clean(record);
}

/// The recorder of the host backend. Only the stream's newest operation still exists.
TEST(LongRecord, OfTheHostBackendStaysSmall) {
  host::Device device(0);
  host::StreamState stream(device, 1);
  host::HostRaceRecorder recorder;
  recorder.begin();
  std::size_t most = 0;
  host::Shared<host::Operation> newest;
  std::vector<unsigned char> bytes(16);
  const auto submit = [&](host::Shared<host::Operation> operation) {
    recorder.submitted(stream, *operation);
    recorder.runs(*operation);
    newest = std::move(operation);
  };
  for (int i = 0; i < 50000; ++i) {
    submit(host::make_shared<host::FillOperation>(bytes.data(), std::uint8_t{0}, bytes.size()));
    submit(host::make_shared<host::MarkOperation>());
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
    const host::Shared<const host::Operation> record =
        host::Runtime::get().events.find(event)->record;
    static_cast<void>(stream.record());
    EXPECT_TRUE(stream.synchronize().has_value());
    EXPECT_EQ(record->holders(), 3U);
    ASSERT_EQ(host_backend::event_destroy(event), 0);
    EXPECT_EQ(record->holders(), 2U) << "this and the recorder's";
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
