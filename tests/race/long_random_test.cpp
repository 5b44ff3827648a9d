// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// Long random programs, reported to the recorder, which forgets on its own, and to a plain model,
// which keeps everything. Nearly all of their work is ordered.

#include "host_record.hpp"
#include "plain_checker.hpp"
#include <warpsafe/race/adversarial.hpp>

#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <random>
#include <set>
#include <utility>
#include <vector>

namespace warpsafe::plain {
namespace {

using debug::ActionKind;
using host_record::Handed;
using host_record::Work;

using Pairs = std::set<std::pair<unsigned, unsigned>>;

/// Each action has a line of its own in the program, by which a report is compared.
class Program {
 public:
  explicit Program(std::uint32_t seed) : random_(seed) {
    host_ = model_.add_strand();
    for (std::size_t memory = 0; memory < buffers; ++memory) allocate(memory);
  }
  void run(std::size_t steps) {
    for (std::size_t i = 0; i < steps; ++i) step();
  }
  [[nodiscard]] const host_record::Record& record() const { return record_; }
  [[nodiscard]] const std::vector<Race>& expected() const { return expected_; }
  /// The line of a point of the model.
  [[nodiscard]] unsigned line_of(Point point) const { return lines_[point]; }

 private:
  static constexpr std::size_t graphs = 3;
  static constexpr std::size_t seldom = 9;  // the buffers before it are ordered by events
  static constexpr std::size_t buffers = seldom + 1 + 2 * graphs;
  static constexpr std::size_t by_events = 6;  // the events before it order nothing in particular
  static constexpr std::size_t most_streams = 6;
  struct Graph {
    std::vector<MemoryAccess> first{};   // of a node
    std::vector<MemoryAccess> second{};  // of the node that waits for it, or not
    bool chained = false;
    unsigned line = 0;
    Point newest = no_point;
  };

  std::size_t below(std::size_t end) {
    return std::uniform_int_distribution<std::size_t>(0, end - 1)(random_);
  }

  Strand strand_of(std::size_t stream) {
    const auto known = strands_.find(stream);
    if (known != strands_.end()) return known->second;
    return strands_.emplace(stream, model_.add_strand()).first->second;
  }
  Point last_of(std::size_t stream) {
    const auto known = last_.find(strand_of(stream));
    return known == last_.end() ? no_point : known->second;
  }
  Point model(Strand strand, std::vector<Point> after, const std::vector<MemoryAccess>& accesses,
              unsigned line) {
    if (strand != host_ && last_.count(host_) != 0) after.push_back(last_[host_]);
    const Point point = model_.add(strand, after, accesses, expected_);
    lines_.push_back(line);
    return last_[strand] = point;
  }

  void allocate(std::size_t memory) {
    const MemoryAccess access{64 * (memory + 1), 16, AccessKind::allocate};
    record_.on_host(ActionKind::host_allocate, access, ++line_);
    model(host_, {}, {access}, line_);
  }
  [[nodiscard]] MemoryAccess access(std::size_t memory) {
    const AccessKind kind = below(2) == 0 ? AccessKind::write : AccessKind::read;
    const std::uintptr_t begin = 64 * (memory + 1) + below(8);
    const std::size_t whole = MemoryAccess::whole_allocation;
    return {begin, below(3) == 0 ? whole : 1 + below(8), kind};
  }
  void submit(std::size_t stream, const std::vector<MemoryAccess>& accesses) {
    record_.submits(stream, accesses, ++line_);
    model(strand_of(stream), {}, accesses, line_);
  }
  void record(std::size_t event, std::size_t stream) {
    record_.records(event, stream, ++line_);
    events_[event] = model(strand_of(stream), {}, {}, line_);
  }
  void wait(std::size_t stream, std::size_t event) {
    record_.waits(stream, event, ++line_);
    model(strand_of(stream), {events_[event]}, {}, line_);
  }
  void host_waits(const Handed& end, const std::vector<Point>& model_ends) {
    record_.knows({end}, ++line_);
    model(host_, model_ends, {}, line_);
  }
  void destroy_stream(std::size_t stream) {
    ended_.push_back(last_of(stream));
    record_.destroys(stream, ++line_);
    model(host_, {}, {}, line_);
    strands_.erase(stream);
  }
  void capture(std::size_t number) {
    const std::size_t memory = seldom + 1 + 2 * number;
    Graph& graph = graphs_[number];
    graph = {{access(memory)}, {access(memory + 1)}, below(2) == 0, line_ + 1, no_point};
    line_ += 2;
    host::GraphNodes nodes;
    nodes.push_back({host::make_shared<Work>(graph.first, graph.line), {}});
    nodes.push_back({host::make_shared<Work>(graph.second, graph.line + 1), {}});
    if (graph.chained) nodes.back().after = {0};
    record_.makes_graph(number, std::move(nodes));
  }
  void launch(std::size_t number, std::size_t stream) {
    Graph& graph = graphs_[number];
    if (graph.line == 0) return;
    record_.launches(number, stream, ++line_);
    const std::vector<Point> before = {last_of(stream), graph.newest};
    const Point first = model(model_.add_strand(), before, graph.first, graph.line);
    std::vector<Point> then = before;
    if (graph.chained) then.push_back(first);
    const Point second = model(model_.add_strand(), then, graph.second, graph.line + 1);
    graph.newest = model(strand_of(stream), {first, second, graph.newest}, {}, line_);
  }
  /// Each of these buffers is ordered by an event alone, which stands for its newest use, however
  /// long ago that was and whether or not its stream still exists.
  void use_by_event(std::size_t stream, std::size_t memory) {
    if (below(1500) != 0) wait(stream, by_events + memory);
    submit(stream, {access(memory)});
    record(by_events + memory, stream);
  }
  void wait_for_all() {
    std::vector<Point> model_ends = ended_;
    for (const auto& [stream, strand] : strands_) model_ends.push_back(last_of(stream));
    record_.synchronizes_all(++line_);
    model(host_, model_ends, {}, line_);
    ended_.clear();
  }

  void step() {
    const std::size_t stream = below(most_streams);
    const std::size_t event = below(by_events);
    switch (below(24)) {
      case 0:
        return record(event, stream);
      case 1:
        return wait(stream, event);
      case 2:
        return host_waits(record_.end_of_stream(stream), {last_of(stream)});
      case 3:
        return host_waits(record_.end_of_event(event), {events_[event]});
      case 4:
        // Its work stays pending if nothing has waited for it.
        return destroy_stream(stream);
      case 5: {
        if (below(5) != 0) return;
        wait_for_all();
        const std::size_t memory = below(buffers - 2 * graphs);
        allocate(memory);
        return record(by_events + memory, stream);
      }
      case 6:
        if (below(20) == 0) {
          // The launches of another executable are not ordered with those of this one.
          if (below(30) != 0) wait_for_all();
          capture(below(graphs));
        }
        return;
      case 7:
      case 8:
        return launch(below(graphs), stream);
      case 9:
        record_.destroys_event(event);
        events_[event] = no_point;
        return;
      case 10:
        // Used by all streams without events, after a wait for all.
        if (below(8) != 0) return;
        if (below(30) != 0) wait_for_all();
        return submit(stream, {access(seldom)});
      default:
        return use_by_event(stream, below(below(3) == 0 ? seldom : 4));
    }
  }

  std::mt19937 random_;
  host_record::Record record_;
  PlainChecker model_;
  std::vector<Race> expected_;
  std::vector<unsigned> lines_;  // by the model's point
  std::map<Strand, Point> last_;
  std::map<std::size_t, Strand> strands_;
  std::map<std::size_t, Point>
      events_;  // a new one is 0, the first allocation, which orders nothing
  std::array<Graph, graphs> graphs_{};
  std::vector<Point> ended_;
  Strand host_ = 0;
  unsigned line_ = 0;
};

/// The lines of accesses that race with earlier ones. A point in a long list may have fewer
/// partners than in the model, but not none.
TEST(LongRandomPrograms, TheRecorderFindsTheModelsRaces) {
  std::size_t with_races = 0;
  std::size_t without = 0;
  for (std::uint32_t seed = 1; seed <= 40; ++seed) {
    Program program(seed);
    program.run(2600);
    const host_record::Record& record = program.record();
    EXPECT_GT(record.size(), 4500U);
    EXPECT_LT(record.recorder().held().accesses, 2000U);
    Pairs pairs;
    std::vector<unsigned> expected;
    std::vector<unsigned> found;
    const auto append = [](std::vector<unsigned>& lines, unsigned line) {
      if (lines.empty() || lines.back() != line) lines.push_back(line);
    };
    for (const Race& race : program.expected()) {
      pairs.emplace(program.line_of(race.first), program.line_of(race.second));
      append(expected, program.line_of(race.second));
    }
    for (const Race& race : record.recorder().races) {
      const unsigned first = record.line_of(race.first);
      const unsigned second = record.line_of(race.second);
      EXPECT_EQ(pairs.count({first, second}), 1U)
          << "program " << seed << ", lines " << first << " and " << second;
      append(found, second);
    }
    EXPECT_EQ(found, expected) << "program " << seed;
    ++(record.recorder().races.empty() ? without : with_races);
  }
  EXPECT_GT(with_races, 8U);
  EXPECT_GT(without, 8U);
}

}  // namespace
}  // namespace warpsafe::plain
