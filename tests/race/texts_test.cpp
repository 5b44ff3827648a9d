// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// The exact texts of a report, of histories and races that the test makes by hand.

#include <warpsafe/race/race_report.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <random>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

namespace warpsafe::debug {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr call_site unknown_site{nullptr, nullptr, 0};
constexpr call_site site_7{"some/folder/program.cpp", "main", 7};

[[nodiscard]] Action action_of(ActionKind kind, std::uint32_t column, Point after = no_point) {
  return {kind, column, after, site_7, {}, 0};
}
[[nodiscard]] Action named(const char* name, std::uint32_t column) {
  Action action = action_of(ActionKind::kernel, column);
  action.what = Name::of(name);
  return action;
}
[[nodiscard]] Action sized(ActionKind kind, std::uint32_t column, std::size_t bytes) {
  Action action = action_of(kind, column);
  action.bytes = bytes;
  return action;
}
/// A history with columns for streams; the second stream is a default stream.
[[nodiscard]] StreamHistory history_with(std::size_t streams) {
  StreamHistory history;
  for (std::size_t i = 1; i <= streams; ++i) history.is_default.push_back(i == 2);
  return history;
}
/// Adds the action, and its run.
Point run_of(StreamHistory& history, const Action& action) {
  const Point point = history.add(action);
  history.happens(point, false);
  return point;
}
[[nodiscard]] std::size_t lines_of(const std::string& text) {
  return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
}

TEST(RaceTexts, OfEachAction) {
  Action waits = action_of(ActionKind::wait, 1, 4);
  Action knows = action_of(ActionKind::synchronize, 0, 0);
  const std::pair<Action, const char*> rows[] = {
      {action_of(ActionKind::kernel, 1), "kernel"},
      {named("axpy", 1), "kernel 'axpy'"},
      {action_of(ActionKind::graph, 1), "graph"},
      {action_of(ActionKind::copy, 1), "copy"},
      {sized(ActionKind::copy, 1, 1), "copy of 1 bytes"},
      {sized(ActionKind::fill, 1, 2), "fill of 2 bytes"},
      {sized(ActionKind::allocate, 1, 3), "allocation of 3 bytes"},
      {sized(ActionKind::host_allocate, 0, 4), "allocation of 4 bytes"},
      {sized(ActionKind::release, 1, 5), "free of 5 bytes"},
      {sized(ActionKind::host_release, 0, 6), "free of 6 bytes"},
      {action_of(ActionKind::record, 1), "event record"},
      {action_of(ActionKind::wait, 1), "wait"},
      {waits, "wait for #5"},
      {sized(ActionKind::host_read, 0, 7), "read of 7 bytes"},
      {sized(ActionKind::host_write, 0, 8), "write of 8 bytes"},
      {action_of(ActionKind::synchronize, 0), "synchronize"},
      {knows, "knows done: #1"},
      {action_of(ActionKind::not_done, 0), "query: not done"},
      {action_of(ActionKind::empty_wait, 1), "wait for an event never recorded"},
      {action_of(ActionKind::destroy_stream, 0), "destroys the stream"},
      {action_of(ActionKind::use_after_destroy, 0), "uses the destroyed stream"},
  };
  for (const auto& [action, text] : rows) EXPECT_EQ(action_text(action), text);
}

TEST(RaceTexts, AnActionWithItsColumnGraphAndLine) {
  StreamHistory history = history_with(2);
  history.add(named("a", 1));
  history.add(action_of(ActionKind::synchronize, 0));
  Action node = named("b", 2);
  node.graph = 3;
  node.site = {"plain.cpp", "main", 12};
  history.add(node);
  Action launched = action_of(ActionKind::graph, 2);
  launched.site = unknown_site;
  history.add(launched);
  EXPECT_EQ(describe(history, 0), "#1 kernel 'a' on stream 1, at program.cpp:7");
  EXPECT_EQ(describe(history, 1), "#2 synchronize by the host, at program.cpp:7");
  EXPECT_EQ(describe(history, 2), "#3 kernel 'b' in graph #4 on default stream, at plain.cpp:12");
  EXPECT_EQ(describe(history, 3), "#4 graph on default stream, from an unknown line");
}

TEST(RaceTimeline, ColumnsAreAsWideAsTheirLongestLine) {
  StreamHistory history = history_with(2);
  const Point copy = history.add(sized(ActionKind::copy, 1, 64));
  history.happens(copy, true);
  history.happens(copy, false);
  const Point kernel = history.add(named("k", 2));
  history.happens(kernel, false);
  Action knows = action_of(ActionKind::synchronize, 0);
  knows.site = unknown_site;
  const Point host = run_of(history, knows);
  EXPECT_EQ(
      timeline(history, std::vector{kernel}),
      "    host                                                stream 1               default stream\n"
      "    #1 copy of 64 bytes -> stream 1  (program.cpp:7)\n"
      "                                                        #1 copy of 64 bytes\n"
      "                                                                             * #2 kernel 'k'\n"
      "    #3 synchronize\n");
  EXPECT_EQ(
      timeline(history, std::vector{copy, host}),
      "    host                                                stream 1               default stream\n"
      "  * #1 copy of 64 bytes -> stream 1  (program.cpp:7)\n"
      "                                                      * #1 copy of 64 bytes\n"
      "                                                                               #2 kernel 'k'\n"
      "  * #3 synchronize\n");
}

TEST(RaceTimeline, OfNothingIsItsHeading) {
  EXPECT_EQ(timeline(StreamHistory{}, {}), "    host\n");
  EXPECT_EQ(timeline(history_with(3), {}), "    host    stream 1    default stream    stream 3\n");
}

TEST(RaceTimeline, ARunOf60MomentsIsShownWhole) {
  StreamHistory history;
  for (std::size_t i = 0; i < 60; ++i) run_of(history, action_of(ActionKind::not_done, 0));
  EXPECT_EQ(lines_of(timeline(history, {})), 61U);
  EXPECT_EQ(timeline(history, {}).find("..."), std::string::npos);
  run_of(history, action_of(ActionKind::not_done, 0));
  EXPECT_EQ(timeline(history, {}), "    host\n    ...\n") << "nothing is marked";
}

// 12 moments before a marked one and 12 after it, and dots for what is left out.
TEST(RaceTimeline, OfALongRunTheSurroundingsOfMarksAreShown) {
  struct {
    std::vector<Point> marked;
    std::vector<std::pair<Point, Point>> shown;  // ranges, both ends included
  } rows[] = {
      {{50}, {{38, 62}}}, {{0}, {{0, 12}}},      {{12}, {{0, 24}}},
      {{13}, {{1, 25}}},  {{99}, {{87, 99}}},    {{87}, {{75, 99}}},
      {{86}, {{74, 98}}}, {{20, 45}, {{8, 57}}}, {{20, 46}, {{8, 32}, {34, 58}}},
  };
  for (const auto& row : rows) {
    StreamHistory history;
    for (std::size_t i = 0; i < 100; ++i) run_of(history, action_of(ActionKind::not_done, 0));
    std::string expected = "    host\n";
    Point next = 0;
    for (const auto& [first, last] : row.shown) {
      if (first != next) expected += "    ...\n";
      for (Point point = first; point <= last; ++point) {
        const bool marked = std::count(row.marked.begin(), row.marked.end(), point) != 0;
        expected += std::string(marked ? "  * #" : "    #") + std::to_string(point + 1) +
                    " query: not done  (program.cpp:7)\n";
      }
      next = last + 1;
    }
    if (next != 100) expected += "    ...\n";
    EXPECT_EQ(timeline(history, row.marked), expected) << row.marked.front();
    // What a later report of these marks does not show may be forgotten.
    history.forget(row.marked, {});
    EXPECT_THAT(timeline(history, row.marked),
                testing::StartsWith(expected.substr(0, expected.size() - (next != 100 ? 8 : 0))));
  }
}

TEST(RaceTimeline, OfMoreThan64ColumnsOnlyThoseInUseAreShown) {
  for (const std::size_t streams : {63U, 64U}) {
    StreamHistory history = history_with(streams);
    const Point point = run_of(history, named("k", 5));
    const std::string table = timeline(history, std::vector{point});
    if (streams == 63) {  // with the host, 64 columns
      EXPECT_THAT(table, HasSubstr("stream 4    stream 5         stream 6    stream 7"));
      continue;
    }
    EXPECT_EQ(table,
              "    host    stream 5\n"
              "          * #1 kernel 'k'\n")
        << "the host's column is always there";
  }
}

TEST(RaceHistory, ForgetsAllButTheSurroundingsOfMarksTheNewestAndTheNamed) {
  StreamHistory history;
  history.happens(history.add(action_of(ActionKind::not_done, 0)), false);
  for (Point i = 1; i < 100; ++i) run_of(history, action_of(ActionKind::not_done, 0));
  const Point without_moment = history.add(named("not run", 1));
  history.forget({without_moment, 40, 41}, {7, 6, 5, 7});
  std::vector<Point> kept;
  std::vector<Point> expected = {5, 6, 7};
  for (Point i = 28; i <= 53; ++i) expected.push_back(i);
  for (Point i = 88; i <= 99; ++i) expected.push_back(i);
  for (const auto& each : history.moments()) {
    EXPECT_EQ(each.number, each.moment.action);
    kept.push_back(each.moment.action);
  }
  EXPECT_EQ(kept, expected);
  EXPECT_EQ(history.held(), expected.size() + 1);
  EXPECT_EQ(action_text(history[without_moment]), "kernel 'not run'");
  EXPECT_EQ(history.size(), 101U);
  EXPECT_EQ(history.happened(), 100U);
  EXPECT_EQ(run_of(history, named("later", 0)), 101U);
  EXPECT_EQ(action_text(history[101]), "kernel 'later'");
  EXPECT_EQ(history.moments().back().number, 100U);
  history.is_default.push_back(true);
  history.clear();
  EXPECT_EQ(history.size() + history.held() + history.happened() + history.moments().size(), 0U);
  EXPECT_THAT(history.is_default, ElementsAre(true));
  EXPECT_EQ(run_of(history, named("first", 0)), 0U);
  EXPECT_EQ(history.moments().front().number, 0U);
}

TEST(RaceHistory, ANewHistoryCountsFromZero) {
  StreamHistory history;
  EXPECT_EQ(history.size(), 0U);
  EXPECT_EQ(history.happened(), 0U);
  history.happens(history.add(named("a", 0)), false);
  EXPECT_EQ(history.moments().front().number, 0U);
  for (Point i = 1; i < 100; ++i) {
    history.make_room();
    const Action* const place = &history[0];
    history.add(named("b", 0));
    EXPECT_EQ(&history[0], place) << "the room was there";
    EXPECT_EQ(history.held(), i + 1U);
  }
}

/// Points 0 to 4 of the texts below: a host write, kernels on streams 1 and 2, a node, its graph.
[[nodiscard]] StreamHistory five_actions() {
  StreamHistory history = history_with(3);
  run_of(history, sized(ActionKind::host_write, 0, 16));
  run_of(history, named("a", 1));
  run_of(history, named("b", 3));
  Action node = named("n", 3);
  node.graph = 5;
  run_of(history, node);
  run_of(history, node);
  run_of(history, action_of(ActionKind::graph, 3));
  return history;
}
[[nodiscard]] Race race_of(Point first, Point second) {
  Race race{};
  race.first = first;
  race.second = second;
  race.first_access = {100, 16, AccessKind::read};
  race.second_access = {108, 16, AccessKind::write};
  race.allocated = no_point;
  return race;
}

TEST(RaceRemedies, OfEachPairOfSides) {
  const StreamHistory history = five_actions();
  struct Row {
    Point first, second;
    const char* remedy;
  };
  const Row rows[] = {
      {0, 1, "let the host access the memory before it submits #2"},
      {0, 3, "let the host access the memory before it submits #6"},
      {1, 0, "wait for stream 1, or for an event after #2"},
      {3, 0, "wait for stream 3, or for an event after #6"},
      {1, 2, "record an event on stream 1 after #2 and let stream 3 wait for it before #3"},
      {1, 3, "record an event on stream 1 after #2 and let stream 3 wait for it before #6"},
      {3, 1, "record an event on stream 3 after #6 and let stream 1 wait for it before #2"},
      {3, 4, "inside a graph: capture one after the other"},
  };
  for (const Row& row : rows) {
    EXPECT_EQ(detail::remedy(history, race_of(row.first, row.second)), row.remedy);
  }
  Race race = race_of(1, 2);
  race.second_access.kind = AccessKind::release;
  EXPECT_EQ(detail::remedy(history, race),
            "call used_on of the buffer with stream 1 after #2, or record an event on stream 1 "
            "after #2 and let stream 3 wait for it before #3");
  race.second = 0;
  EXPECT_EQ(detail::remedy(history, race),
            "call used_on of the buffer with stream 1 after #2, or wait for stream 1, or for an "
            "event after #2");
  race = race_of(1, 2);
  race.ordered = true;
  EXPECT_EQ(detail::remedy(history, race), "free it after its last use");
  race.ordered = false;
  race.overlap.exists = true;
  EXPECT_EQ(
      detail::remedy(history, race),
      "call wait_for_predecessor() in kernel 'b' before this access: in each thread, or in one "
      "thread and then sync_block() in all");
  race.overlap.after_wait = true;
  EXPECT_EQ(detail::remedy(history, race),
            "the wait of #3 does not cover #2: a kernel between them never waits; call "
            "wait_for_predecessor() there");
  race.overlap.through = 3;
  EXPECT_EQ(
      detail::remedy(history, race),
      "the wait of #3 does not cover #2: between them, #4 kernel 'n' in graph #6 on stream 3, at "
      "program.cpp:7, never waits; call wait_for_predecessor() there");
}

TEST(RaceFindings, OfARace) {
  const StreamHistory history = five_actions();
  Race race = race_of(1, 2);
  const Finding outside = finding_of(history, race);
  EXPECT_EQ(outside.mistake, Mistake::race);
  EXPECT_EQ(outside.first.access, AccessKind::read);
  EXPECT_EQ(outside.second.access, AccessKind::write);
  EXPECT_EQ(outside.first.action.what, Name::of("a"));
  EXPECT_EQ(outside.second.action.what, Name::of("b"));
  EXPECT_EQ(outside.text,
            "Race: nothing orders these two\n"
            "  #2 kernel 'a' on stream 1, at program.cpp:7, reads 16 bytes\n"
            "  #3 kernel 'b' on stream 3, at program.cpp:7, writes 16 bytes\n"
            "  of memory that was not allocated here\n"
            "  record an event on stream 1 after #2 and let stream 3 wait for it before #3\n");
  race.allocation = 90;
  race.allocated = 0;
  race.freed_before = 1;
  EXPECT_THAT(
      finding_of(history, race).text,
      HasSubstr("  bytes 18 to 25 of #1 write of 16 bytes by the host, at program.cpp:7\n"
                "  freed earlier by #2 kernel 'a' on stream 1, at program.cpp:7, and "
                "allocated again: one of the two may be meant for the earlier allocation\n"));
  std::swap(race.first_access, race.second_access);
  race.second_access.bytes = 20;  // 100 to 119
  race.first_access.bytes = 4;    // 108 to 111
  EXPECT_THAT(finding_of(history, race).text, HasSubstr("  bytes 18 to 21 of #1"));
}

TEST(RaceFindings, OfMemoryThatIsFreed) {
  const StreamHistory history = five_actions();
  Race race = race_of(0, 2);
  race.ordered = true;
  race.first_access.kind = AccessKind::release;
  race.second_access.kind = AccessKind::allocate;
  const Finding finding = finding_of(history, race);
  EXPECT_EQ(finding.mistake, Mistake::use_after_release);
  EXPECT_EQ(finding.text,
            "Use after free: the first of these frees the memory\n"
            "  #1 write of 16 bytes by the host, at program.cpp:7, frees 16 bytes\n"
            "  #3 kernel 'b' on stream 3, at program.cpp:7, allocates 16 bytes\n"
            "  of memory that was not allocated here\n"
            "  free it after its last use\n");
}

TEST(RaceFindings, NameEachKindOfAccess) {
  EXPECT_STREQ(detail::access_text(AccessKind::read), "reads");
  EXPECT_STREQ(detail::access_text(AccessKind::write), "writes");
  EXPECT_STREQ(detail::access_text(AccessKind::allocate), "allocates");
  EXPECT_STREQ(detail::access_text(AccessKind::release), "frees");
  EXPECT_STREQ(detail::access_text(static_cast<AccessKind>(9)), "");
}

TEST(RaceFindings, OfAnOverlap) {
  const StreamHistory history = five_actions();
  Race race = race_of(1, 2);
  race.overlap.exists = true;
  const auto lines = [](const char* how) {
    return std::string(
               "Race: a dependent launch lets these two overlap\n"
               "  #2 kernel 'a' on stream 1, at program.cpp:7, reads 16 bytes\n"
               "  #3 kernel 'b' on stream 3, at program.cpp:7, writes ") +
           how + "\n  of memory that was not allocated here\n  ";
  };
  EXPECT_THAT(finding_of(history, race).text, HasSubstr(lines("before its wait")));
  race.overlap.after_wait = true;
  EXPECT_THAT(finding_of(history, race).text, HasSubstr(lines("after its wait")));
  race.overlap.wait = {"kernels.hpp", "b", 31};
  EXPECT_THAT(finding_of(history, race).text, HasSubstr(lines("after its wait at kernels.hpp:31")));
  race.overlap.exists = false;
  EXPECT_THAT(finding_of(history, race).text, HasSubstr("writes 16 bytes\n"));
}

TEST(RaceFindings, OfOneSide) {
  const StreamHistory history = five_actions();
  const Finding destroyed = finding_of(history, 0, 1);
  EXPECT_EQ(destroyed.mistake, Mistake::use_after_destroy);
  EXPECT_EQ(destroyed.first.access, AccessKind::release);
  EXPECT_EQ(destroyed.second.access, AccessKind::read);
  EXPECT_EQ(destroyed.text,
            "Use of a destroyed stream: another stream may already have its address\n"
            "  #1 write of 16 bytes by the host, at program.cpp:7\n"
            "  #2 kernel 'a' on stream 1, at program.cpp:7\n"
            "  keep the stream alive as long as anything that is bound to it\n");
  const Finding wait = missing_wait(history, 2);
  EXPECT_EQ(wait.mistake, Mistake::missing_wait);
  EXPECT_EQ(wait.text,
            "Missing wait: no thread of this kernel waited for its predecessor\n"
            "  #3 kernel 'b' on stream 3, at program.cpp:7, with dependent_launch\n"
            "  call wait_for_predecessor() in the kernel before it uses what an earlier kernel "
            "writes, or launch it without dependent_launch\n");
  const Finding unwritten = unwritten_read(history, 2);
  EXPECT_EQ(unwritten.mistake, Mistake::unwritten_read);
  EXPECT_EQ(unwritten.text,
            "Read of memory that nothing has written\n"
            "  #3 kernel 'b' on stream 3, at program.cpp:7, adds to it by atomic_add\n"
            "  write the memory first, on this stream or before it: zero(stream), a copy or "
            "a kernel\n");
  const Finding failure = finding_of(Mistake::failure, "it failed\n");
  EXPECT_EQ(failure.text, "it failed\n");
  EXPECT_EQ(failure.first.action.kind, ActionKind::not_done);
  EXPECT_EQ(failure.first.action.column + failure.second.action.column, 0U);
  EXPECT_TRUE(failure.first.action.what.empty());
  EXPECT_EQ(failure.first.action.bytes + failure.first.action.site.line, 0U);
}

TEST(RaceFindings, MarkTheirActionsInTheTimeline) {
  const StreamHistory history = five_actions();
  const auto stars = [&](const RaceReport& report) {
    std::vector<bool> marked;
    for (Point i = 0; i < 6; ++i) {
      marked.push_back(report.timeline_text.find("* #" + std::to_string(i + 1)) !=
                       std::string::npos);
    }
    return marked;
  };
  const std::vector<Race> races = {race_of(1, 2)};
  const std::vector<std::pair<Point, Point>> uses = {{0, 3}};
  const std::vector<std::pair<Point, Mistake>> waits = {{4, Mistake::missing_wait}};
  RaceReport report;
  add_findings(report, history, races, {});
  EXPECT_THAT(stars(report), ElementsAre(false, true, true, false, false, false));
  report = {};
  add_findings(report, history, {}, uses);
  EXPECT_THAT(stars(report), ElementsAre(true, false, false, true, false, false));
  report = {};
  add_findings(report, history, {}, {}, waits);
  EXPECT_THAT(stars(report), ElementsAre(false, false, false, false, true, false));
  report = {};
  add_findings(report, history, races, uses, waits);
  ASSERT_EQ(report.findings.size(), 3U);
  EXPECT_EQ(report.findings[0].mistake, Mistake::race);
  EXPECT_EQ(report.findings[1].mistake, Mistake::use_after_destroy);
  EXPECT_EQ(report.findings[2].mistake, Mistake::missing_wait);
  report = {};
  add_findings(report, history, {}, {});
  EXPECT_TRUE(report.clean());
  EXPECT_EQ(report.timeline_text, "");
}

// The copy of a race may have come before the work that writes.
TEST(RaceFindings, AnUnwrittenReadInARaceIsNone) {
  const StreamHistory history = five_actions();
  const std::vector<Race> races = {race_of(1, 2)};
  for (Point point = 0; point < 5; ++point) {
    for (const Mistake mistake : {Mistake::unwritten_read, Mistake::missing_wait}) {
      RaceReport report;
      add_findings(report, history, races, {}, std::vector{std::pair(point, mistake)});
      const bool dropped = mistake == Mistake::unwritten_read && (point == 1 || point == 2);
      ASSERT_EQ(report.findings.size(), dropped ? 1U : 2U) << point;
      EXPECT_EQ(report.findings.back().mistake, dropped ? Mistake::race : mistake);
    }
  }
}

TEST(RaceFindings, ARaceWithTheAllocationIsLeftOutIfItsWorkRaces) {
  const StreamHistory history = five_actions();
  struct Row {
    Point second;
    std::uintptr_t allocation;
    AccessKind first;
    std::size_t findings;
  };
  const Row rows[] = {
      {2, 64, AccessKind::write, 1},    {2, 64, AccessKind::read, 1},
      {2, 64, AccessKind::allocate, 2}, {3, 64, AccessKind::write, 2},
      {2, 65, AccessKind::write, 2},
  };
  for (const Row& row : rows) {
    Race allocation = race_of(1, 2);
    allocation.first_access.kind = AccessKind::allocate;
    allocation.allocation = 64;
    allocation.allocated = 1;
    Race work = race_of(0, row.second);
    work.first_access.kind = row.first;
    work.allocation = row.allocation;
    work.allocated = 1;
    RaceReport report;
    add_findings(report, history, std::vector{allocation, work}, {});
    EXPECT_EQ(report.findings.size(), row.findings) << row.second << ' ' << row.allocation;
    EXPECT_THAT(report.findings.back().text, HasSubstr("#1 write"));
  }
}

TEST(RaceReportText, HasItsSeedUnlessNoneWasRun) {
  RaceReport report;
  EXPECT_EQ(report.seed, 0U);
  EXPECT_TRUE(report.clean());
  report.seeds_run = 12;
  EXPECT_EQ(report.text(), "no race in 12 seeds\n");
  report.findings = {finding_of(Mistake::failure, "one\n"), finding_of(Mistake::failure, "two\n")};
  report.seed = 9;
  EXPECT_EQ(report.text(), "seed 9 of this program:\none\ntwo\nAs it ran with seed 9:\n");
  report.timeline_text = "the table\n";
  EXPECT_EQ(report.text(),
            "seed 9 of this program:\none\ntwo\nAs it ran with seed 9:\nthe table\n");
  report.seeds_run = 0;
  EXPECT_EQ(report.text(), "one\ntwo\n");
  std::ostringstream out;
  out << report;
  EXPECT_EQ(out.str(), "one\ntwo\n");
}

TEST(Race, AddsThePointsThatAReportMarksAndNames) {
  Race race = race_of(3, 4);
  std::vector<Point> marked = {1};
  std::vector<Point> named = {2};
  race.add_points(marked, named);
  EXPECT_THAT(marked, ElementsAre(1, 3, 4));
  EXPECT_THAT(named, ElementsAre(2));
  race.allocated = 5;
  race.freed_before = 6;
  race.overlap.through = 7;
  race.add_points(marked, named);
  EXPECT_THAT(named, ElementsAre(2, 5, 6, 7));
}

// What is forgotten changes no later report.
TEST(RaceTexts, OfAForgetfulHistoryAreTheSame) {
  std::mt19937_64 random(11);
  for (int round = 0; round < 300; ++round) {
    StreamHistory history = history_with(3);
    const std::size_t count = 61 + random() % 80;
    for (std::size_t i = 0; i < count; ++i) {
      const auto column = static_cast<std::uint32_t>(random() % 4);
      const Point made = history.add(named("k", column));
      if (random() % 3 == 0) history.happens(made, true);
      history.happens(made, false);
    }
    std::vector<Point> marked, also;
    for (std::size_t i = random() % 4; i-- != 0;)
      marked.push_back(static_cast<Point>(random() % count));
    for (std::size_t i = random() % 4; i-- != 0;)
      also.push_back(static_cast<Point>(random() % count));
    StreamHistory forgot = history;
    forgot.forget(marked, also);
    EXPECT_EQ(forgot.size(), history.size());
    EXPECT_EQ(forgot.happened(), history.happened());
    EXPECT_LE(forgot.moments().size(),
              4 * 2 * (2 * StreamHistory::context + 1) + 8 + StreamHistory::context);
    EXPECT_LE(forgot.held(), forgot.moments().size() + 8);
    ASSERT_EQ(timeline(forgot, marked), timeline(history, marked)) << round;
    for (const Point point : also) {
      ASSERT_EQ(describe(forgot, point), describe(history, point));
    }
    // A later action is marked too: the newest moments are there.
    for (StreamHistory* which : {&forgot, &history}) {
      const Point made = which->add(named("later", 1));
      which->happens(made, false);
    }
    marked.push_back(static_cast<Point>(count));
    ASSERT_EQ(timeline(forgot, marked), timeline(history, marked)) << round;
  }
}

}  // namespace
}  // namespace warpsafe::debug
