// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// The text of reports, whole, from histories made by hand.

#include <warpsafe/race/race_report.hpp>
#include <warpsafe/race/stream_history.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace warpsafe::debug {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

constexpr call_site line_7{"src/a.cpp", "f", 7};
constexpr call_site nowhere{nullptr, nullptr, 0};

Action action(ActionKind kind, std::uint32_t column, Point after = no_point,
              call_site site = line_7, std::size_t bytes = 0, Point graph = no_point) {
  return {kind, column, after, site, {nullptr, 0}, bytes, graph};
}
Action kernel(std::uint32_t column, std::string_view name, Point graph = no_point) {
  return {ActionKind::kernel, column, no_point, line_7, {name.data(), name.size()}, 0, graph};
}

/// Two streams: "k" on stream 1, "m" on the default stream, a host read, the free, an allocation.
StreamHistory some() {
  StreamHistory history;
  history.is_default = {true, false, true};
  for (const Action& one :
       {kernel(1, "k"), kernel(2, "m"), action(ActionKind::host_read, 0, no_point, line_7, 8),
        action(ActionKind::release, 1, no_point, nowhere, 16),
        action(ActionKind::allocate, 1, no_point, line_7, 16)}) {
    history.happens(history.add(one), one.column != 0);
  }
  return history;
}
constexpr Point k = 0;
constexpr Point m = 1;
constexpr Point host_read = 2;
constexpr Point freed = 3;
constexpr Point made = 4;

Race race_of(Point first, Point second) {
  return {
      first,    second, {100, 16, AccessKind::write}, {108, 16, AccessKind::read}, 96, made, false,
      no_point, {}};
}

TEST(ActionText, SaysWhatTheActionDoes) {
  const auto text = [](ActionKind kind, std::size_t bytes, Point after) {
    return action_text(action(kind, 1, after, line_7, bytes));
  };
  EXPECT_EQ(action_text(kernel(1, "axpy")), "kernel 'axpy'");
  using enum ActionKind;
  const struct {
    ActionKind kind;
    const char* bare;
    const char* with;  // with 8 bytes, after #3
  } table[] = {
      {ActionKind::kernel, "kernel", "kernel"},
      {ActionKind::graph, "graph", "graph"},
      {copy, "copy", "copy of 8 bytes"},
      {fill, "fill", "fill of 8 bytes"},
      {allocate, "allocation", "allocation of 8 bytes"},
      {host_allocate, "allocation", "allocation of 8 bytes"},
      {release, "free", "free of 8 bytes"},
      {host_release, "free", "free of 8 bytes"},
      {record, "event record", "event record"},
      {ActionKind::wait, "wait", "wait for #3"},
      {ActionKind::host_read, "read", "read of 8 bytes"},
      {host_write, "write", "write of 8 bytes"},
      {synchronize, "synchronize", "knows done: #3"},
      {not_done, "query: not done", "query: not done"},
      {empty_wait, "wait for an event never recorded", "wait for an event never recorded"},
      {destroy_stream, "destroys the stream", "destroys the stream"},
      {use_after_destroy, "uses the destroyed stream", "uses the destroyed stream"},
  };
  for (const auto& row : table) {
    EXPECT_EQ(text(row.kind, 0, no_point), row.bare);
    EXPECT_EQ(text(row.kind, 8, 2), row.with);
  }
}

TEST(Describe, NamesTheColumnTheGraphAndTheLine) {
  StreamHistory history = some();
  EXPECT_EQ(describe(history, k), "#1 kernel 'k' on stream 1, at a.cpp:7");
  EXPECT_EQ(describe(history, m), "#2 kernel 'm' on default stream, at a.cpp:7");
  EXPECT_EQ(describe(history, host_read), "#3 read of 8 bytes by the host, at a.cpp:7");
  EXPECT_EQ(describe(history, freed), "#4 free of 16 bytes on stream 1, from an unknown line");
  const Point node = history.add(kernel(1, "n", k));
  EXPECT_EQ(describe(history, node), "#6 kernel 'n' in graph #1 on stream 1, at a.cpp:7");
}

TEST(Findings, ARaceIsTextWithBothSidesTheMemoryAndTheAdvice) {
  const StreamHistory history = some();
  Race race = race_of(k, m);
  const Finding found = finding_of(history, race);
  EXPECT_EQ(found.mistake, Mistake::race);
  EXPECT_EQ(found.first.action.column, 1U);
  EXPECT_EQ(found.first.access, AccessKind::write);
  EXPECT_EQ(found.second.action.column, 2U);
  EXPECT_EQ(found.second.access, AccessKind::read);
  EXPECT_EQ(
      found.text,
      "Race: nothing orders these two\n"
      "  #1 kernel 'k' on stream 1, at a.cpp:7, writes 16 bytes\n"
      "  #2 kernel 'm' on default stream, at a.cpp:7, reads 16 bytes\n"
      "  bytes 12 to 19 of #5 allocation of 16 bytes on stream 1, at a.cpp:7\n"
      "  record an event on stream 1 after #1 and let default stream wait for it before #2\n");
  std::swap(race.first_access.begin, race.second_access.begin);
  EXPECT_THAT(finding_of(history, race).text, HasSubstr("  bytes 12 to 19 of #5"));
  race.first_access = {100, 4, AccessKind::allocate};
  race.second_access = {100, 8, AccessKind::release};
  race.allocated = no_point;
  race.freed_before = freed;
  EXPECT_EQ(finding_of(history, race).text,
            "Race: nothing orders these two\n"
            "  #1 kernel 'k' on stream 1, at a.cpp:7, allocates 4 bytes\n"
            "  #2 kernel 'm' on default stream, at a.cpp:7, frees 8 bytes\n"
            "  of memory that was not allocated here\n"
            "  freed earlier by #4 free of 16 bytes on stream 1, from an unknown line, and "
            "allocated again: one of the two may be meant for the earlier allocation\n"
            "  record an event on stream 1 after #1 and let default stream wait for it before "
            "#2\n");
  race.ordered = true;
  EXPECT_EQ(finding_of(history, race).mistake, Mistake::use_after_release);
  EXPECT_THAT(finding_of(history, race).text,
              StartsWith("Use after free: the first of these frees the memory\n"));
}

TEST(Findings, AnOverlapSaysWhereTheWaitIs) {
  const StreamHistory history = some();
  Race race = race_of(k, m);
  race.overlap.exists = true;
  EXPECT_THAT(finding_of(history, race).text,
              StartsWith("Race: a dependent launch lets these two overlap\n"
                         "  #1 kernel 'k' on stream 1, at a.cpp:7, writes 16 bytes\n"
                         "  #2 kernel 'm' on default stream, at a.cpp:7, reads before its wait\n"));
  race.overlap.wait = {"x/b.cpp", "g", 9};
  EXPECT_THAT(finding_of(history, race).text, HasSubstr("reads before its wait at b.cpp:9\n"));
  race.overlap.after_wait = true;
  EXPECT_THAT(finding_of(history, race).text, HasSubstr("reads after its wait at b.cpp:9\n"));
  race.overlap.exists = false;
  EXPECT_THAT(finding_of(history, race).text, Not(HasSubstr("b.cpp")));
}

TEST(Remedy, FitsTheRace) {
  StreamHistory history = some();
  const Point graph = history.add(action(ActionKind::graph, 1));
  const Point one_node = history.add(kernel(1, "n", graph));
  const Point other_node = history.add(kernel(1, "o", graph));
  const auto remedy = [&](const Race& race) { return detail::remedy(history, race); };
  EXPECT_EQ(remedy(race_of(k, host_read)), "wait for stream 1, or for an event after #1");
  EXPECT_EQ(remedy(race_of(one_node, host_read)), "wait for stream 1, or for an event after #6");
  EXPECT_EQ(remedy(race_of(host_read, m)), "let the host access the memory before it submits #2");
  EXPECT_EQ(remedy(race_of(host_read, one_node)),
            "let the host access the memory before it submits #6");
  EXPECT_EQ(remedy(race_of(one_node, other_node)), "inside a graph: capture one after the other");
  EXPECT_EQ(remedy(race_of(one_node, m)),
            "record an event on stream 1 after #6 and let default stream wait for it before #2");
  EXPECT_EQ(remedy(race_of(m, one_node)),
            "record an event on default stream after #2 and let stream 1 wait for it before #6");
  Race race = race_of(k, m);
  race.ordered = true;
  EXPECT_EQ(remedy(race), "free it after its last use");
  race.ordered = false;
  race.overlap.exists = true;
  EXPECT_EQ(remedy(race), "call wait_for_predecessor() in kernel 'm' before this access");
  race.overlap.after_wait = true;
  EXPECT_EQ(remedy(race),
            "the wait of #2 does not cover #1: between them, a kernel between them, never waits; "
            "call wait_for_predecessor() there");
  race.overlap.through = host_read;
  EXPECT_EQ(remedy(race),
            "the wait of #2 does not cover #1: between them, #3 read of 8 bytes by the host, at "
            "a.cpp:7, never waits; call wait_for_predecessor() there");
}

TEST(Findings, TheOtherMistakesAreTextToo) {
  const StreamHistory history = some();
  const Finding destroyed = finding_of(history, k, m);
  EXPECT_EQ(destroyed.mistake, Mistake::use_after_destroy);
  EXPECT_EQ(destroyed.first.access, AccessKind::release);
  EXPECT_EQ(destroyed.text,
            "Use of a destroyed stream: another stream may already have its address\n"
            "  #1 kernel 'k' on stream 1, at a.cpp:7\n"
            "  #2 kernel 'm' on default stream, at a.cpp:7\n"
            "  keep the stream alive as long as anything that is bound to it\n");
  const Finding missing = missing_wait(history, k);
  EXPECT_EQ(missing.mistake, Mistake::missing_wait);
  EXPECT_EQ(missing.text,
            "Missing wait: no thread of this kernel waited for its predecessor\n"
            "  #1 kernel 'k' on stream 1, at a.cpp:7, with dependent_launch\n"
            "  call wait_for_predecessor() in the kernel before it uses what an earlier kernel "
            "writes, or launch it without dependent_launch\n");
  const Finding unwritten = unwritten_read(history, host_read);
  EXPECT_EQ(unwritten.mistake, Mistake::unwritten_read);
  EXPECT_EQ(unwritten.text,
            "Read of memory that nothing has written\n"
            "  #3 read of 8 bytes by the host, at a.cpp:7, from a device\n"
            "  write the memory first, on this stream or before it: zero(stream), assign, a copy "
            "or a kernel\n");
  const Finding plain = finding_of(Mistake::failure, "it failed\n");
  EXPECT_EQ(plain.mistake, Mistake::failure);
  EXPECT_EQ(plain.text, "it failed\n");
  for (const Party& party : {plain.first, plain.second}) {
    EXPECT_EQ(party.action.column, 0U);
    EXPECT_EQ(party.action.site.line, 0U);
    EXPECT_EQ(party.action.what.size, 0U);
    EXPECT_EQ(party.action.bytes, 0U);
  }
}

TEST(AddFindings, OmitsWhatAnotherFindingExplains) {
  const StreamHistory history = some();
  const auto mistakes = [&](std::vector<Race> races,
                            std::vector<std::pair<Point, Mistake>> remarks) {
    RaceReport report;
    add_findings(report, history, races, {}, remarks);
    std::vector<Mistake> all;
    for (const Finding& one : report.findings) all.push_back(one.mistake);
    return all;
  };
  Race allocation = race_of(made, m);
  allocation.first_access.kind = AccessKind::allocate;
  EXPECT_THAT(mistakes({allocation}, {}), ElementsAre(Mistake::race));
  EXPECT_THAT(mistakes({allocation, race_of(k, m)}, {}), ElementsAre(Mistake::race));
  EXPECT_EQ(mistakes({allocation, race_of(k, host_read)}, {}).size(), 2U) << "another partner";
  Race elsewhere = race_of(k, m);
  elsewhere.allocation = 8;
  EXPECT_EQ(mistakes({allocation, elsewhere}, {}).size(), 2U) << "other memory";
  EXPECT_EQ(mistakes({allocation, allocation}, {}).size(), 2U) << "both are the allocation's";
  const std::pair<Point, Mistake> unwritten{host_read, Mistake::unwritten_read};
  const std::pair<Point, Mistake> missing{host_read, Mistake::missing_wait};
  EXPECT_THAT(mistakes({}, {unwritten, missing}),
              ElementsAre(Mistake::unwritten_read, Mistake::missing_wait));
  EXPECT_THAT(mistakes({race_of(k, m)}, {unwritten}),
              ElementsAre(Mistake::race, Mistake::unwritten_read));
  for (const Race& race : {race_of(k, host_read), race_of(host_read, k)}) {
    EXPECT_THAT(mistakes({race}, {unwritten, missing}),
                ElementsAre(Mistake::race, Mistake::missing_wait));
  }
}

TEST(AddFindings, MarksTheSidesOfEachFindingInTheTimeline) {
  const StreamHistory history = some();
  const auto stars = [&](const RaceReport& report) {
    std::string marked;
    for (std::size_t at = report.timeline_text.find('*'); at != std::string::npos;
         at = report.timeline_text.find('*', at + 1)) {
      marked += report.timeline_text.substr(at + 2, 2);
    }
    return marked;
  };
  RaceReport races;
  const Race race = race_of(k, host_read);
  add_findings(races, history, {&race, 1}, {});
  EXPECT_EQ(stars(races), "#1#3");
  RaceReport uses;
  const std::pair<Point, Point> use{m, freed};
  add_findings(uses, history, {}, {&use, 1});
  EXPECT_EQ(stars(uses), "#2#4");
  EXPECT_EQ(uses.findings.size(), 1U);
  RaceReport remarks;
  const std::pair<Point, Mistake> remark{made, Mistake::missing_wait};
  add_findings(remarks, history, {}, {}, {&remark, 1});
  EXPECT_EQ(stars(remarks), "#5");
  RaceReport none;
  add_findings(none, history, {}, {});
  EXPECT_EQ(none.timeline_text, "");
}

TEST(RaceReport, IsTextForSeedsAndForARecord) {
  RaceReport report;
  EXPECT_EQ(report.left_out, 0U);
  EXPECT_EQ(report.seed, 0U);
  EXPECT_EQ(report.text(), "no race in the recorded run");
  report.seeds_run = 20;
  EXPECT_EQ(report.text(), "no race in 20 seeds");
  report.findings.push_back(finding_of(Mistake::failure, "one\n"));
  report.findings.push_back(finding_of(Mistake::failure, "two\n"));
  report.seed = 5;
  report.timeline_text = "table\n";
  EXPECT_EQ(report.text(), "seed 5 of this program:\none\ntwo\nAs it ran with seed 5:\ntable\n");
  report.left_out = 3;
  EXPECT_EQ(report.text(),
            "seed 5 of this program:\none\ntwo\nand 3 more races\nAs it ran with seed 5:\ntable\n");
  report.timeline_text.clear();
  EXPECT_THAT(report.text(), HasSubstr("As it ran with seed 5:\n")) << "a seed has a run";
  report.seeds_run = 0;
  EXPECT_EQ(report.text(), "one\ntwo\n");
  report.timeline_text = "table\n";
  EXPECT_EQ(report.text(), "one\ntwo\nand 3 more races\nAs the host submitted it:\ntable\n");
}

TEST(Timeline, IsATableWithAColumnForEachStream) {
  const Point marked[] = {m};
  const auto spaces = [](std::size_t count) { return std::string(count, ' '); };
  const std::string handed_over =
      "    #1 kernel 'k' -> stream 1  (a.cpp:7)\n"
      "  * #2 kernel 'm' -> default stream  (a.cpp:7)\n"
      "    #3 read of 8 bytes  (a.cpp:7)\n"
      "    #4 free of 16 bytes -> stream 1\n"
      "    #5 allocation of 16 bytes -> stream 1  (a.cpp:7)\n";
  // Two blanks, the widest line of the host, and two more.
  EXPECT_EQ(timeline(some(), marked),
            "    host" + spaces(48) + "stream 1    default stream\n" + handed_over);
  StreamHistory history = some();
  history.happens(k, false);
  history.happens(m, false);
  EXPECT_EQ(timeline(history, marked),
            "    host" + spaces(48) + "stream 1         default stream\n" + handed_over +
                spaces(56) + "#1 kernel 'k'\n" + spaces(71) + "* #2 kernel 'm'\n");
}

/// The numbers of the shown moments, and -1 for each gap.
std::vector<int> shown(const StreamHistory& history, std::vector<Point> marked) {
  std::vector<int> numbers;
  const std::string text = timeline(history, marked);
  std::size_t at = text.find('\n') + 1;
  while (at < text.size()) {
    const std::size_t end = text.find('\n', at);
    const std::string line = text.substr(at, end - at);
    numbers.push_back(line == "    ..." ? -1 : std::stoi(line.substr(line.find('#') + 1)) - 1);
    at = end + 1;
  }
  return numbers;
}
std::vector<int> range(int from, int to) {
  std::vector<int> all;
  for (int i = from; i <= to; ++i) all.push_back(i);
  return all;
}
StreamHistory of_length(Point length) {
  StreamHistory history;
  for (Point i = 0; i < length; ++i) {
    history.happens(history.add(action(ActionKind::host_read, 0)), false);
  }
  return history;
}

TEST(Timeline, ALongRunShowsTwelveMomentsAroundEachMark) {
  const auto with_gaps = [](bool before, std::vector<int> numbers, bool after) {
    if (before) numbers.insert(numbers.begin(), -1);
    if (after) numbers.push_back(-1);
    return numbers;
  };
  EXPECT_EQ(shown(of_length(60), {30}), range(0, 59)) << "a short run is whole";
  EXPECT_EQ(shown(of_length(61), {30}), with_gaps(true, range(18, 42), true));
  EXPECT_EQ(shown(of_length(61), {12}), with_gaps(false, range(0, 24), true));
  EXPECT_EQ(shown(of_length(61), {0}), with_gaps(false, range(0, 12), true));
  EXPECT_EQ(shown(of_length(61), {60}), with_gaps(true, range(48, 60), false));
  EXPECT_EQ(shown(of_length(61), {48}), with_gaps(true, range(36, 60), false));
  std::vector<int> two = with_gaps(true, range(8, 32), true);
  for (const int number : range(58, 82)) two.push_back(number);
  two.push_back(-1);
  EXPECT_EQ(shown(of_length(100), {20, 70}), two);
  EXPECT_EQ(shown(of_length(100), {}), std::vector<int>{-1});
}

TEST(Timeline, OfManyStreamsOnlyThoseWithAMomentHaveAColumn) {
  for (const std::size_t columns : {64U, 65U}) {
    StreamHistory history;
    history.is_default.resize(columns, false);
    history.happens(history.add(kernel(9, "k")), false);
    const std::string text = timeline(history, {});
    EXPECT_THAT(text, StartsWith("    host"));
    EXPECT_THAT(text, HasSubstr("  stream 9"));
    EXPECT_EQ(text.find("stream 8  ") != std::string::npos, columns == 64) << text;
  }
}

TEST(StreamHistory, KeepsTwelveMomentsAroundWhatIsMarkedAndTheNewest) {
  StreamHistory history = of_length(100);
  EXPECT_EQ(history.held(), 100U);
  history.forget({40}, {5});
  std::vector<int> kept{5};
  for (const int number : range(28, 52)) kept.push_back(number);
  for (const int number : range(88, 99)) kept.push_back(number);
  std::vector<int> left;
  for (const auto& one : history.moments()) {
    EXPECT_EQ(one.number, one.moment.action);
    left.push_back(static_cast<int>(one.number));
  }
  EXPECT_EQ(left, kept);
  EXPECT_EQ(history.held(), kept.size());
  EXPECT_EQ(history.size(), 100U);
  EXPECT_EQ(history.happened(), 100U);
  EXPECT_EQ(history[40].kind, ActionKind::host_read);
  history.is_default.push_back(false);
  history.clear();
  EXPECT_EQ(history.size(), 0U);
  EXPECT_EQ(history.happened(), 0U);
  EXPECT_EQ(history.held(), 0U);
  EXPECT_TRUE(history.moments().empty());
  EXPECT_EQ(history.is_default.size(), 1U);
  EXPECT_EQ(history.add(action(ActionKind::host_read, 0)), 0U);
}

TEST(StreamHistory, MarksAndNamesMayComeInAnyOrder) {
  StreamHistory history = of_length(200);
  const Point silent = history.add(action(ActionKind::wait, 0));  // at no moment
  const Point left = history.add(action(ActionKind::wait, 0));
  history.forget({silent, 120, 60}, {7, 5, 6});
  std::vector<int> kept = range(5, 7);
  for (const auto& [from, to] : {std::pair{48, 72}, std::pair{108, 132}, std::pair{188, 199}}) {
    for (const int number : range(from, to)) kept.push_back(number);
  }
  std::vector<int> numbers;
  for (const auto& one : history.moments()) numbers.push_back(static_cast<int>(one.number));
  EXPECT_EQ(numbers, kept);
  EXPECT_EQ(history.held(), kept.size() + 1);
  EXPECT_EQ(history[silent].kind, ActionKind::wait);
  EXPECT_EQ(history.size(), left + 1);
}

TEST(StreamHistory, RoomForTheNextActionIsMadeBefore) {
  StreamHistory history;
  for (int i = 0; i < 100; ++i) {
    history.make_room();
    const Action* const first = i == 0 ? nullptr : &history[0];
    static_cast<void>(history.add(action(ActionKind::host_read, 0)));
    if (i != 0) {
      EXPECT_EQ(&history[0], first) << "add moved the actions";
    }
  }
}

}  // namespace
}  // namespace warpsafe::debug
