// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// The checker forgets what cannot race. A plain model that forgets nothing and compares all pairs
// must agree with it, on random programs of streams, events, graphs and the host.

#include "plain_checker.hpp"
#include <warpsafe/race/race_checker.hpp>

#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <random>
#include <set>
#include <string>
#include <tuple>
#include <vector>

namespace warpsafe::plain {
namespace {

using debug::no_point;
using debug::Point;
using debug::Race;
using debug::RaceChecker;
using debug::Strand;

/// A random program, reported to the checker and to the model at once. The program's streams,
/// events and graphs come and go; the checker is told to forget at random points.
class RandomProgram {
 public:
  RandomProgram(std::uint32_t seed, bool ordered) : random_(seed), ordered_(ordered) {
    host_ = checker_.add_strand();
    model_host_ = model_.add_strand();
    for (Stream& stream : streams_) make(stream);
  }
  void run(std::size_t actions) {
    while (checker_.order().size() < actions) {
      step();
      if (below(forget_every_) == 0) forget();
    }
  }
  [[nodiscard]] const std::vector<Race>& found() const { return found_; }
  [[nodiscard]] const std::vector<Race>& expected() const { return expected_; }

 private:
  struct Stream {
    Strand strand;
    Strand model;
  };
  struct Graph {
    std::vector<std::vector<std::size_t>> after{};  // by node
    std::vector<std::vector<MemoryAccess>> accesses{};
    Point newest = no_point;
  };

  std::size_t below(std::size_t end) {
    return std::uniform_int_distribution<std::size_t>(0, end - 1)(random_);
  }
  void make(Stream& stream) { stream = {checker_.add_strand(), model_.add_strand()}; }

  std::vector<MemoryAccess> some_accesses() {
    std::vector<MemoryAccess> accesses;
    for (std::size_t i = 1 + below(2); i != 0; --i) {
      const std::size_t memory = below(4);
      const std::uintptr_t begin = 64 * (memory + 1) + below(12);
      const AccessKind kind = below(3) == 0 ? AccessKind::write : AccessKind::read;
      // The last memory is never allocated, so it has no whole.
      switch (below(4)) {
        case 0:
          accesses.push_back({begin, 1, kind, 2, 3});
          break;
        case 1:
          accesses.push_back({begin, 1 + below(4), kind});
          break;
        default:
          accesses.push_back({begin, memory == 3 ? 2 : MemoryAccess::whole_allocation, kind});
      }
    }
    return accesses;
  }
  Point add(const Stream& stream, std::vector<Point> after,
            const std::vector<MemoryAccess>& accesses) {
    const Point point = checker_.add(stream.strand, after, accesses, found_);
    EXPECT_EQ(model_.add(stream.model, after, accesses, expected_), point);
    return point;
  }
  Point submit(const Stream& stream, Point after, const std::vector<MemoryAccess>& accesses) {
    return add(stream, {checker_.order().last(host_), after}, accesses);
  }
  Point on_host(const std::vector<Point>& after, const std::vector<MemoryAccess>& accesses) {
    return add({host_, model_host_}, after, accesses);
  }
  [[nodiscard]] Point last(const Stream& stream) const {
    return checker_.order().last(stream.strand);
  }

  void launch(const Stream& stream, Graph& graph) {
    const std::vector<Point> before = {checker_.order().last(host_), last(stream), graph.newest};
    std::vector<Point> all = before;
    const auto first = static_cast<Point>(checker_.order().size());
    for (std::size_t i = 0; i < graph.after.size(); ++i) {
      std::vector<Point> after = before;
      for (const std::size_t node : graph.after[i]) {
        after.push_back(first + static_cast<Point>(node));
      }
      Stream own{};
      make(own);
      all.push_back(add(own, after, graph.accesses[i]));
      checker_.end_strand(own.strand);
    }
    graph.newest = add(stream, all, {});
  }
  void capture(Graph& graph) {
    graph = {};
    for (std::size_t i = 0, nodes = 1 + below(5); i < nodes; ++i) {
      graph.after.emplace_back();
      for (std::size_t j = 0; j < i; ++j) {
        if (below(ordered_ ? 2 : 3) == 0) graph.after.back().push_back(j);
      }
      graph.accesses.push_back(some_accesses());
    }
  }
  void step() {
    Stream& stream = streams_[below(streams_.size())];
    Point& event = events_[below(events_.size())];
    const std::uintptr_t memory = 64 * (1 + below(3));
    switch (below(ordered_ ? 24 : 16)) {
      case 0:
        event = submit(stream, no_point, {});
        break;
      case 1:
        submit(stream, event, {});
        break;
      case 2:
        event = no_point;
        break;
      case 3:
        on_host({last(stream)}, {});
        break;
      case 4:
        on_host({event}, {});
        break;
      case 5: {  // the host waits for all, also for the work of destroyed streams
        if (below(3) != 0) break;
        std::vector<Point> all = ended_;
        for (const Stream& one : streams_) all.push_back(last(one));
        on_host(all, {});
        ended_.clear();
        break;
      }
      case 6:  // destroyed, perhaps with pending work
        if (last(stream) != no_point) ended_.push_back(last(stream));
        checker_.end_strand(stream.strand);
        make(stream);
        break;
      case 7:
        on_host({}, some_accesses());
        break;
      case 8:
        if (below(2) == 0) capture(graphs_[below(graphs_.size())]);
        break;
      case 9:
        launch(stream, graphs_[below(graphs_.size())]);
        break;
      case 10:
        submit(stream, no_point, {{memory, 16, AccessKind::allocate}});
        break;
      case 11:
        submit(stream, no_point, {{memory, MemoryAccess::whole_allocation, AccessKind::release}});
        break;
      case 12:
      case 13:
      case 14:
      case 15:
        submit(stream, no_point, some_accesses());
        break;
      default:  // work that waits for another stream
        submit(stream, last(streams_[below(streams_.size())]), some_accesses());
    }
  }
  void forget() {
    std::vector<Point> kept(events_.begin(), events_.end());
    kept.insert(kept.end(), ended_.begin(), ended_.end());
    for (const Graph& graph : graphs_) kept.push_back(graph.newest);
    checker_.forget(checker_.order().last(host_), kept);
    forget_every_ = 1 + below(20);
  }

  std::mt19937 random_;
  bool ordered_;
  RaceChecker checker_;
  PlainChecker model_;
  std::vector<Race> found_;
  std::vector<Race> expected_;
  Strand host_ = 0;
  Strand model_host_ = 0;
  std::array<Stream, 4> streams_{};
  std::array<Point, 3> events_{no_point, no_point, no_point};
  std::array<Graph, 2> graphs_{};
  std::vector<Point> ended_;
  std::size_t forget_every_ = 3;
};

[[nodiscard]] std::string text_of(const std::vector<Race>& races) {
  std::string text;
  for (const Race& race : races) {
    text += std::to_string(race.first) + (race.ordered ? " before " : " beside ") +
            std::to_string(race.second) + " in " + std::to_string(race.allocation) + " of " +
            std::to_string(race.allocated) + '\n';
  }
  return text;
}

/// No list of accesses becomes so long that one access stands for others.
TEST(Forgetting, TheSameRacesAsTheModelInShortPrograms) {
  std::size_t with_races = 0;
  std::size_t without = 0;
  for (std::uint32_t seed = 1; seed <= 20000; ++seed) {
    RandomProgram program(seed, seed % 2 == 0);
    program.run(seed % 50 + 10);
    ASSERT_EQ(text_of(program.found()), text_of(program.expected())) << "program " << seed;
    for (std::size_t i = 0; i < program.found().size(); ++i) {
      ASSERT_EQ(program.found()[i].first_access, program.expected()[i].first_access);
      ASSERT_EQ(program.found()[i].second_access, program.expected()[i].second_access);
    }
    ++(program.found().empty() ? without : with_races);
  }
  EXPECT_GT(with_races, 1000U);
  EXPECT_GT(without, 1000U);
}

/// In a long list one access stands for those that it covers: each racing point still has a race
/// in the same memory, and each race is one of the model's.
TEST(Forgetting, ARaceForEachRaceOfTheModelInLongPrograms) {
  using Side = std::tuple<Point, std::uintptr_t>;
  using Pair = std::tuple<Point, Point, std::uintptr_t, bool>;
  for (std::uint32_t seed = 1; seed <= 60; ++seed) {
    RandomProgram program(seed, seed % 2 == 0);
    program.run(1500);
    std::set<Side> found;
    std::set<Side> expected;
    std::set<Pair> pairs;
    for (const Race& race : program.expected()) {
      expected.insert({race.second, race.allocation});
      pairs.insert({race.first, race.second, race.allocation, race.ordered});
    }
    for (const Race& race : program.found()) {
      found.insert({race.second, race.allocation});
      ASSERT_EQ(pairs.count({race.first, race.second, race.allocation, race.ordered}), 1U)
          << "program " << seed << ": " << text_of({race});
    }
    ASSERT_EQ(found, expected) << "program " << seed;
    EXPECT_GT(found.size(), 100U);
  }
}

}  // namespace
}  // namespace warpsafe::plain
