// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// What each call does to the record, over a backend that does nothing, with objects that are only
// addresses.

#include <warpsafe/race/recorded_backend.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <new>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace warpsafe::debug {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

/// Addresses of streams, events, graphs and memory.
alignas(8) char objects[256];
[[nodiscard]] void* object(std::size_t number) { return &objects[number]; }
[[nodiscard]] std::uintptr_t address(std::size_t number) {
  return reinterpret_cast<std::uintptr_t>(object(number));
}
[[nodiscard]] MemoryAccess writes(std::size_t number, std::size_t bytes = 1) {
  return {address(number), bytes, AccessKind::write};
}
constexpr call_site line_7{"program.cpp", "main", 7};
[[nodiscard]] Action kernel_of(const char* name) {
  return {ActionKind::kernel, 0, no_point, line_7, Name::of(name), 0};
}

void* const one = object(1);
void* const two = object(2);
void* const three = object(3);
void* const event = object(11);
void* const other_event = object(12);
void* const graph = object(21);
void* const other_graph = object(22);
void* const exec = object(31);
void* const other_exec = object(32);

using Lists = std::vector<std::vector<std::size_t>>;
[[nodiscard]] Lists after_of(const CapturedNodes& nodes) {
  Lists lists;
  for (const CapturedNode& node : nodes) lists.push_back(node.after);
  return lists;
}
[[nodiscard]] std::vector<std::size_t> chains_of(const CapturedNodes& nodes) {
  std::vector<std::size_t> chains;
  for (const CapturedNode& node : nodes) chains.push_back(node.chain);
  return chains;
}

class CapturedCalls : public testing::Test {
 protected:
  bool add(const void* stream) {
    const MemoryAccess access = writes(100 + added_++);
    return graphs_.add(stream, kernel_of("k"), {&access, 1});
  }
  [[nodiscard]] const CapturedNodes& nodes_of(const void* from) {
    graphs_.set_nodes(exec, from);
    return graphs_.nodes_of(exec);
  }
  CapturedGraphs graphs_;
  std::size_t added_ = 0;
};

TEST_F(CapturedCalls, AStreamThatDoesNotCaptureRecordsNothing) {
  EXPECT_TRUE(graphs_.empty());
  EXPECT_FALSE(add(one));
  EXPECT_FALSE(graphs_.record(event, one));
  EXPECT_FALSE(graphs_.wait(one, event));
  graphs_.capture_ends(one, graph);
  graphs_.set_nodes(exec, graph);
  EXPECT_TRUE(graphs_.empty());
  EXPECT_THAT(graphs_.nodes_of(exec), IsEmpty());
}

TEST_F(CapturedCalls, EachPartMakesTheRecordUsed) {
  graphs_.capture_begins(one);
  EXPECT_FALSE(graphs_.empty()) << "a capture";
  graphs_.capture_ends(one, nullptr);
  EXPECT_TRUE(graphs_.empty()) << "that failed";
  graphs_.capture_begins(one);
  graphs_.capture_ends(two, graph);
  EXPECT_FALSE(graphs_.empty()) << "another stream ends no capture";
  graphs_.capture_ends(one, graph);
  EXPECT_FALSE(graphs_.empty()) << "a graph";
  graphs_.set_nodes(exec, graph);
  graphs_.forget_graph(graph);
  EXPECT_FALSE(graphs_.empty()) << "an executable graph";
  graphs_.forget_exec(exec);
  EXPECT_TRUE(graphs_.empty());
}

TEST_F(CapturedCalls, NodesOfOneStreamAreAChain) {
  graphs_.capture_begins(one);
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(add(one));
  EXPECT_FALSE(add(two));
  graphs_.capture_ends(one, graph);
  EXPECT_FALSE(add(one)) << "the capture has ended";
  const CapturedNodes& nodes = nodes_of(graph);
  EXPECT_EQ(after_of(nodes), (Lists{{}, {0}, {1}}));
  EXPECT_THAT(chains_of(nodes), ElementsAre(0, 0, 0));
  ASSERT_EQ(nodes.size(), 3U);
  EXPECT_THAT(nodes[1].accesses, ElementsAre(writes(101)));
  EXPECT_EQ(nodes[1].action.what, Name::of("k"));
  EXPECT_THAT(graphs_.nodes_of(other_exec), IsEmpty());
}

// A fork, a join in both directions, and a node beside both.
TEST_F(CapturedCalls, StreamsForkAndJoinThroughEvents) {
  graphs_.capture_begins(one);
  add(one);  // 0
  EXPECT_TRUE(graphs_.record(event, one));
  EXPECT_TRUE(graphs_.wait(two, event));
  EXPECT_FALSE(graphs_.wait(three, other_event)) << "recorded nowhere";
  add(two);  // 1: goes on with the chain of 0
  add(one);  // 2
  add(two);  // 3
  EXPECT_TRUE(graphs_.record(other_event, two));
  EXPECT_TRUE(graphs_.wait(one, other_event));
  EXPECT_TRUE(graphs_.wait(one, event)) << "it waits for that anyway";
  add(one);  // 4
  add(two);  // 5
  EXPECT_TRUE(graphs_.wait(three, event));
  add(three);  // 6
  graphs_.capture_ends(one, graph);
  const CapturedNodes& nodes = nodes_of(graph);
  EXPECT_EQ(after_of(nodes), (Lists{{}, {0}, {0}, {1}, {0, 2, 3}, {3}, {0}}));
  EXPECT_THAT(chains_of(nodes), ElementsAre(0, 0, 1, 0, 0, 2, 3));
}

// Node 4 could go on with the chains 0 and 1; it takes the first, however late it comes.
TEST_F(CapturedCalls, AJoinGoesOnWithTheFirstChain) {
  graphs_.capture_begins(one);
  add(one);  // 0
  graphs_.record(event, one);
  graphs_.wait(two, event);
  add(one);  // 1: chain 0
  add(two);  // 2: chain 1
  graphs_.record(event, one);
  graphs_.wait(two, event);
  add(two);  // 3: after 1 and 2
  graphs_.record(other_event, two);
  graphs_.wait(one, other_event);
  add(one);  // 4: after 1 and 3
  graphs_.capture_ends(one, graph);
  const CapturedNodes& nodes = nodes_of(graph);
  EXPECT_EQ(after_of(nodes), (Lists{{}, {0}, {0}, {1, 2}, {1, 3}}));
  EXPECT_THAT(chains_of(nodes), ElementsAre(0, 0, 1, 0, 0));
}

TEST_F(CapturedCalls, AnEventStandsForItsNewestRecord) {
  graphs_.capture_begins(one);
  graphs_.capture_begins(two);
  add(one);
  graphs_.record(event, one);
  EXPECT_TRUE(graphs_.record(event, two)) << "of another capture";
  EXPECT_TRUE(graphs_.wait(three, event));
  add(three);
  graphs_.capture_ends(one, graph);
  EXPECT_TRUE(add(three)) << "it joined the second capture";
  graphs_.capture_ends(two, other_graph);
  EXPECT_EQ(after_of(nodes_of(graph)), (Lists{{}}));
  EXPECT_EQ(after_of(nodes_of(other_graph)), (Lists{{}, {0}}));
}

TEST_F(CapturedCalls, ADestroyedEventAndOneThatWasRecordedAgainJoinNothing) {
  graphs_.capture_begins(one);
  add(one);
  graphs_.record(event, one);
  graphs_.forget_event(event);
  EXPECT_FALSE(graphs_.wait(two, event));
  graphs_.record(event, one);
  EXPECT_FALSE(graphs_.record(event, two)) << "recorded outside of the capture";
  EXPECT_FALSE(graphs_.wait(two, event));
  EXPECT_FALSE(add(two));
}

TEST_F(CapturedCalls, ADestroyedStreamLeavesCapturesAndEndsItsOwn) {
  graphs_.capture_begins(one);
  graphs_.capture_begins(three);
  graphs_.record(event, one);
  graphs_.wait(two, event);
  EXPECT_TRUE(add(two));
  graphs_.forget_stream(two);
  EXPECT_FALSE(add(two)) << "another stream may have its address";
  EXPECT_TRUE(add(one));
  EXPECT_TRUE(add(three));
  graphs_.forget_stream(one);
  EXPECT_FALSE(add(one));
  EXPECT_TRUE(add(three)) << "of another capture";
  graphs_.capture_ends(one, graph);
  EXPECT_THAT(nodes_of(graph), IsEmpty());
  graphs_.capture_ends(three, graph);
  EXPECT_EQ(nodes_of(graph).size(), 2U);
}

TEST_F(CapturedCalls, AnExecutableGraphKeepsItsNodesUntilItIsUpdated) {
  graphs_.capture_begins(one);
  add(one);
  graphs_.capture_ends(one, graph);
  graphs_.set_nodes(exec, graph);
  graphs_.forget_graph(graph);
  graphs_.set_nodes(exec, graph);
  EXPECT_EQ(graphs_.nodes_of(exec).size(), 1U)
      << "a graph that other code captured has no nodes here";
  graphs_.capture_begins(one);
  add(one);
  add(one);
  graphs_.capture_ends(one, graph);
  EXPECT_EQ(graphs_.nodes_of(exec).size(), 1U);
  graphs_.set_nodes(exec, graph);
  EXPECT_EQ(graphs_.nodes_of(exec).size(), 2U);
  graphs_.forget_exec(exec);
  EXPECT_THAT(graphs_.nodes_of(exec), IsEmpty());
}

/// Fills the record up to its next forgetting, with actions that the host knows to be done.
void forget(DeviceHistory& history) {
  const Action action{ActionKind::not_done, 0, no_point, line_7, {}, 0};
  for (int i = 0; i < 2000; ++i) history.on_host(action, {}, {});  // it keeps more
  std::size_t held = 0;
  while (history.held().actions > held) {
    held = history.held().actions;
    history.on_host(action, {}, {});
  }
}

class RecordedHistory : public testing::Test {
 protected:
  RecordedHistory() { history_.clear(); }
  Point kernel(const void* stream, std::vector<MemoryAccess> accesses = {}) {
    return history_.on_stream(stream, kernel_of("k"), no_point, accesses);
  }
  Point host(std::vector<Point> after = {}) {
    history_.on_host({ActionKind::synchronize, 0, no_point, line_7, {}, 0}, after, {});
    return static_cast<Point>(history_.size() - 1);
  }
  /// What the record calls the columns of a race's two sides.
  [[nodiscard]] std::pair<std::uint32_t, std::uint32_t> columns_of(std::size_t race = 0) const {
    const Finding finding = history_.report().findings.at(race);
    return {finding.first.action.column, finding.second.action.column};
  }
  DeviceHistory history_;
};

TEST_F(RecordedHistory, TheAddresses0To2AreDefaultStreams) {
  for (std::size_t i = 0; i < 4; ++i) kernel(reinterpret_cast<const void*>(i), {writes(100)});
  const std::string text = history_.report().timeline_text;
  EXPECT_THAT(text, HasSubstr("#3 kernel 'k' -> default stream"));
  EXPECT_THAT(text, HasSubstr("#4 kernel 'k' -> stream 4"));
  EXPECT_THAT(text,
              HasSubstr("  default stream    default stream    default stream    stream 4\n"));
}

TEST_F(RecordedHistory, TheNewestPointsComeByColumn) {
  std::vector<Point> expected;
  for (const std::size_t stream : {7U, 3U, 9U, 1U, 8U, 2U, 6U, 4U}) {
    expected.push_back(kernel(object(stream)));
  }
  history_.stream_destroyed(object(6), line_7);
  history_.stream_destroyed(object(9), line_7);
  EXPECT_EQ(history_.newest_points(), expected);
}

TEST_F(RecordedHistory, EachKindOfActionMayForget) {
  const std::function<void()> actions[] = {
      [&] { kernel(one); },
      [&] { host(); },
      [&] { history_.replay(exec, one, {}, line_7); },
      [&] { history_.stream_destroyed(one, line_7); },
      [&] { history_.recorded(event, one, line_7); },
  };
  for (const auto& action : actions) {
    history_.clear();
    for (int i = 0; i < 2048; ++i) action();
    EXPECT_EQ(history_.held().actions, 2048U);
    action();
    EXPECT_LT(history_.held().actions, 20U) << &action - actions;
  }
}

// The next forgetting comes after as many actions as the record then holds, and 2048.
TEST_F(RecordedHistory, ForgettingTakesAConstantTimeForEachAction) {
  std::vector<MemoryAccess> allocations;
  for (std::size_t i = 0; i < 40; ++i) {
    allocations.push_back({address(100 + i), 1, AccessKind::allocate});
  }
  const Point allocated = kernel(one, allocations);
  for (std::size_t i = 1; i <= 30; ++i)
    history_.recorded(object(i), i % 2 == 0 ? one : two, line_7);
  host({allocated});
  forget(history_);
  const RecordHeld held = history_.held();
  const std::size_t before = history_.size() - 1;  // the newest came after the forgetting
  std::size_t actions = held.actions;
  while (history_.held().actions >= actions) {
    actions = history_.held().actions;
    host();
  }
  const std::size_t kept = 30;
  EXPECT_EQ(history_.size() - 1 - before, kept + 2 + 2048 + (held.actions - 1) + 40);
}

TEST_F(RecordedHistory, StrandsOfDestroyedStreamsAndOfLaunchesAreUsedAgain) {
  CapturedNodes nodes;
  for (std::size_t i = 0; i < 3; ++i) nodes.push_back({kernel_of("n"), {}, {}, i});
  std::vector<std::size_t> strands;
  for (int i = 0; i < 5; ++i) {
    history_.replay(exec, one, nodes, line_7);
    strands.push_back(history_.held().strands);
    host({history_.last_of(one)});
    if (i > 0) history_.stream_destroyed(one, line_7);
    forget(history_);
  }
  EXPECT_THAT(strands, ElementsAre(4, 4, 5, 5, 5)) << "the newest launch keeps one";
}

TEST_F(RecordedHistory, ColumnsAreNumberedAsTheStreamsComeAndEachKeepsItsOrder) {
  kernel(one, {writes(100)});
  kernel(two, {writes(101)});
  kernel(one, {writes(100), writes(101)});
  EXPECT_EQ(columns_of(), std::pair(2U, 1U));
  EXPECT_EQ(history_.held().streams, 2U);
  EXPECT_EQ(history_.size(), 3U);
  EXPECT_EQ(history_.last_of(one), 2U);
  EXPECT_EQ(history_.last_of(three), no_point);
  EXPECT_THAT(history_.newest_points(), ElementsAre(2, 1, no_point)) << "by column";
}

TEST_F(RecordedHistory, AStreamWaitsForTheNewestRecord) {
  history_.waits(two, event, line_7);
  kernel(one, {writes(100)});
  history_.recorded(event, one, line_7);
  EXPECT_EQ(history_.record_of(event), 2U);
  EXPECT_EQ(history_.record_of(other_event), no_point);
  history_.waits(two, event, line_7);
  kernel(two, {writes(100)});
  EXPECT_TRUE(history_.report().clean());
  history_.recorded(event, two, line_7);
  EXPECT_EQ(history_.record_of(event), 5U);
  history_.forget_event(event);
  EXPECT_EQ(history_.record_of(event), no_point);
  history_.waits(three, event, line_7);
  kernel(three, {writes(100)});
  EXPECT_EQ(history_.report().findings.size(), 2U);
  const std::string text = history_.report().timeline_text;
  EXPECT_THAT(text, HasSubstr("#1 wait for an event never recorded -> stream 1  (program.cpp:7)"));
  EXPECT_THAT(text, HasSubstr("#3 event record"));
  EXPECT_THAT(text, HasSubstr("#4 wait for #3 -> stream 1  (program.cpp:7)")) << text;
  EXPECT_THAT(text, HasSubstr("#7 wait for an event never recorded"));
}

TEST_F(RecordedHistory, TheHostOrdersWhatItWaitedFor) {
  const Point work = kernel(one, {writes(100)});
  host();
  kernel(two, {writes(100)});
  EXPECT_EQ(history_.report().findings.size(), 1U) << "it waited for nothing";
  host({work});
  kernel(three, {writes(100)});
  EXPECT_EQ(history_.report().findings.size(), 2U) << "with the second, not with the first";
}

TEST_F(RecordedHistory, ALaunchOfAGraphIsItsNodesAndThenItself) {
  CapturedNodes nodes;
  for (std::size_t i = 0; i < 4; ++i) nodes.push_back({kernel_of("n"), {writes(100 + i)}, {}});
  nodes[1].after = {0};
  nodes[2] = {kernel_of("beside"), {writes(100), writes(110)}, {}, 1};
  nodes[3].after = {1, 2};
  nodes[3].accesses.push_back(writes(110));
  kernel(one);
  history_.replay(exec, one, nodes, line_7);
  EXPECT_EQ(history_.size(), 6U);
  EXPECT_EQ(history_.held().strands, 3U) << "host, stream, and the chain beside it";
  EXPECT_EQ(history_.last_of(one), 5U);
  RaceReport report = history_.report();
  ASSERT_EQ(report.findings.size(), 1U);
  EXPECT_THAT(report.findings[0].text,
              HasSubstr("#2 kernel 'n' in graph #6 on stream 1, at program.cpp:7"));
  EXPECT_THAT(report.findings[0].text, HasSubstr("#4 kernel 'beside' in graph #6 on stream 1"));
  EXPECT_THAT(report.timeline_text, HasSubstr("#6 graph -> stream 1  (program.cpp:7)\n"));
  // Later work of the stream comes after all nodes, and so does the next launch, on any stream.
  kernel(one, {writes(100), writes(101), writes(102), writes(103)});
  EXPECT_EQ(history_.report().findings.size(), 1U);
  history_.replay(exec, two, {{kernel_of("m"), {writes(110)}, {}}}, line_7);
  EXPECT_EQ(history_.report().findings.size(), 1U) << "launches of one graph are ordered";
  history_.replay(other_exec, three, {{kernel_of("m"), {writes(110)}, {}}}, line_7);
  EXPECT_EQ(history_.report().findings.size(), 4U) << "those of two graphs are not";
  history_.forget_exec(exec);
  history_.replay(exec, object(4), {{kernel_of("m"), {writes(103)}, {}}}, line_7);
  EXPECT_EQ(history_.report().findings.size(), 6U) << "another graph of the same address";
}

TEST_F(RecordedHistory, ChainsBesideTheStreamShareStrandsOfEarlierLaunches) {
  CapturedNodes nodes;
  for (std::size_t i = 0; i < 3; ++i) nodes.push_back({kernel_of("n"), {writes(100 + i)}, {}, i});
  history_.replay(exec, one, nodes, line_7);
  EXPECT_EQ(history_.held().strands, 4U);
  history_.replay(exec, one, nodes, line_7);
  EXPECT_EQ(history_.held().strands, 4U);
  EXPECT_TRUE(history_.report().clean());
  history_.replay(other_exec, two, nodes, line_7);
  EXPECT_EQ(history_.held().strands, 7U);
  EXPECT_EQ(history_.report().findings.size(), 6U) << "each node with two launches";
}

TEST_F(RecordedHistory, ADestroyedStreamsEndIsCoveredByAWaitForAll) {
  kernel(three);
  const Point last = kernel(one, {writes(100)});
  history_.stream_destroyed(one, line_7);
  history_.stream_destroyed(two, line_7);  // which has no work
  EXPECT_EQ(history_.held().streams, 2U);
  EXPECT_THAT(history_.newest_points(), ElementsAre(0, last)) << "by column";
  kernel(one, {writes(100)});
  ASSERT_EQ(history_.report().findings.size(), 1U) << "another stream of the same address";
  EXPECT_EQ(columns_of(), std::pair(2U, 4U));
  EXPECT_THAT(history_.report().timeline_text,
              HasSubstr("#3 destroys the stream  (program.cpp:7)"));
}

TEST_F(RecordedHistory, TheFirst20RacesHaveATextAndTheOthersCount) {
  for (std::size_t i = 0; i < 20; ++i) kernel(one, {writes(100 + i)});
  kernel(two, {writes(100, 20)});
  EXPECT_EQ(history_.report().findings.size(), 20U);
  EXPECT_EQ(history_.report().left_out, 0U);
  kernel(three, {writes(100, 1)});
  EXPECT_EQ(history_.report().findings.size(), 20U);
  EXPECT_EQ(history_.report().left_out, 2U);
  kernel(object(4), {writes(101, 1)});
  EXPECT_EQ(history_.report().left_out, 4U);
  history_.clear();
  EXPECT_TRUE(history_.report().clean());
  EXPECT_EQ(history_.report().left_out, 0U);
}

TEST_F(RecordedHistory, ClearRemovesEverything) {
  history_.replay(exec, one, {}, line_7);
  kernel(one);
  kernel(two);
  history_.stream_destroyed(two, line_7);
  history_.recorded(event, one, line_7);
  static_cast<void>(history_.await(0));
  history_.clear();
  EXPECT_EQ(history_.size(), 0U);
  EXPECT_EQ(history_.record_of(event), no_point);
  EXPECT_THAT(history_.newest_points(), IsEmpty());
  const RecordHeld held = history_.held();
  EXPECT_EQ(
      held.actions + held.moments + held.accesses + held.points + held.clock_parts + held.streams,
      0U);
  EXPECT_EQ(held.strands, 1U) << "the host";
  kernel(one, {writes(100)});
  history_.replay(exec, two, {{kernel_of("n"), {writes(100)}, {}}}, line_7);
  EXPECT_EQ(columns_of(), std::pair(1U, 2U)) << "no earlier launch orders them";
  history_.clear();
  for (int i = 0; i < 2049; ++i) host();
  EXPECT_EQ(history_.held().points, 2U) << "nothing waits for the first";
  EXPECT_EQ(DeviceHistory().report().left_out, 0U);
}

TEST_F(RecordedHistory, IsKeptWholeUpTo2048Actions) {
  for (std::size_t i = 0; i < 2048; ++i) host();
  EXPECT_EQ(history_.held().actions, 2048U);
  host();
  EXPECT_EQ(history_.held().actions, 13U) << "the surroundings of the newest";
  EXPECT_EQ(history_.held().points, 2U);
  EXPECT_EQ(history_.size(), 2049U);
  // The next time comes after as many actions as it held, and 2048.
  for (std::size_t i = 0; i < 2047; ++i) host();
  EXPECT_EQ(history_.held().actions, 2060U);
  for (std::size_t i = 0; i < 13 - 1; ++i) host();
  EXPECT_EQ(history_.held().actions, 2072U);
  host();
  EXPECT_EQ(history_.held().actions, 13U);
}

TEST_F(RecordedHistory, EventsLaunchesAndAwaitedPointsOutliveForgetting) {
  history_.recorded(event, one, line_7);
  history_.replay(exec, two, {}, line_7);
  const Point awaited = history_.await(kernel(three, {writes(100)}));
  EXPECT_EQ(history_.await(awaited), awaited);
  EXPECT_EQ(history_.await(no_point), no_point);
  kernel(one);
  kernel(two);
  kernel(three);
  forget(history_);
  EXPECT_EQ(history_.held().points, 3U + 3U + 2U)
      << "those, the streams' newest, and the host's two";
  history_.end_await(std::array{awaited, Point{1000}, no_point});
  forget(history_);
  EXPECT_EQ(history_.held().points, 8U) << "it is awaited twice";
  history_.end_await(std::array{awaited});
  history_.forget_event(event);
  history_.forget_exec(exec);
  forget(history_);
  EXPECT_EQ(history_.held().points, 5U);
}

// The end of a destroyed stream is kept, unless what comes after it stands for it.
TEST_F(RecordedHistory, OfDestroyedStreamsOnlyTheEndsThatNothingCoversAreKept) {
  const Point first = kernel(one);
  history_.recorded(event, one, line_7);
  history_.stream_destroyed(one, line_7);
  history_.waits(two, event, line_7);
  const Point second = kernel(two);
  history_.stream_destroyed(two, line_7);  // covers the first
  const Point third = kernel(three);
  history_.stream_destroyed(three, line_7);
  history_.forget_event(event);
  EXPECT_THAT(history_.newest_points(), ElementsAre(first + 1, second, third));
  forget(history_);
  EXPECT_THAT(history_.newest_points(), ElementsAre(second, third));
  EXPECT_EQ(history_.held().streams, 2U);
  host({third});
  forget(history_);
  EXPECT_THAT(history_.newest_points(), ElementsAre(second));
  // A stream that lives knows the other.
  history_.on_stream(object(4), kernel_of("k"), second, {});
  forget(history_);
  EXPECT_EQ(history_.held().streams, 1U);
}

TEST_F(RecordedHistory, ARaceOfLongAgoKeepsItsActions) {
  kernel(one, {{address(100), 8, AccessKind::allocate}});
  kernel(one, {writes(100)});
  kernel(two, {writes(100)});
  host({1, 2});
  const std::string text = history_.report().findings.back().text;
  const std::string table = history_.report().timeline_text;
  forget(history_);
  EXPECT_EQ(history_.report().findings.back().text, text);
  EXPECT_THAT(history_.report().timeline_text,
              testing::StartsWith(table.substr(0, table.size() - 1)));
}

TEST_F(RecordedHistory, AnAccessOfLongAgoKeepsItsSurroundings) {
  kernel(one, {writes(100)});
  forget(history_);
  kernel(two, {writes(100)});
  ASSERT_EQ(history_.report().findings.size(), 1U);
  const std::string text = history_.report().timeline_text;
  EXPECT_THAT(text, HasSubstr("* #1 kernel 'k' -> stream 1  (program.cpp:7)\n    #2 query"));
  EXPECT_THAT(text, HasSubstr("#13 query: not done  (program.cpp:7)\n    ...\n"));
}

TEST_F(RecordedHistory, AnAllocationOfLongAgoIsNamed) {
  host({kernel(one, {{address(100), 8, AccessKind::allocate}})});
  forget(history_);
  kernel(two, {writes(102)});
  kernel(three, {writes(102)});
  ASSERT_EQ(history_.report().findings.size(), 1U);
  EXPECT_THAT(history_.report().findings[0].text,
              HasSubstr("bytes 2 to 2 of #1 kernel 'k' on stream 1"));
}

/// A backend whose calls do nothing but return `status`, after `during`.
struct Idle {
  using native_stream = void*;
  using native_event = void*;
  using native_graph = void*;
  using native_graph_exec = void*;
  static inline int status = 0;
  static inline std::function<void()> during;
  static int called() noexcept {
    if (during) during();
    return status;
  }
  static int stream_destroy(void*) noexcept { return called(); }
  static int stream_synchronize(void*) noexcept { return called(); }
  static int stream_query(void*) noexcept { return called(); }
  static int device_synchronize() noexcept { return called(); }
  static int stream_wait(void*, void*) noexcept { return called(); }
  static int event_record(void*, void*) noexcept { return called(); }
  static int event_destroy(void*) noexcept { return called(); }
  static int event_synchronize(void*) noexcept { return called(); }
  static int event_query(void*) noexcept { return called(); }
  static int allocate(void*&, std::size_t, void*) noexcept { return called(); }
  static int deallocate(void*, void*) noexcept { return called(); }
  static int allocate_unordered(void*&, std::size_t) noexcept { return called(); }
  static int allocate_managed(void*&, std::size_t) noexcept { return called(); }
  static int host_allocate(void*&, std::size_t) noexcept { return called(); }
  static int deallocate_unordered(void*) noexcept { return called(); }
  static int host_deallocate(void*) noexcept { return called(); }
  static int copy(void*, const void*, std::size_t, CopyKind, void*) noexcept { return called(); }
  static int copy_2d(void*, std::size_t, const void*, std::size_t, std::size_t, std::size_t,
                     CopyKind, void*) noexcept {
    return called();
  }
  static int copy_peer(void*, int, const void*, int, std::size_t, void*) noexcept {
    return called();
  }
  static int fill(void*, unsigned char, std::size_t, void*) noexcept { return called(); }
  static int capture_begin(void*, CaptureMode) noexcept { return called(); }
  static int capture_end(void*, void*&) noexcept { return called(); }
  static int graph_instantiate(void*&, void*) noexcept { return called(); }
  static int graph_update(void*, void*, GraphChange&) noexcept { return called(); }
  static int graph_launch(void*, void*) noexcept { return called(); }
  static int graph_destroy(void*) noexcept { return called(); }
  static int graph_exec_destroy(void*) noexcept { return called(); }
};
using Told = Recorded<Idle>;
RaceRecorder& recorder() { return RaceRecorder::get(); }

class RecordedCalls : public testing::Test {
 protected:
  RecordedCalls() { recorder().begin(); }
  ~RecordedCalls() override {
    Idle::status = 0;
    Idle::during = nullptr;
    host::caller() = {};
    for (const std::size_t stream : {1U, 2U, 3U})
      recorder().stream_destroyed(object(stream), line_7);
    for (const std::size_t one_graph : {21U, 22U}) recorder().graph_destroyed(object(one_graph));
    for (const std::size_t one_exec : {31U, 32U}) recorder().executable_destroyed(object(one_exec));
    static_cast<void>(recorder().end());
  }
  RecordedCalls(const RecordedCalls&) = delete;
  RecordedCalls& operator=(const RecordedCalls&) = delete;

  static void write(void* stream, std::size_t number) {
    recorder().submitted(stream, ActionKind::kernel, std::array{writes(number)}, line_7,
                         Name::of("w"));
  }
  /// Whether work on another stream would race with the last `write` of the same memory.
  static bool races() {
    const bool found = !recorder().end().clean();
    recorder().begin();
    return found;
  }
  /// The record as the report shows it.
  static std::string table() {
    write(object(5), 200);
    write(object(6), 200);
    const std::string text = recorder().end().timeline_text;
    recorder().begin();
    return text;
  }
};

TEST_F(RecordedCalls, ACallThatFailsIsNotRecorded) {
  Idle::status = 5;
  void* made = object(100);
  GraphChange change{};
  const std::function<int()> calls[] = {
      [] { return Told::stream_synchronize(one); },
      [] { return Told::stream_query(one); },
      [] { return Told::device_synchronize(); },
      [] { return Told::stream_wait(one, event); },
      [] { return Told::event_record(event, one); },
      [] { return Told::event_synchronize(event); },
      [] { return Told::event_query(event); },
      [&] { return Told::allocate(made, 8, one); },
      [&] { return Told::allocate_unordered(made, 8); },
      [&] { return Told::allocate_managed(made, 8); },
      [&] { return Told::host_allocate(made, 8); },
      [&] { return Told::copy(made, made, 8, CopyKind::device_to_device, one); },
      [&] { return Told::copy_2d(made, 8, made, 8, 8, 1, CopyKind::device_to_device, one); },
      [&] { return Told::copy_peer(made, 0, made, 0, 8, one); },
      [&] { return Told::fill(made, 1, 8, one); },
      [] { return Told::capture_begin(one, CaptureMode::relaxed); },
      [&] { return Told::graph_instantiate(made, graph); },
      [&] { return Told::graph_update(exec, graph, change); },
      [] { return Told::graph_launch(exec, one); },
      [] { return Told::event_destroy(event); },
      [] { return Told::graph_destroy(graph); },
      [] { return Told::graph_exec_destroy(exec); },
  };
  for (const auto& call : calls) {
    Idle::status = 5;
    EXPECT_EQ(call(), 5) << &call - calls;
    EXPECT_EQ(recorder().size(), 0U) << &call - calls;
  }
  write(one, 100);
  EXPECT_EQ(recorder().size(), 1U) << "no capture has begun";
  // A free and the end of a stream are recorded first, since another may soon have the address.
  Idle::during = [] { EXPECT_EQ(recorder().size(), 2U); };
  EXPECT_EQ(Told::deallocate(made, one), 5);
  Idle::during = [] { EXPECT_EQ(recorder().size(), 3U); };
  EXPECT_EQ(Told::deallocate_unordered(made), 5);
  Idle::during = [] { EXPECT_EQ(recorder().size(), 4U); };
  EXPECT_EQ(Told::host_deallocate(made), 5);
  Idle::during = [] { EXPECT_EQ(recorder().size(), 5U); };
  EXPECT_EQ(Told::stream_destroy(one), 5);
}

TEST_F(RecordedCalls, EachIsAnActionOfItsKind) {
  void* made = object(100);
  host::caller().site = line_7;
  EXPECT_EQ(Told::allocate(made, 8, one), 0);
  EXPECT_EQ(Told::fill(made, 1, 7, one), 0);
  EXPECT_EQ(Told::copy(made, object(120), 6, CopyKind::host_to_device, one), 0);
  EXPECT_EQ(Told::copy_2d(made, 8, object(120), 8, 4, 2, CopyKind::host_to_device, one), 0);
  EXPECT_EQ(Told::copy_peer(made, 0, object(120), 0, 5, one), 0);
  EXPECT_EQ(Told::event_record(event, one), 0);
  EXPECT_EQ(Told::stream_wait(two, event), 0);
  EXPECT_EQ(Told::stream_wait(two, other_event), 0);
  EXPECT_EQ(Told::event_synchronize(event), 0);
  EXPECT_EQ(Told::event_query(event), 0);
  EXPECT_EQ(Told::stream_synchronize(one), 0);
  EXPECT_EQ(Told::stream_query(two), 0);
  EXPECT_EQ(Told::device_synchronize(), 0);
  EXPECT_EQ(Told::deallocate(made, one), 0);
  EXPECT_EQ(Told::allocate_unordered(made, 9), 0);
  EXPECT_EQ(Told::deallocate_unordered(made), 0);
  EXPECT_EQ(Told::allocate_managed(made, 10), 0);
  EXPECT_EQ(Told::host_deallocate(made), 0);
  EXPECT_EQ(Told::host_allocate(made, 11), 0);
  EXPECT_EQ(Told::graph_launch(exec, two), 0);
  EXPECT_EQ(Told::stream_destroy(two), 0);
  std::vector<std::string> actions;
  const std::string text = table();
  for (std::size_t at = text.find('#'); at != std::string::npos; at = text.find('#', at + 1)) {
    const bool begins = text.compare(at - 2, 2, "  ") == 0;
    if (begins) actions.push_back(text.substr(at, text.find('\n', at) - at));
  }
  const auto on = [](const char* action, const char* stream) {
    return std::string(action) + " -> " + stream + "  (program.cpp:7)";
  };
  const auto on_host = [](const char* action) { return std::string(action) + "  (program.cpp:7)"; };
  EXPECT_THAT(
      actions,
      ElementsAre(on("#1 allocation of 8 bytes", "stream 1"), on("#2 fill of 7 bytes", "stream 1"),
                  on("#3 copy of 6 bytes", "stream 1"), on("#4 copy of 8 bytes", "stream 1"),
                  on("#5 copy of 5 bytes", "stream 1"), on("#6 event record", "stream 1"),
                  on("#7 wait for #6", "stream 2"),
                  on("#8 wait for an event never recorded", "stream 2"),
                  on_host("#9 knows done: #6"), on_host("#10 knows done: #6"),
                  on_host("#11 knows done: #6"), on_host("#12 knows done: #8"),
                  on_host("#13 knows done: #8"), on("#14 free", "stream 1"),
                  on_host("#15 allocation of 9 bytes"), on_host("#16 free"),
                  on_host("#17 allocation of 10 bytes"), on_host("#18 free"),
                  on_host("#19 allocation of 11 bytes"), on("#20 graph", "stream 2"),
                  on_host("#21 destroys the stream")))
      << text;
}

TEST_F(RecordedCalls, AnEventThatIsDestroyedStandsForNothing) {
  write(one, 100);
  Told::event_record(event, one);
  Idle::during = [] {
    EXPECT_EQ(recorder().end_of_event(event), no_point) << "before the address is free";
  };
  EXPECT_EQ(Told::event_destroy(event), 0);
  Idle::during = nullptr;
  EXPECT_EQ(Told::event_synchronize(event), 0);
  EXPECT_EQ(recorder().end_of_event(event), no_point);
  write(two, 100);
  EXPECT_TRUE(races());
}

TEST_F(RecordedCalls, WhatTheHostWaitsForIsOrdered) {
  const std::function<int()> waits[] = {
      [] { return Told::stream_synchronize(one); }, [] { return Told::stream_query(one); },
      [] { return Told::device_synchronize(); },    [] { return Told::event_synchronize(event); },
      [] { return Told::event_query(event); },
  };
  for (const auto& wait : waits) {
    for (const int status : {0, 3}) {
      Idle::status = 0;
      write(one, 100);
      Told::event_record(event, one);
      Idle::status = status;
      EXPECT_EQ(wait(), status);
      write(two, 100);
      EXPECT_EQ(races(), status != 0) << &wait - waits;
    }
  }
}

// A wait that has ended, well or not, no longer keeps the point that it waited for.
TEST_F(RecordedCalls, AWaitThatHasEndedKeepsNothing) {
  for (const int status : {0, 3}) {
    recorder().begin();
    write(one, 100);
    Idle::status = status;
    EXPECT_EQ(Told::stream_synchronize(one), status);
    EXPECT_EQ(Told::device_synchronize(), status);
    write(one, 101);
    while (recorder().size() < 2049) recorder().on_host(ActionKind::not_done, {}, {}, line_7);
    EXPECT_EQ(recorder().held().points, 3U) << "the newest of the stream, and two of the host";
  }
}

TEST_F(RecordedCalls, CapturedWorkRunsWithEachLaunch) {
  void* made = graph;
  EXPECT_EQ(Told::capture_begin(one, CaptureMode::relaxed), 0);
  write(one, 100);
  write(one, 101);
  EXPECT_EQ(recorder().size(), 0U);
  EXPECT_EQ(Told::event_record(event, one), 0);
  EXPECT_EQ(Told::stream_wait(two, event), 0);
  EXPECT_EQ(recorder().size(), 0U);
  EXPECT_EQ(Told::capture_end(one, made), 0);
  void* executable = exec;
  EXPECT_EQ(Told::graph_instantiate(executable, graph), 0);
  EXPECT_EQ(Told::graph_launch(exec, one), 0);
  EXPECT_EQ(recorder().size(), 3U);
  // Destroyed before another can have the address.
  Idle::during = [] {
    recorder().graph_set(other_exec, graph);
    recorder().graph_launched(other_exec, one, line_7);
    EXPECT_EQ(recorder().size(), 4U);
  };
  EXPECT_EQ(Told::graph_destroy(graph), 0);
  Idle::during = [] {
    recorder().graph_launched(exec, one, line_7);
    EXPECT_EQ(recorder().size(), 5U);
  };
  EXPECT_EQ(Told::graph_exec_destroy(exec), 0);
}

// A record in a capture replaces an ordinary one, also after the capture.
TEST_F(RecordedCalls, AnEventThatACaptureRecordsNoLongerStandsForEarlierWork) {
  void* made = graph;
  write(one, 100);
  Told::event_record(event, one);
  Told::capture_begin(two, CaptureMode::relaxed);
  Told::event_record(event, two);
  EXPECT_EQ(recorder().end_of_event(event), no_point);
  Told::capture_end(two, made);
  Told::stream_wait(three, event);
  write(three, 100);
  EXPECT_TRUE(races());
  // A destroyed event joins no capture, whoever has its address then.
  Told::capture_begin(two, CaptureMode::relaxed);
  Told::event_record(event, two);
  Told::event_destroy(event);
  Told::stream_wait(one, event);
  EXPECT_EQ(recorder().size(), 1U) << "an ordinary wait";
  Told::capture_end(two, made);
}

TEST_F(RecordedCalls, AGraphOfADestroyedOnesAddressIsAnother) {
  for (const bool destroyed : {false, true}) {
    recorder().begin();
    for (void* const stream : {one, two}) {
      void* made = graph;
      Told::capture_begin(three, CaptureMode::relaxed);
      write(three, 100);
      Told::capture_end(three, made);
      void* executable = exec;
      Told::graph_instantiate(executable, graph);
      Told::graph_launch(exec, stream);
      if (destroyed) Told::graph_exec_destroy(exec);
    }
    EXPECT_EQ(races(), destroyed) << "the launches of one graph are ordered";
  }
}

TEST_F(RecordedCalls, AnOpenCaptureDoesNotMakeANewRecordIncomplete) {
  recorder().capture_begins(one);
  recorder().begin();
  EXPECT_TRUE(recorder().end().clean());
}

TEST_F(RecordedCalls, ACaptureThatFailsLeavesNoGraph) {
  void* made = graph;
  EXPECT_EQ(Told::capture_begin(one, CaptureMode::relaxed), 0);
  write(one, 100);
  Idle::status = 4;
  EXPECT_EQ(Told::capture_end(one, made), 4);
  Idle::status = 0;
  void* executable = exec;
  EXPECT_EQ(Told::graph_instantiate(executable, graph), 0);
  EXPECT_EQ(Told::graph_launch(exec, one), 0);
  EXPECT_EQ(recorder().size(), 1U) << "the launch alone";
  write(one, 100);
  EXPECT_EQ(recorder().size(), 2U) << "the stream captures no longer";
}

TEST_F(RecordedCalls, AnUpdateGivesAGraphItsNewNodes) {
  void* made = graph;
  void* executable = exec;
  GraphChange change{};
  Told::capture_begin(one, CaptureMode::relaxed);
  write(one, 100);
  Told::capture_end(one, made);
  Told::graph_instantiate(executable, graph);
  Told::capture_begin(one, CaptureMode::relaxed);
  write(one, 100);
  write(one, 101);
  made = other_graph;
  Told::capture_end(one, made);
  EXPECT_EQ(Told::graph_update(exec, other_graph, change), 0);
  EXPECT_EQ(Told::graph_launch(exec, two), 0);
  EXPECT_EQ(recorder().size(), 3U);
}

struct Shown {
  struct Memory {
    const void* begin;
    std::uint64_t bytes;
  };
  KernelEntry entry;
  const Memory* memory;
  void* stream;
  void* const* values = nullptr;  // of structures
};

// What a launch touches, shown by races with a write to each byte.
TEST_F(RecordedCalls, ALaunchTouchesItsSpansAndTheAllocationsOfItsPointers) {
  constexpr std::uint32_t pointer = sizeof(void*);
  const ParameterInfo parameters[] = {
      {pointer, 8, true, true},     {2 * pointer, 8, true, false}, {2 * pointer, 8, true, true},
      {pointer, 8, false, false},   {pointer / 2, 4, true, true},  {pointer, 8, true, true},
      {2 * pointer, 8, true, true}, {pointer, 8, true, true},
  };
  const Shown::Memory memory[] = {
      {object(102), 2},                  // an allocation: all of it
      {object(112), 3},                  // a span: three bytes, read
      {object(122), ~std::uint64_t{0}},  // a span of unknown size: all of the allocation
      {object(130), 1},                  // a number
      {object(140), 1},                  // too small for a pointer
      {nullptr, 1},                      // no memory
      {nullptr, 1},                      // no memory
      {object(152), 2},                  // an allocation, again
  };
  const Shown shown{{nullptr, nullptr, parameters, 8}, memory, two};
  host::caller() = {line_7, Name::of("launched")};
  std::vector<std::size_t> written;
  std::vector<std::size_t> touched;
  for (std::size_t byte = 96; byte < 164; ++byte) {
    for (const bool writes_too : {false, true}) {
      recorder().begin();
      for (const std::size_t first : {100U, 110U, 120U, 130U, 140U, 150U}) {
        recorder().submitted(one, ActionKind::allocate,
                             std::array{MemoryAccess{address(first), 8, AccessKind::allocate}},
                             line_7);
      }
      Told::stream_synchronize(one);
      Told::launched(shown);
      const MemoryAccess access{address(byte), 1,
                                writes_too ? AccessKind::write : AccessKind::read};
      recorder().submitted(three, ActionKind::kernel, std::array{access}, line_7);
      const RaceReport report = recorder().end();
      if (!report.clean()) {
        (writes_too ? touched : written).push_back(byte);
        EXPECT_THAT(report.findings[0].text,
                    HasSubstr("kernel 'launched' on stream 2, at program.cpp:7"));
      }
    }
  }
  EXPECT_THAT(written, ElementsAre(100, 101, 102, 103, 104, 105, 106, 107, 120, 121, 122, 123, 124,
                                   125, 126, 127, 150, 151, 152, 153, 154, 155, 156, 157));
  EXPECT_THAT(touched,
              ElementsAre(100, 101, 102, 103, 104, 105, 106, 107, 112, 113, 114, 120, 121, 122, 123,
                          124, 125, 126, 127, 150, 151, 152, 153, 154, 155, 156, 157));
}

TEST_F(RecordedCalls, ALibrarysCallTouchesWhatItsArgumentsPointTo) {
  Told::library_called(one, Name::of("gemm"), line_7, [](const auto& visit) {
    visit(object(100), true);
    visit(object(101), false);
    visit(static_cast<const void*>(nullptr), true);
  });
  for (std::size_t byte = 100; byte < 102; ++byte) {
    recorder().submitted(two, ActionKind::copy, std::array{MemoryAccess{address(byte), 1}}, line_7);
  }
  const RaceReport report = recorder().end();
  ASSERT_EQ(report.findings.size(), 1U) << "both read the second";
  EXPECT_EQ(report.findings[0].first.action.bytes, 0U) << "not known";
  EXPECT_EQ(report.findings[0].second.action.bytes, 1U);
  EXPECT_THAT(report.text(),
              HasSubstr("#1 kernel 'gemm' on stream 1, at program.cpp:7, writes 1 bytes"));
}

TEST_F(RecordedCalls, TheSizeOfAnActionIsThatOfItsFirstAccess) {
  struct Row {
    ActionKind kind;
    std::vector<MemoryAccess> accesses;
    const char* text;
  };
  const Row rows[] = {
      {ActionKind::copy, {}, "#1 copy -> stream 1  (program.cpp:7)\n"},
      {ActionKind::copy,
       {writes(100, 6), writes(110, 2)},
       "#1 copy of 6 bytes -> stream 1  (program.cpp:7)\n"},
      {ActionKind::copy,
       {{address(100), 6, AccessKind::write, 3, 8}},
       "#1 copy of 18 bytes -> stream 1  (program.cpp:7)\n"},
      {ActionKind::copy,
       {writes(100, MemoryAccess::whole_allocation)},
       "#1 copy -> stream 1  (program.cpp:7)\n"},
      {ActionKind::fill, {writes(100, 2)}, "#1 fill of 2 bytes -> stream 1  (program.cpp:7)\n"},
      {ActionKind::kernel, {writes(100, 2)}, "#1 kernel -> stream 1  (program.cpp:7)\n"},
  };
  for (const Row& row : rows) {
    recorder().submitted(one, row.kind, row.accesses, line_7);
    EXPECT_THAT(table(), HasSubstr(row.text));
  }
  const std::array accesses = {writes(100, 6)};
  recorder().on_host(ActionKind::host_write, {}, accesses, line_7);
  EXPECT_THAT(table(), HasSubstr("#1 write of 6 bytes  (program.cpp:7)\n"));
}

TEST_F(RecordedCalls, NothingIsRecordedBeforeTheBeginningAndAfterTheEnd) {
  write(one, 100);
  static_cast<void>(recorder().end());
  write(one, 100);
  Told::event_record(event, one);
  Told::stream_wait(one, event);
  Told::stream_synchronize(one);
  Told::graph_launch(exec, one);
  Told::stream_destroy(two);
  EXPECT_EQ(recorder().size(), 1U);
  EXPECT_EQ(recorder().end_of_stream(one), no_point);
  recorder().begin();
  EXPECT_EQ(recorder().size(), 0U);
}

TEST_F(RecordedCalls, OfARecordWithoutMemoryTheReportSaysSo) {
  recorder().attempt([] { throw std::bad_alloc(); });
  write(one, 100);
  EXPECT_EQ(recorder().size(), 0U) << "the record has ended";
  RaceReport report = recorder().end();
  ASSERT_EQ(report.findings.size(), 1U);
  EXPECT_EQ(report.findings[0].mistake, Mistake::failure);
  EXPECT_EQ(report.text(), "The record is incomplete\n  the host had no memory left for it\n");
  recorder().begin();
  EXPECT_TRUE(recorder().end().clean()) << "a new record is whole";
  // Graphs from an incomplete record may lack nodes.
  recorder().begin();
  recorder().capture_begins(one);
  recorder().attempt([] { throw std::bad_alloc(); });
  recorder().begin();
  EXPECT_FALSE(recorder().end().clean());
  recorder().stream_destroyed(one, line_7);
  recorder().begin();
  EXPECT_TRUE(recorder().end().clean());
  recorder().attempt([] {});
  EXPECT_TRUE(recorder().end().clean());
}

}  // namespace
}  // namespace warpsafe::debug
