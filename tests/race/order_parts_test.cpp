// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// The parts of the race checker alone: clocks against a map, the order of points against its
// closure, and what the checker names, keeps and forgets.

#include "plain_checker.hpp"
#include <warpsafe/race/happens_before.hpp>
#include <warpsafe/race/race_checker.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <map>
#include <random>
#include <set>
#include <span>
#include <utility>
#include <vector>

namespace warpsafe::debug {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

// The first and the last strands of each level of the tree.
constexpr Strand strands[] = {0,         1,         31,        32,   33,      511,
                              512,       543,       8191,      8192, 8193,    (1U << 17U),
                              1U << 21U, 1U << 25U, 1U << 29U, ~0U,  ~0U - 1, ~0U - 32};

std::size_t parts_of(const Clock& clock) {
  std::set<const void*> parts;
  clock.collect_parts(parts);
  return parts.size();
}

TEST(Clock, KnowsWhatAMapOfTicksKnows) {
  std::mt19937 random(1);
  for (int round = 0; round < 120; ++round) {
    std::array<Clock, 4> clocks;
    std::array<std::map<Strand, std::uint32_t>, 4> ticks;
    const std::size_t some = 1 + random() % std::size(strands);
    for (int step = 0; step < 40; ++step) {
      const std::size_t a = random() % 4;
      const std::size_t b = random() % 4;
      switch (random() % 4) {
        case 0:
          clocks[a] = clocks[b];
          ticks[a] = ticks[b];
          break;
        case 1:
          clocks[a].raise(clocks[b]);
          for (const auto& [strand, tick] : ticks[b]) {
            ticks[a][strand] = std::max(ticks[a][strand], tick);
          }
          break;
        default: {
          const Epoch epoch{strands[random() % some], 1 + static_cast<std::uint32_t>(random() % 5)};
          clocks[a].raise(epoch);
          ticks[a][epoch.strand] = std::max(ticks[a][epoch.strand], epoch.tick);
        }
      }
      for (std::size_t i = 0; i < 4; ++i) {
        for (const Strand strand : strands) {
          const std::uint32_t known = ticks[i].count(strand) != 0 ? ticks[i][strand] : 0;
          if (known != 0) {
            ASSERT_TRUE(clocks[i].knows({strand, known})) << strand;
          }
          ASSERT_FALSE(clocks[i].knows({strand, known + 1})) << strand;
        }
      }
    }
  }
}

TEST(Clock, HasOnePartForEachThirtyTwoStrandsAndThePathsToThem) {
  const auto parts = [](std::initializer_list<Strand> which) {
    Clock clock;
    for (const Strand strand : which) clock.raise({strand, 1});
    return parts_of(clock);
  };
  EXPECT_EQ(parts({}), 0U);
  EXPECT_EQ(parts({0, 31}), 1U);
  EXPECT_EQ(parts({31, 32}), 3U) << "two of ticks and one above them";
  EXPECT_EQ(parts({32, 511}), 4U) << "the first leaf, two more, and one above";
  EXPECT_EQ(parts({511, 512}), 6U);
  EXPECT_EQ(parts({1U << 13U}), 7U) << "a path to the new strand, beside the old root's";
  EXPECT_EQ(parts({~0U}), 15U);
}

TEST(Clock, SharesItsPartsInsteadOfCopyingThem) {
  Clock one;
  for (const Strand strand : {0U, 40U, 80U}) one.raise({strand, 3});
  const std::size_t alone = parts_of(one);
  const auto parts_of_both = [&](const Clock& other) {
    std::set<const void*> parts;
    one.collect_parts(parts);
    other.collect_parts(parts);
    return parts.size() - alone;
  };
  Clock other(one);
  EXPECT_TRUE(other.same(one));
  EXPECT_EQ(parts_of_both(other), 0U);
  other.raise(one);
  EXPECT_TRUE(other.same(one)) << "it has all of that";
  other.raise({40, 4});
  EXPECT_FALSE(other.same(one));
  EXPECT_EQ(parts_of_both(other), 2U) << "the path to the strand";
  EXPECT_FALSE(one.knows({40, 4}));
  Clock empty;
  EXPECT_FALSE(empty.same(one));
  empty.raise(other);
  EXPECT_TRUE(empty.same(other)) << "all is taken over";
  Clock less;
  less.raise({80, 1});
  less.raise(one);
  EXPECT_EQ(parts_of_both(less), 1U) << "the leaves are shared, the root is its own";
  const Clock root_only = std::move(less);
  EXPECT_TRUE(root_only.knows({80, 3}));
  EXPECT_EQ(parts_of(less), 0U);  // NOLINT(bugprone-use-after-move)
  // Of two equal leaves each clock keeps its own.
  Clock equal;
  for (const Strand strand : {0U, 40U, 80U}) equal.raise({strand, 3});
  Clock before(equal);
  equal.raise(one);
  EXPECT_TRUE(equal.same(before)) << "nothing above what it had";
}

/// The closure of the order, as sets.
struct PlainOrder {
  std::vector<std::set<Point>> before;
  std::map<Strand, Point> last;
  void add(Strand strand, std::span<const Point> after) {
    std::set<Point> all;
    const auto join = [&](Point point) {
      if (point == no_point) return;
      all.insert(point);
      all.insert(before[point].begin(), before[point].end());
    };
    if (last.count(strand) != 0) join(last[strand]);
    for (const Point point : after) join(point);
    last[strand] = static_cast<Point>(before.size());
    before.push_back(std::move(all));
  }
};

TEST(HappensBefore, IsTheClosureAlsoAfterPointsAndStrandsWereForgotten) {
  std::mt19937 random(2);
  for (int round = 0; round < 20; ++round) {
    HappensBefore order;
    PlainOrder plain;
    std::vector<Strand> live;
    std::vector<Point> held;
    for (int i = 0; i < 3; ++i) live.push_back(order.add_strand());
    for (int step = 0; step < 60; ++step) {
      if (random() % 12 == 0) {
        const std::size_t which = random() % live.size();
        order.end_strand(live[which]);
        plain.last.erase(live[which]);
        live[which] = order.add_strand();
        ASSERT_EQ(order.last(live[which]), no_point);
      }
      if (random() % 12 == 0) {
        std::vector<Point> kept;
        for (const Point point : held) {
          if (random() % 3 == 0) kept.push_back(point);
        }
        std::set<Point> left(kept.begin(), kept.end());
        for (const Strand strand : live) {
          if (order.last(strand) != no_point) left.insert(order.last(strand));
        }
        if (!kept.empty()) kept.push_back(kept.front());
        kept.push_back(no_point);
        order.forget(kept, {});
        held.assign(left.begin(), left.end());
        ASSERT_EQ(order.points_held(), held.size());
      }
      std::vector<Point> after;
      for (std::size_t i = random() % 4; i > 0 && !held.empty(); --i) {
        after.push_back(random() % 5 == 0 ? no_point : held[random() % held.size()]);
      }
      const Strand strand = live[random() % live.size()];
      const Point point = order.add(strand, after);
      plain.add(strand, after);
      ASSERT_EQ(point, static_cast<Point>(plain.before.size() - 1));
      ASSERT_EQ(order.size(), plain.before.size());
      ASSERT_EQ(order.last(strand), point);
      held.push_back(point);
      for (const Point one : held) {
        for (const Point other : held) {
          ASSERT_EQ(order.before(one, other), plain.before[other].count(one) != 0)
              << one << " before " << other << " in round " << round;
          ASSERT_EQ(order.knows(other, order.epoch(one)),
                    one == other || plain.before[other].count(one) != 0);
        }
        Clock clock;
        order.add_to(clock, one);
        for (const Point other : held) {
          ASSERT_EQ(clock.knows(order.epoch(other)),
                    one == other || plain.before[one].count(other) != 0);
        }
      }
    }
  }
}

TEST(HappensBefore, AStrandIsForgottenWithItsLastPointUnlessItIsUsed) {
  const auto reused = [](bool ended, bool kept, bool used) {
    HappensBefore order;
    static_cast<void>(order.add_strand());
    const Strand strand = order.add_strand();
    static_cast<void>(order.add_strand());
    const Point point = order.add(strand);
    if (ended) order.end_strand(strand);
    order.forget(kept ? std::vector{point} : std::vector<Point>{},
                 used ? std::vector{false, true} : std::vector<bool>{});
    const Strand next = order.add_strand();
    EXPECT_EQ(order.strands_held(), next == strand ? 3U : 4U);
    return next == strand;
  };
  EXPECT_TRUE(reused(true, false, false));
  EXPECT_FALSE(reused(false, false, false));
  EXPECT_FALSE(reused(true, true, false));
  EXPECT_FALSE(reused(true, false, true));
}

TEST(HappensBefore, TheFirstStrandIsReusedTooAndItsTicksGoOn) {
  HappensBefore order;
  const Strand strand = order.add_strand();
  const Point first = order.add(strand);
  EXPECT_EQ(order.epoch(first).tick, 1U);
  order.end_strand(strand);
  order.forget({}, {});
  EXPECT_EQ(order.points_held(), 0U);
  EXPECT_FALSE(order.knows(first, {strand, 1}));
  EXPECT_EQ(order.add_strand(), strand);
  EXPECT_EQ(order.epoch(order.add(strand)).tick, 2U);
}

TEST(HappensBefore, AForgottenPointKnowsNothing) {
  HappensBefore order;
  const Strand strand = order.add_strand();
  const Point first = order.add(strand);
  const Epoch epoch = order.epoch(first);
  const Point second = order.add(strand);
  order.forget({}, {});
  EXPECT_FALSE(order.knows(first, epoch));
  EXPECT_FALSE(order.knows(second + 1, epoch)) << "no such point yet";
  EXPECT_TRUE(order.knows(second, epoch));
  EXPECT_EQ(order.points_held(), 1U);
  static_cast<void>(order.add(strand));
  static_cast<void>(order.add(strand));
  EXPECT_EQ(order.points_held(), 3U);
  order.clear();
  EXPECT_EQ(order.points_held(), 0U);
  EXPECT_EQ(order.strands_held(), 0U);
  EXPECT_EQ(order.clock_parts_held(), 0U);
  EXPECT_EQ(order.size(), 0U);
  const Strand one = order.add_strand();
  const Strand two = order.add_strand();
  EXPECT_EQ(one + 1, two);
  EXPECT_FALSE(order.before(order.add(one), order.add(two)));
}

TEST(HappensBefore, PointsShareTheClocksOfWhatTheyWaitFor) {
  HappensBefore order;
  const Strand host = order.add_strand();
  const Strand left = order.add_strand();
  const Strand right = order.add_strand();
  const Point begin[] = {order.add(host)};
  EXPECT_EQ(order.clock_parts_held(), 0U) << "nothing waited for it";
  const Point one = order.add(left, begin);
  EXPECT_EQ(order.clock_parts_held(), 1U) << "the host's point and what is in it";
  const Point two = order.add(right, begin);
  EXPECT_EQ(order.clock_parts_held(), 1U) << "two streams share it";
  const Point both[] = {one, two};
  static_cast<void>(order.add(host, both));
  EXPECT_EQ(order.clock_parts_held(), 3U) << "what the first knows, and what both know";
  // What the third knows already makes no clock.
  const Strand late = order.add_strand();
  const Point known[] = {order.add(late, both), one, begin[0]};
  EXPECT_EQ(order.clock_parts_held(), 4U);
  static_cast<void>(order.add(order.add_strand(), known));
  EXPECT_EQ(order.clock_parts_held(), 5U) << "only what that point knows with itself";
  order.forget({}, {});
  EXPECT_EQ(order.clock_parts_held(), 5U);
}

// --- The checker ---

class Checker : public testing::Test {
 protected:
  RaceChecker checker;
  Strand host = checker.add_strand();
  Strand one = checker.add_strand();
  Strand other = checker.add_strand();
  std::vector<Race> races;

  Point add(Strand strand, std::vector<Point> after, std::vector<MemoryAccess> accesses) {
    return checker.add(strand, after, accesses, races);
  }
  Point touch(Strand strand, AccessKind kind, std::uintptr_t begin = 64, std::size_t bytes = 16) {
    return add(strand, {}, {{begin, bytes, kind}});
  }
  std::set<Point> accesses_nameable() const {
    std::set<Point> points;
    checker.each_nameable([&](Point point) { points.insert(point); }, [](Point) {});
    return points;
  }
  std::set<Point> allocations_nameable() const {
    std::set<Point> points;
    checker.each_nameable([](Point) {}, [&](Point point) { points.insert(point); });
    return points;
  }
};

TEST(RaceParts, AReportMarksBothPointsAndNamesTheOthers) {
  std::vector<Point> marked{9};
  std::vector<Point> named{8};
  const Race bare{3, 5, {}, {}, 0, no_point, false};
  bare.add_points(marked, named);
  EXPECT_THAT(marked, ElementsAre(9, 3, 5));
  EXPECT_THAT(named, ElementsAre(8));
  Race full{3, 5, {}, {}, 0, 1, false, 2};
  full.overlap.through = 4;
  full.add_points(marked, named);
  EXPECT_THAT(marked, ElementsAre(9, 3, 5, 3, 5));
  EXPECT_THAT(named, ElementsAre(8, 1, 2, 4));
}

TEST(RaceParts, AnOverlapIsNoneUnlessItIsSet) {
  const Overlap none;
  EXPECT_FALSE(none.exists);
  EXPECT_FALSE(none.after_wait);
  EXPECT_EQ(none.wait.line, 0U);
  EXPECT_EQ(none.through, no_point);
}

TEST(RaceParts, RandomProgramsHaveTheRacesOfThePlainChecker) {
  std::mt19937 random(3);
  const auto below = [&](std::size_t n) { return random() % n; };
  for (int round = 0; round < 500; ++round) {
    RaceChecker checker;
    plain::PlainChecker model;
    for (int i = 0; i < 3; ++i) {
      static_cast<void>(checker.add_strand());
      static_cast<void>(model.add_strand());
    }
    std::vector<Race> races;
    std::vector<Race> expected;
    std::size_t points = 0;
    for (int step = 0; step < 14; ++step) {
      std::vector<MemoryAccess> accesses;
      for (std::size_t i = below(4); i > 0; --i) {
        MemoryAccess access{16 + 4 * below(8), 4 * (1 + below(4)), AccessKind::read};
        const std::size_t kind = below(10);
        // The model tells allocations apart by their points.
        const bool first = accesses.empty();
        access.kind = kind < 4            ? AccessKind::read
                      : kind < 7          ? AccessKind::write
                      : kind < 9 && first ? AccessKind::allocate
                                          : AccessKind::release;
        const bool whole = access.kind != AccessKind::allocate && below(3) == 0;
        if (whole) access.bytes = MemoryAccess::whole_allocation;
        accesses.push_back(access);
      }
      std::vector<Point> after;
      if (points != 0 && below(2) == 0) after.push_back(static_cast<Point>(below(points)));
      const auto strand = static_cast<Strand>(below(3));
      ASSERT_EQ(checker.add(strand, after, accesses, races),
                model.add(strand, after, accesses, expected));
      ++points;
    }
    const auto text = [](const std::vector<Race>& all) {
      std::vector<std::vector<std::size_t>> lines;
      for (const Race& race : all) {
        lines.push_back({race.first, race.second, race.allocation, race.allocated, race.ordered,
                         race.first_access.begin, race.first_access.bytes,
                         static_cast<std::size_t>(race.first_access.kind), race.second_access.begin,
                         race.second_access.bytes,
                         static_cast<std::size_t>(race.second_access.kind)});
      }
      return lines;
    };
    ASSERT_EQ(text(races), text(expected)) << "round " << round;
  }
}

TEST_F(Checker, AUseThatIsNotOrderedWithTheAllocationNamesTheFreeBefore) {
  touch(one, AccessKind::allocate);
  const Point freed = touch(one, AccessKind::release);
  const Point again = touch(one, AccessKind::allocate);
  ASSERT_THAT(races, IsEmpty());
  touch(other, AccessKind::write);  // not ordered with the allocation
  ASSERT_EQ(races.size(), 1U);
  EXPECT_EQ(races[0].freed_before, freed);
  EXPECT_EQ(races[0].allocated, again);
  races.clear();
  touch(one, AccessKind::read);
  ASSERT_EQ(races.size(), 1U) << "with the stale write";
  EXPECT_EQ(races[0].freed_before, freed) << "as the first of both is stale";
  races.clear();
  add(host, {again}, {{64, 16, AccessKind::read}});
  add(one, {again}, {{64, 16, AccessKind::write}});
  ASSERT_EQ(races.size(), 3U);
  EXPECT_EQ(races[2].freed_before, no_point) << "both know the allocation";
}

TEST_F(Checker, AnAllocationThatAllKnowNeedsNoFreeBefore) {
  touch(one, AccessKind::allocate);
  touch(one, AccessKind::release);
  const Point again = touch(one, AccessKind::allocate);
  const Point after = add(host, {again}, {});
  checker.end_strand(one);
  checker.forget(after, {});
  EXPECT_EQ(checker.order().strands_held(), 3U);
  EXPECT_EQ(checker.add_strand(), one) << "nothing needs the strand";
  const Point free_of_it = add(other, {after}, {{64, 16, AccessKind::write}});
  static_cast<void>(free_of_it);
  races.clear();
  add(host, {}, {{64, 16, AccessKind::write}});
  ASSERT_EQ(races.size(), 1U);
  EXPECT_EQ(races[0].freed_before, no_point);
}

TEST_F(Checker, AnAllocationAfterTheFloorKeepsItsStrand) {
  const Point floor = add(host, {}, {});
  touch(one, AccessKind::allocate);
  const Point freed = touch(one, AccessKind::release);
  touch(one, AccessKind::allocate);
  checker.end_strand(one);
  checker.forget(floor, {});
  EXPECT_NE(checker.add_strand(), one);
  races.clear();
  touch(other, AccessKind::write);
  ASSERT_EQ(races.size(), 1U);
  EXPECT_EQ(races[0].freed_before, freed);
}

TEST_F(Checker, AnOverlapNamesTheAllocation) {
  const Point made = touch(one, AccessKind::allocate);
  const MemoryAccess write{70, 4, AccessKind::write};
  const MemoryAccess read{70, 2, AccessKind::read};
  const Race known = checker.overlap(3, 4, write, read, {true, true, {nullptr, nullptr, 0}, 2});
  EXPECT_EQ(known.first, 3U);
  EXPECT_EQ(known.second, 4U);
  EXPECT_EQ(known.first_access, write);
  EXPECT_EQ(known.second_access, read);
  EXPECT_EQ(known.allocation, 64U);
  EXPECT_EQ(known.allocated, made);
  EXPECT_FALSE(known.ordered);
  EXPECT_EQ(known.freed_before, no_point);
  EXPECT_TRUE(known.overlap.exists);
  EXPECT_TRUE(known.overlap.after_wait);
  EXPECT_EQ(known.overlap.through, 2U);
  const Race unknown = checker.overlap(3, 4, {80, 4}, {80, 4}, {});
  EXPECT_EQ(unknown.allocation, 0U);
  EXPECT_EQ(unknown.allocated, no_point);
}

TEST_F(Checker, CountsAndNamesWhatItHolds) {
  const Point made = touch(one, AccessKind::allocate);
  const Point written = touch(one, AccessKind::write);
  const Point read = touch(one, AccessKind::read);
  const Point freed = touch(one, AccessKind::release);
  EXPECT_EQ(checker.accesses_held(), 4U);
  EXPECT_THAT(accesses_nameable(), UnorderedElementsAre(made, written, read, freed));
  EXPECT_THAT(allocations_nameable(), UnorderedElementsAre(made));
  const Point outside = add(one, {}, {{4096, 4, AccessKind::read}, {8192, 4, AccessKind::write}});
  EXPECT_EQ(checker.accesses_held(), 6U);
  EXPECT_EQ(accesses_nameable().count(outside), 1U);
  const Point again = touch(one, AccessKind::allocate);
  EXPECT_EQ(checker.accesses_held(), 3U) << "the first life has gone";
  EXPECT_EQ(checker.allocations_held(), 1U);
  EXPECT_THAT(allocations_nameable(), UnorderedElementsAre(again, freed));
  touch(one, AccessKind::allocate, 80, 16);
  EXPECT_EQ(checker.allocations_held(), 2U) << "beside the first";
  touch(one, AccessKind::allocate, 48, 16);
  EXPECT_EQ(checker.allocations_held(), 3U);
  touch(one, AccessKind::allocate, 70, 12);
  EXPECT_EQ(checker.allocations_held(), 2U) << "it takes the place of two";
  checker.clear();
  EXPECT_EQ(checker.accesses_held(), 0U);
  EXPECT_EQ(checker.allocations_held(), 0U);
  EXPECT_THAT(accesses_nameable(), IsEmpty());
  EXPECT_EQ(checker.add_strand(), 0U);
}

TEST_F(Checker, ForgetsOrderedAccessesAndKeepsFreesAndTheRest) {
  const Point made = touch(one, AccessKind::allocate);
  touch(one, AccessKind::write);
  touch(one, AccessKind::read);
  touch(one, AccessKind::read, 4096);
  const Point freed = touch(one, AccessKind::release);
  const Point floor = add(host, {freed}, {});
  const Point late = touch(other, AccessKind::read, 4096);
  checker.forget(floor, {});
  EXPECT_EQ(checker.accesses_held(), 2U);
  EXPECT_THAT(accesses_nameable(), UnorderedElementsAre(freed, late));
  EXPECT_THAT(allocations_nameable(), UnorderedElementsAre(made));
  checker.forget(floor, {});
  EXPECT_EQ(checker.accesses_held(), 2U) << "again";
  add(one, {floor}, {{64, 4, AccessKind::read}});
  ASSERT_EQ(races.size(), 1U) << "a use after the free";
  EXPECT_TRUE(races[0].ordered);
  races.clear();
  add(one, {floor}, {{4096, 4, AccessKind::write}});
  ASSERT_EQ(races.size(), 1U);
  EXPECT_EQ(races[0].first, late);
  EXPECT_FALSE(races[0].ordered);
}

TEST_F(Checker, AStrandOfAnAccessThatIsKeptIsNotReused) {
  const Point floor = add(host, {}, {});
  touch(one, AccessKind::write);
  checker.end_strand(one);
  checker.forget(floor, {});
  EXPECT_NE(checker.add_strand(), one);
}

TEST_F(Checker, AStrandOfAnAllocationIsKeptWhereAFreeBeforeItMayBeNamed) {
  for (const bool again : {true, false}) {
    checker.clear();
    host = checker.add_strand();
    one = checker.add_strand();
    other = checker.add_strand();
    const Point floor = add(host, {}, {});
    const Point freed =
        again ? add(host, {}, {{64, 16, AccessKind::allocate}, {64, 16, AccessKind::release}})
              : no_point;
    const Point made = touch(one, AccessKind::allocate);
    // So many writes that the checker drops the allocation's own access.
    for (int i = 0; i < 70; ++i) add(other, {made}, {{64, 16, AccessKind::write}});
    ASSERT_EQ(accesses_nameable().count(made), 0U);
    checker.end_strand(one);
    checker.forget(floor, {});
    EXPECT_EQ(checker.add_strand() == one, !again);
    races.clear();
    add(host, {}, {{64, 16, AccessKind::write}});
    ASSERT_FALSE(races.empty());
    EXPECT_EQ(races[0].freed_before, freed);
  }
}

/// A list from this length on is searched for what is superfluous.
constexpr std::size_t prune_at = 64;

TEST_F(Checker, AWriteDropsWhatItCoversOnlyInALongList) {
  // With the write before it, it finds `extra` accesses and itself.
  for (const std::size_t before : {prune_at - 1, prune_at}) {
    checker.clear();
    one = checker.add_strand();
    for (std::size_t i = 0; i < before; ++i) touch(one, AccessKind::write);
    // The write that finds 64 others drops them.
    EXPECT_EQ(checker.accesses_held(), before);
    touch(one, AccessKind::write);
    EXPECT_EQ(checker.accesses_held(), before == prune_at ? 1U : prune_at);
  }
}

TEST_F(Checker, AWriteDropsOnlyWhatItCoversAndComesAfter) {
  const auto left_after = [&](MemoryAccess last, int times = 1) {
    checker.clear();
    one = checker.add_strand();
    other = checker.add_strand();
    for (std::size_t i = 0; i < 60; ++i) touch(one, AccessKind::read, 64, 16);
    touch(one, AccessKind::write, 60, 8);
    touch(one, AccessKind::write, 76, 8);
    touch(other, AccessKind::read, 64, 16);  // not ordered
    touch(one, AccessKind::release, 64, 16);
    for (int i = 0; i < times; ++i) add(one, {}, {last});
    return checker.accesses_held() - 1;
  };
  EXPECT_EQ(left_after({64, 16, AccessKind::write}), 4U) << "its exact bytes go";
  EXPECT_EQ(left_after({60, 20, AccessKind::write}), 3U);
  EXPECT_EQ(left_after({64, 20, AccessKind::write}), 3U);
  EXPECT_EQ(left_after({60, 24, AccessKind::write}), 2U) << "all but the free and the unordered";
  EXPECT_EQ(left_after({65, 15, AccessKind::write}), 64U);
  EXPECT_EQ(left_after({64, 15, AccessKind::write}), 64U);
  EXPECT_EQ(left_after({60, 24, AccessKind::read}, 3), 4U) << "reads drop reads only";
  EXPECT_EQ(left_after({60, 24, AccessKind::write, 2, 24}), 64U) << "rows have gaps";
}

TEST_F(Checker, ReadsSearchTheReadsOnceForEachSixteenthOfThem) {
  const auto searches = [&](std::size_t reads, std::size_t unordered) {
    checker.clear();
    one = checker.add_strand();
    other = checker.add_strand();
    for (std::size_t i = 0; i < unordered; ++i) touch(other, AccessKind::read, 64 + 16 * i);
    std::vector<std::size_t> held;
    for (std::size_t i = 0; i < reads; ++i) {
      const std::size_t before = checker.accesses_held();
      touch(one, AccessKind::read);
      if (checker.accesses_held() <= before) held.push_back(i);
    }
    return held;
  };
  // With 64 reads a search comes at each fourth read, counted from the read that finds 64.
  EXPECT_THAT(searches(12, 64), ElementsAre(3, 7, 11));
  EXPECT_THAT(searches(12, 80), ElementsAre(4, 9));
  EXPECT_THAT(searches(8, 62), ElementsAre(5));
}

TEST_F(Checker, AWholeAllocationIsItsBytesAndOfUnknownMemoryOne) {
  touch(one, AccessKind::allocate, 64, 16);
  add(one, {}, {{70, MemoryAccess::whole_allocation, AccessKind::write}});
  races.clear();
  touch(other, AccessKind::read, 79, 1);
  ASSERT_EQ(races.size(), 2U) << "with the allocation and the write";
  EXPECT_EQ(races[1].first_access, (MemoryAccess{64, 16, AccessKind::write}));
  EXPECT_EQ(races[1].allocation, 64U);
  races.clear();
  add(one, {}, {{80, MemoryAccess::whole_allocation, AccessKind::write}});
  touch(other, AccessKind::read, 81, 1);
  EXPECT_THAT(races, IsEmpty());
  touch(other, AccessKind::read, 80, 1);
  ASSERT_EQ(races.size(), 1U);
  EXPECT_EQ(races[0].allocation, 0U);
  EXPECT_EQ(races[0].first_access, (MemoryAccess{80, 1, AccessKind::write}));
}

TEST_F(Checker, RacesComeInTheOrderOfThePointsAndNameTheFirstAccess) {
  const Point first = touch(one, AccessKind::read, 64, 4);
  const Point second = add(one, {}, {{64, 8, AccessKind::read}, {64, 4, AccessKind::write}});
  const Point third = touch(one, AccessKind::write, 64, 2);
  races.clear();
  touch(other, AccessKind::write, 64, 16);
  ASSERT_EQ(races.size(), 3U);
  EXPECT_EQ(races[0].first, first);
  EXPECT_EQ(races[1].first, second);
  EXPECT_EQ(races[1].first_access.kind, AccessKind::read) << "the point's first access";
  EXPECT_EQ(races[2].first, third);
}

TEST_F(Checker, ManyAccessesInAllListsMakeShortListsBeSearchedToo) {
  constexpr std::size_t all = 16384;
  for (std::size_t i = 0; i + 1 < all; ++i) {
    // Each in an allocation of its own, which is one access.
    touch(one, AccessKind::allocate, 4096 + 64 * i, 64);
  }
  ASSERT_EQ(checker.accesses_held(), all - 1);
  touch(one, AccessKind::write, 4096, 64);
  EXPECT_EQ(checker.accesses_held(), all) << "not yet many";
  touch(one, AccessKind::write, 4096, 64);
  EXPECT_EQ(checker.accesses_held(), all - 1) << "two gone, one come";
}

}  // namespace
}  // namespace warpsafe::debug
