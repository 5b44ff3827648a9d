// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// The race checker against brute force: tens of thousands of random programs, each in every order
// in which it can run.

#include "brute_force.hpp"
#include <warpsafe/race/race_checker.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <random>
#include <set>
#include <string>
#include <vector>

namespace warpsafe::brute_force {
namespace {

using debug::no_point;
using debug::Point;
using debug::Race;
using debug::RaceChecker;
using debug::Strand;

/// Reports a program's actions to the checker as the host backend does. Points are steps.
[[nodiscard]] std::vector<Race> check(const Program& program) {
  RaceChecker checker;
  std::vector<Race> races;
  const Strand host = checker.add_strand();
  std::array<Strand, streams> strands{};
  for (Strand& strand : strands) strand = checker.add_strand();
  std::array<Point, events> newest_record;
  newest_record.fill(no_point);
  for (const Step& step : program) {
    std::vector<Point> after;
    if (step.on_a_stream()) after.push_back(checker.order().last(host));
    if (step.what == What::wait || step.what == What::event_synchronize) {
      after.push_back(newest_record[step.event]);
    }
    if (step.what == What::stream_synchronize) {
      after.push_back(checker.order().last(strands[step.stream]));
    }
    const Strand strand = step.on_a_stream() ? strands[step.stream] : host;
    const Point point = checker.add(strand, after, step.accesses, races);
    if (step.what == What::record) newest_record[step.event] = point;
  }
  return races;
}

[[nodiscard]] std::string describe(const Program& program) {
  std::string text;
  for (std::size_t i = 0; i < program.size(); ++i) {
    const Step& step = program[i];
    text += std::to_string(i) + ": kind " + std::to_string(static_cast<int>(step.what)) +
            " stream " + std::to_string(step.stream) + " event " + std::to_string(step.event);
    for (const MemoryAccess& access : step.accesses) {
      text += " [" + std::to_string(access.begin) + " bytes " + std::to_string(access.bytes) +
              " rows " + std::to_string(access.rows) + " kind " +
              std::to_string(static_cast<int>(access.kind)) + "]";
    }
    text += '\n';
  }
  return text;
}

TEST(RaceChecker, AgreesWithEveryOrderOfRandomPrograms) {
  std::mt19937 random(1);
  int with_races = 0;
  int without = 0;
  for (int i = 0; i < 60000; ++i) {
    const Program program = random_program(random);
    std::set<Conflict> found;
    for (const Race& race : check(program)) {
      const bool fresh = found.insert({race.first, race.second, race.allocation}).second;
      ASSERT_TRUE(fresh) << "a race is reported once\n" << describe(program);
    }
    ASSERT_EQ(found, races_of(program)) << "program " << i << '\n' << describe(program);
    found.empty() ? ++without : ++with_races;
  }
  // Neither result is rare.
  EXPECT_GT(with_races, 10000);
  EXPECT_GT(without, 10000);
}

TEST(RaceChecker, FindsARaceBehindThousandsOfOrderedAccesses) {
  for (const AccessKind kind : {AccessKind::read, AccessKind::write}) {
    for (const bool ordered : {true, false}) {
      RaceChecker checker;
      std::vector<Race> races;
      const Strand host = checker.add_strand();
      const Strand one = checker.add_strand();
      const Strand other = checker.add_strand();
      const MemoryAccess memory{64, 16, AccessKind::allocate};
      static_cast<void>(checker.add(one, {}, {&memory, 1}, races));
      Point last = no_point;
      for (int i = 0; i < 5000; ++i) {
        const MemoryAccess whole{72, MemoryAccess::whole_allocation,
                                 i % 3 == 0 ? AccessKind::write : AccessKind::read};
        const Point after[] = {checker.order().last(host)};
        last = checker.add(one, after, {&whole, 1}, races);
      }
      ASSERT_TRUE(races.empty());
      const Point after[] = {ordered ? last : no_point};
      const MemoryAccess late{70, 4, kind};
      static_cast<void>(checker.add(other, after, {&late, 1}, races));
      EXPECT_EQ(races.empty(), ordered);
    }
  }
}

TEST(RaceChecker, ARaceThatRepeatsIsNotComparedWithAllOfItsPast) {
  for (const unsigned reads : {1U, 2U, 5U, 40U}) {
    RaceChecker checker;
    const Strand host = checker.add_strand();
    const Strand writer = checker.add_strand();
    const Strand reader = checker.add_strand();
    std::vector<Race> races;
    const Point begun[] = {checker.add(host, {}, {}, races)};
    const MemoryAccess write[] = {{4096, 64, AccessKind::write}};
    const MemoryAccess read[] = {{4096, 64, AccessKind::read}};
    std::size_t most = 0;
    for (unsigned round = 0; round < 2000; ++round) {
      races.clear();
      checker.add(writer, begun, write, races);
      most = std::max(most, races.size());
      for (unsigned i = 0; i < reads; ++i) {
        races.clear();
        checker.add(reader, begun, read, races);
        EXPECT_FALSE(races.empty()) << "each read races with the last write";
        most = std::max(most, races.size());
      }
    }
    EXPECT_LT(checker.accesses_held(), 200U) << reads << " reads for each write";
    EXPECT_LT(most, 200U) << reads << " reads for each write";
  }
}

TEST(RaceChecker, MemoryThatIsHandedOutAgainBeginsANewLife) {
  RaceChecker checker;
  std::vector<Race> races;
  const Strand one = checker.add_strand();
  const Strand other = checker.add_strand();
  const auto touch = [&](Strand strand, AccessKind kind) {
    const MemoryAccess access{64, 16, kind};
    static_cast<void>(checker.add(strand, {}, {&access, 1}, races));
    return races.size();
  };
  EXPECT_EQ(touch(one, AccessKind::allocate), 0U);
  EXPECT_EQ(touch(one, AccessKind::write), 0U);
  EXPECT_EQ(touch(one, AccessKind::release), 0U);
  EXPECT_EQ(touch(other, AccessKind::allocate), 0U);
  EXPECT_EQ(touch(other, AccessKind::write), 0U);
  EXPECT_EQ(touch(other, AccessKind::release), 0U);
  EXPECT_EQ(touch(other, AccessKind::read), 1U);
  EXPECT_TRUE(races.front().ordered) << "after the end of its life, and in order";
}

TEST(HappensBefore, StrandsThatJoinLaterAreInOrderToo) {
  debug::HappensBefore order;
  const Strand host = order.add_strand();
  const Point first = order.add(host);
  const Strand late = order.add_strand();
  const Point after[] = {first};
  const Point second = order.add(late, after);
  const Point third = order.add(host);
  EXPECT_TRUE(order.before(first, second));
  EXPECT_FALSE(order.before(second, first));
  EXPECT_FALSE(order.before(second, third));
  EXPECT_FALSE(order.before(third, second));
  EXPECT_FALSE(order.before(third, third));
  const Point back[] = {second};
  EXPECT_TRUE(order.before(second, order.add(host, back)));
  EXPECT_EQ(order.size(), 4U);
  order.clear();
  EXPECT_EQ(order.add_strand(), host) << "as new";
}

TEST(MemoryAccess, RowsOverlapOnlyWhereTheirBytesDo) {
  const MemoryAccess left{100, 4, AccessKind::write, 3, 8};
  const MemoryAccess right{104, 4, AccessKind::write, 3, 8};
  EXPECT_FALSE(left.overlaps(right)) << "two halves of a matrix";
  EXPECT_TRUE(left.overlaps({103, 2, AccessKind::read}));
  EXPECT_FALSE(left.overlaps({104, 4, AccessKind::read}));
  EXPECT_FALSE(left.overlaps({120, 100, AccessKind::read})) << "behind the last row";
  EXPECT_EQ(left.extent(), 20U);
}

}  // namespace
}  // namespace warpsafe::brute_force
