// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// The history of a run and the texts of reports, from histories made by hand.

#include <warpsafe/race/race_report.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace warpsafe::history {
namespace {

using debug::AccessKind;
using debug::Action;
using debug::ActionKind;
using debug::Finding;
using debug::MemoryAccess;
using debug::Mistake;
using debug::no_point;
using debug::Point;
using debug::Race;
using debug::RaceReport;
using debug::StreamHistory;

call_site at(unsigned line) { return {"folder/app.cpp", "", line}; }
Action action(ActionKind kind, std::uint32_t column, unsigned line = 0, std::size_t bytes = 0,
              Point after = no_point) {
  return {kind, column, after, line == 0 ? call_site{} : at(line), Name{}, bytes};
}
Action kernel(const char* name, std::uint32_t column, unsigned line = 0) {
  Action made = action(ActionKind::kernel, column, line);
  made.what = Name::of(name);
  return made;
}
/// A host, two streams, and the default stream as the third.
StreamHistory empty_history() {
  StreamHistory history;
  history.is_default = {true, false, false, true};
  return history;
}

TEST(Action, InAFewWords) {
  const struct {
    ActionKind kind;
    const char *plain, *with_bytes, *with_point;
  } kinds[] = {
      {ActionKind::kernel, "kernel", "kernel", "kernel"},
      {ActionKind::graph, "graph", "graph", "graph"},
      {ActionKind::copy, "copy", "copy of 8 bytes", "copy"},
      {ActionKind::fill, "fill", "fill of 8 bytes", "fill"},
      {ActionKind::allocate, "allocation", "allocation of 8 bytes", "allocation"},
      {ActionKind::release, "free", "free of 8 bytes", "free"},
      {ActionKind::record, "event record", "event record", "event record"},
      {ActionKind::wait, "wait", "wait", "wait for #5"},
      {ActionKind::host_read, "read", "read of 8 bytes", "read"},
      {ActionKind::host_write, "write", "write of 8 bytes", "write"},
      {ActionKind::host_allocate, "allocation", "allocation of 8 bytes", "allocation"},
      {ActionKind::host_release, "free", "free of 8 bytes", "free"},
      {ActionKind::synchronize, "synchronize", "synchronize", "knows done: #5"},
      {ActionKind::not_done, "query: not done", "query: not done", "query: not done"},
      {ActionKind::empty_wait, "wait for an event never recorded",
       "wait for an event never recorded", "wait for an event never recorded"},
      {ActionKind::destroy_stream, "destroys the stream", "destroys the stream",
       "destroys the stream"},
      {ActionKind::use_after_destroy, "uses the destroyed stream", "uses the destroyed stream",
       "uses the destroyed stream"},
  };
  for (const auto& [kind, plain, with_bytes, with_point] : kinds) {
    EXPECT_EQ(debug::action_text(action(kind, 1)), plain);
    EXPECT_EQ(debug::action_text(action(kind, 1, 0, 8)), with_bytes);
    EXPECT_EQ(debug::action_text(action(kind, 1, 0, 0, 4)), with_point);
  }
  EXPECT_EQ(debug::action_text(kernel("axpy", 1)), "kernel 'axpy'");
}

TEST(Action, WithItsColumnItsGraphAndItsLine) {
  StreamHistory history = empty_history();
  history.add(kernel("axpy", 1, 12));
  history.add(action(ActionKind::host_read, 0));
  Action node = kernel("dot", 3, 14);
  node.graph = 0;
  history.add(node);
  EXPECT_EQ(debug::describe(history, 0), "#1 kernel 'axpy' on stream 1, at app.cpp:12");
  EXPECT_EQ(debug::describe(history, 1), "#2 read by the host, from an unknown line");
  EXPECT_EQ(debug::describe(history, 2),
            "#3 kernel 'dot' in graph #1 on default stream, at app.cpp:14");
  EXPECT_EQ(debug::column_name(history, 0), "host");
  EXPECT_EQ(debug::column_name(history, 2), "stream 2");
  EXPECT_EQ(debug::detail::short_site({"app.cpp", "", 3}), "app.cpp:3");
  EXPECT_EQ(debug::detail::short_site({"/a/b/app.cpp", "", 3}), "app.cpp:3");
  EXPECT_EQ(debug::detail::short_site({}), "");
}

TEST(History, IsEmptyAgainAfterClear) {
  StreamHistory history = empty_history();
  history.happens(history.add(kernel("a", 1)), false);
  history.happens(history.add(kernel("b", 1)), true);
  EXPECT_EQ(history.size(), 2U);
  EXPECT_EQ(history.happened(), 2U);
  EXPECT_EQ(history.held(), 2U);
  ASSERT_EQ(history.moments().size(), 2U);
  EXPECT_EQ(history.moments()[1].number, 1U);
  EXPECT_EQ(history.moments()[1].moment.action, 1U);
  EXPECT_TRUE(history.moments()[1].moment.handed_over);
  history.clear();
  EXPECT_EQ(history.size(), 0U);
  EXPECT_EQ(history.happened(), 0U);
  EXPECT_EQ(history.held(), 0U);
  EXPECT_TRUE(history.moments().empty());
  EXPECT_EQ(history.is_default, std::vector<bool>{true});
  EXPECT_EQ(history.add(kernel("c", 0)), 0U);
}

TEST(Timeline, HasAColumnForEachStreamAndStarsAtTheMarkedActions) {
  StreamHistory history = empty_history();
  const Point launched = history.add(kernel("axpy", 1, 12));
  const Point read = history.add(action(ActionKind::host_read, 0, 15, 8));
  const Point last = history.add(kernel("dot", 3, 16));
  history.happens(launched, true);
  history.happens(read, false);
  history.happens(launched, false);
  history.happens(last, true);
  history.happens(last, false);
  EXPECT_EQ(
      debug::timeline(history, std::vector<Point>{launched, read}),
      "    host                                               stream 1            stream 2    default stream\n"
      "  * #1 kernel 'axpy' -> stream 1  (app.cpp:12)\n"
      "  * #2 read of 8 bytes  (app.cpp:15)\n"
      "                                                     * #1 kernel 'axpy'\n"
      "    #3 kernel 'dot' -> default stream  (app.cpp:16)\n"
      "                                                                                       #3 kernel 'dot'\n");
}

/// A history of as many kernels on one stream, each at one moment.
StreamHistory long_history(std::size_t count) {
  StreamHistory history;
  history.is_default = {true, false};
  for (std::size_t i = 0; i < count; ++i) history.happens(history.add(kernel("k", 1)), false);
  return history;
}
/// The numbers of the actions in a timeline, and 0 for dots.
std::vector<std::size_t> numbers_in(const std::string& text) {
  std::vector<std::size_t> all;
  for (std::size_t begin = text.find('\n') + 1; begin < text.size();) {
    const std::size_t end = text.find('\n', begin);
    const std::string line = text.substr(begin, end - begin);
    const std::size_t hash = line.find('#');
    all.push_back(hash == std::string::npos ? 0 : std::stoul(line.substr(hash + 1)));
    begin = end + 1;
  }
  return all;
}
std::vector<std::size_t> from_to(std::size_t first, std::size_t last, bool before, bool after) {
  std::vector<std::size_t> all;
  if (before) all.push_back(0);
  for (std::size_t i = first; i <= last; ++i) all.push_back(i);
  if (after) all.push_back(0);
  return all;
}

TEST(Timeline, OfALongRunHasTwelveMomentsAroundWhatIsMarked) {
  const auto shown = [](std::size_t count, std::vector<Point> marked) {
    return numbers_in(debug::timeline(long_history(count), marked));
  };
  EXPECT_EQ(shown(60, {}), from_to(1, 60, false, false)) << "a short run is shown whole";
  EXPECT_EQ(shown(61, {}), (std::vector<std::size_t>{0}));
  EXPECT_EQ(shown(61, {0}), from_to(1, 13, false, true));
  EXPECT_EQ(shown(61, {60}), from_to(49, 61, true, false));
  EXPECT_EQ(shown(61, {12}), from_to(1, 25, false, true));
  EXPECT_EQ(shown(61, {13}), from_to(2, 26, true, true));
  auto two = from_to(8, 32, true, true);
  for (const std::size_t number : from_to(58, 82, false, true)) two.push_back(number);
  EXPECT_EQ(shown(100, {19, 69}), two);
}

TEST(Timeline, OfManyStreamsHasThoseWithSomethingToShow) {
  for (const std::uint32_t columns : {64U, 65U}) {
    StreamHistory history;
    history.is_default.assign(columns, false);
    history.happens(history.add(kernel("k", 2)), false);
    const std::string text = debug::timeline(history, std::vector<Point>{0});
    const std::string heading = text.substr(0, text.find('\n'));
    EXPECT_EQ(heading.find("stream 1 ") != std::string::npos, columns == 64) << heading;
    EXPECT_NE(heading.find("stream 2"), std::string::npos);
    EXPECT_NE(heading.find("host"), std::string::npos);
  }
}

// What is forgotten changes no later report.
TEST(History, ForgettingKeepsWhatReportsShow) {
  std::mt19937_64 random(11);
  for (int round = 0; round < 300; ++round) {
    StreamHistory history = empty_history();
    const std::size_t count = 61 + random() % 80;
    for (std::size_t i = 0; i < count; ++i) {
      const auto column = static_cast<std::uint32_t>(random() % 4);
      const Point made = history.add(kernel("k", column, static_cast<unsigned>(1 + random() % 9)));
      if (random() % 3 == 0) history.happens(made, true);
      history.happens(made, false);
    }
    std::vector<Point> marked, named;
    for (std::size_t i = random() % 4; i-- != 0;)
      marked.push_back(static_cast<Point>(random() % count));
    for (std::size_t i = random() % 4; i-- != 0;)
      named.push_back(static_cast<Point>(random() % count));
    StreamHistory forgot = history;
    forgot.forget(marked, named);
    EXPECT_EQ(forgot.size(), history.size());
    EXPECT_EQ(forgot.happened(), history.happened());
    EXPECT_LE(forgot.moments().size(),
              4 * 2 * (2 * StreamHistory::context + 1) + 8 + StreamHistory::context);
    EXPECT_LE(forgot.held(), forgot.moments().size() + 8);
    ASSERT_EQ(debug::timeline(forgot, marked), debug::timeline(history, marked)) << round;
    for (const Point point : named) {
      ASSERT_EQ(debug::describe(forgot, point), debug::describe(history, point));
    }
    // A later action is marked too: the newest moments are there.
    for (StreamHistory* one : {&forgot, &history}) {
      const Point made = one->add(kernel("later", 1));
      one->happens(made, false);
    }
    marked.push_back(static_cast<Point>(count));
    ASSERT_EQ(debug::timeline(forgot, marked), debug::timeline(history, marked)) << round;
  }
}

TEST(ReportText, SaysWhatRanAndWhatIsLeftOut) {
  RaceReport report;
  EXPECT_EQ(report.text(), "no race in the recorded run");
  report.seeds_run = 12;
  EXPECT_EQ(report.text(), "no race in 12 seeds");
  report.findings.push_back(debug::finding_of(Mistake::failure, "one\n"));
  report.seed = 7;
  report.left_out = 3;
  report.timeline_text = "table\n";
  EXPECT_EQ(report.text(),
            "seed 7 of this program:\none\nand 3 more races\nAs it ran with seed 7:\ntable\n");
  report.left_out = 0;
  EXPECT_EQ(report.text(), "seed 7 of this program:\none\nAs it ran with seed 7:\ntable\n");
  report.seeds_run = 0;
  EXPECT_EQ(report.text(), "one\nAs the host submitted it:\ntable\n");
  report.timeline_text.clear();
  EXPECT_EQ(report.text(), "one\n");
  report.seeds_run = 1;
  EXPECT_EQ(report.text(), "seed 7 of this program:\none\nAs it ran with seed 7:\n");
}

/// Two kernels on streams 1 and 2, after an allocation of 64 bytes.
struct RaceText : ::testing::Test {
  StreamHistory history = empty_history();
  const Point allocated = history.add(action(ActionKind::allocate, 1, 5, 64));
  const Point one = history.add(kernel("axpy", 1, 12));
  const Point other = history.add(kernel("dot", 2, 13));
  Race race{one,       other, {1000, 40, AccessKind::write}, {1016, 48, AccessKind::read}, 1000,
            allocated, false};

  [[nodiscard]] std::string text() const { return debug::finding_of(history, race).text; }
  [[nodiscard]] std::string advice() const { return debug::detail::remedy(history, race); }
};

TEST_F(RaceText, NamesBothSidesTheMemoryAndTheRemedy) {
  EXPECT_EQ(text(),
            "Race: nothing orders these two\n"
            "  #2 kernel 'axpy' on stream 1, at app.cpp:12, writes 40 bytes\n"
            "  #3 kernel 'dot' on stream 2, at app.cpp:13, reads 48 bytes\n"
            "  bytes 16 to 39 of #1 allocation of 64 bytes on stream 1, at app.cpp:5\n"
            "  record an event on stream 1 after #2 and let stream 2 wait for it before #3\n");
  const Finding found = debug::finding_of(history, race);
  EXPECT_EQ(found.mistake, Mistake::race);
  EXPECT_EQ(found.first.access, AccessKind::write);
  EXPECT_EQ(found.second.access, AccessKind::read);
  EXPECT_EQ(found.first.action.site.line, 12U);
  EXPECT_EQ(found.second.action.site.line, 13U);
  std::swap(race.first_access, race.second_access);
  EXPECT_NE(text().find("  bytes 16 to 39 of"), std::string::npos);
}

TEST_F(RaceText, OfMemoryThatIsNotKnownOrWasHandedOutAgain) {
  race.allocated = no_point;
  EXPECT_NE(text().find("  of memory that was not allocated here\n  record"), std::string::npos);
  EXPECT_EQ(text().find("freed earlier"), std::string::npos);
  race.freed_before = allocated;
  EXPECT_NE(
      text().find("  freed earlier by #1 allocation of 64 bytes on stream 1, at app.cpp:5, and "
                  "allocated again: one of the two may be meant for the earlier allocation\n"),
      std::string::npos);
}

TEST_F(RaceText, AnOrderedOneIsAUseAfterFree) {
  race.ordered = true;
  EXPECT_EQ(text().substr(0, 58), "Use after free: the first of these frees the memory\n  #2 k");
  EXPECT_EQ(advice(), "free it after its last use");
  EXPECT_EQ(debug::finding_of(history, race).mistake, Mistake::use_after_release);
}

TEST_F(RaceText, ADependentLaunchNamesTheWait) {
  race.overlap.exists = true;
  EXPECT_EQ(text(),
            "Race: a dependent launch lets these two overlap\n"
            "  #2 kernel 'axpy' on stream 1, at app.cpp:12, writes 40 bytes\n"
            "  #3 kernel 'dot' on stream 2, at app.cpp:13, reads before its wait\n"
            "  bytes 16 to 39 of #1 allocation of 64 bytes on stream 1, at app.cpp:5\n"
            "  call wait_for_predecessor() in kernel 'dot' before this access\n");
  race.overlap.wait = at(30);
  EXPECT_NE(text().find("reads before its wait at app.cpp:30\n"), std::string::npos);
  race.overlap.after_wait = true;
  EXPECT_NE(text().find("reads after its wait at app.cpp:30\n"), std::string::npos);
  EXPECT_EQ(advice(),
            "the wait of #3 does not cover #2: a kernel between them never waits; call "
            "wait_for_predecessor() there");
  race.overlap.through = allocated;
  EXPECT_EQ(
      advice(),
      "the wait of #3 does not cover #2: between them, #1 allocation of 64 bytes on stream 1, at "
      "app.cpp:5, never waits; call wait_for_predecessor() there");
}

TEST_F(RaceText, TheRemedyFitsTheColumnsAndTheGraphs) {
  const auto add = [&](std::uint32_t column, Point graph) {
    Action made = kernel("k", column);
    made.graph = graph;
    return history.add(made);
  };
  race.second = add(0, no_point);
  EXPECT_EQ(advice(), "wait for stream 1, or for an event after #2");
  race.first = add(0, no_point);
  race.second = other;
  EXPECT_EQ(advice(), "let the host access the memory before it submits #3");
  race.first = add(1, 0);
  race.second = add(2, 0);
  EXPECT_EQ(advice(), "inside a graph: capture one after the other");
  race.second = add(2, 1);
  EXPECT_EQ(advice(),
            "record an event on stream 1 after #1 and let stream 2 wait for it before #2");
  race.second = other;
  EXPECT_EQ(advice(),
            "record an event on stream 1 after #1 and let stream 2 wait for it before #3");
}

TEST(OtherFindings, AreTexts) {
  StreamHistory history = empty_history();
  const Point destroyed = history.add(action(ActionKind::destroy_stream, 1, 3));
  const Point use = history.add(action(ActionKind::use_after_destroy, 1, 4));
  const Point copy = history.add(action(ActionKind::copy, 2, 5, 8));
  const Finding stream = debug::finding_of(history, destroyed, use);
  EXPECT_EQ(stream.mistake, Mistake::use_after_destroy);
  EXPECT_EQ(stream.text,
            "Use of a destroyed stream: another stream may already have its address\n"
            "  #1 destroys the stream on stream 1, at app.cpp:3\n"
            "  #2 uses the destroyed stream on stream 1, at app.cpp:4\n"
            "  keep the stream alive as long as anything that is bound to it\n");
  EXPECT_EQ(stream.first.action.site.line, 3U);
  EXPECT_EQ(stream.second.action.site.line, 4U);
  const Finding unwritten = debug::unwritten_read(history, copy);
  EXPECT_EQ(unwritten.mistake, Mistake::unwritten_read);
  EXPECT_EQ(
      unwritten.text,
      "Read of memory that nothing has written\n"
      "  #3 copy of 8 bytes on stream 2, at app.cpp:5, from a device\n"
      "  write the memory first, on this stream or before it: zero(stream), assign, a copy or a "
      "kernel\n");
  const Finding missing = debug::missing_wait(history, copy);
  EXPECT_EQ(missing.mistake, Mistake::missing_wait);
  EXPECT_EQ(
      missing.text,
      "Missing wait: no thread of this kernel waited for its predecessor\n"
      "  #3 copy of 8 bytes on stream 2, at app.cpp:5, with dependent_launch\n"
      "  call wait_for_predecessor() in the kernel before it uses what an earlier kernel writes, or "
      "launch it without dependent_launch\n");
  const Finding none = debug::finding_of(Mistake::failure, "text");
  EXPECT_EQ(none.first.action.site.file, nullptr);
  EXPECT_EQ(none.text, "text");
  EXPECT_STREQ(debug::detail::access_text(AccessKind::release), "frees");
  EXPECT_STREQ(debug::detail::access_text(AccessKind::allocate), "allocates");
}

// An allocation in a race is left out if later work on the memory is in a race with the same
// partner.
TEST(AddedFindings, LeaveOutWhatAnotherOneSays) {
  StreamHistory history = empty_history();
  const Point allocated = history.add(action(ActionKind::allocate, 1, 5, 64));
  const Point writes = history.add(kernel("writes", 1, 6));
  const Point reads = history.add(kernel("reads", 2, 7));
  const Point copies = history.add(action(ActionKind::copy, 2, 8, 8));
  for (const Point point : {allocated, writes, reads, copies}) history.happens(point, false);
  const Race of_allocation{
      allocated, reads, {1000, 64, AccessKind::allocate}, {1000, 8, AccessKind::read}, 1000,
      allocated, false};
  const Race of_write{
      writes,    reads, {1000, 64, AccessKind::write}, {1000, 8, AccessKind::read}, 1000,
      allocated, false};
  const auto texts = [&](const std::vector<Race>& races,
                         const std::vector<std::pair<Point, Mistake>>& remarks = {}) {
    RaceReport report;
    debug::add_findings(report, history, races, {}, remarks);
    std::string all;
    for (const Finding& finding : report.findings) {
      all += finding.text.substr(0, 4) + std::to_string(finding.first.action.site.line) + ' ';
    }
    return all + (report.timeline_text.empty() ? "" : "table");
  };
  EXPECT_EQ(texts({}), "");
  EXPECT_EQ(texts({of_allocation}), "Race5 table");
  EXPECT_EQ(texts({of_allocation, of_write}), "Race6 table");
  Race elsewhere = of_write;
  elsewhere.allocation = 5000;
  EXPECT_EQ(texts({of_allocation, elsewhere}), "Race5 Race6 table");
  elsewhere = of_write;
  elsewhere.second = copies;
  EXPECT_EQ(texts({of_allocation, elsewhere}), "Race5 Race6 table");
  EXPECT_EQ(texts({of_allocation, of_allocation}), "Race5 Race5 table");
  EXPECT_EQ(texts({}, {{copies, Mistake::unwritten_read}}), "Read8 table");
  EXPECT_EQ(texts({}, {{reads, Mistake::missing_wait}}), "Miss7 table");
  EXPECT_EQ(texts({of_write}, {{reads, Mistake::missing_wait}}), "Race6 Miss7 table");
  EXPECT_EQ(texts({of_write}, {{copies, Mistake::unwritten_read}}), "Race6 Read8 table");
  EXPECT_EQ(texts({elsewhere}, {{copies, Mistake::unwritten_read}}), "Race6 table");
  Race first = of_write;
  first.first = copies;
  EXPECT_EQ(texts({first}, {{copies, Mistake::unwritten_read}}), "Race8 table");
}

}  // namespace
}  // namespace warpsafe::history
