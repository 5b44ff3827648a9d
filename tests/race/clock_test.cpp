// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// The clocks against maps, what they share, and what the order of points and the checker hold in
// memory.

#include <warpsafe/race/race_checker.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <random>
#include <set>
#include <span>
#include <utility>
#include <vector>

namespace warpsafe::debug {
namespace {

using testing::ElementsAre;
using testing::UnorderedElementsAre;
using Parts = std::set<const void*>;

/// Strands on both sides of each limit of the tree: 5 bits, then 4 at each level.
constexpr Strand limits[] = {0,          1,          31,        32,        33,        511,
                             512,        8191,       8192,      131071,    131072,    2097151,
                             2097152,    33554431,   33554432,  536870911, 536870912, 2147483647,
                             2147483648, 4026531840, 4294967295};

[[nodiscard]] Parts parts_of(const Clock& clock) {
  Parts parts;
  clock.collect_parts(parts);
  return parts;
}

TEST(Clock, KnowsNoTickOfItsOwn) {
  const Clock clock;
  for (const Strand strand : limits) {
    EXPECT_FALSE(clock.knows({strand, 1}));
    EXPECT_FALSE(clock.knows({strand, 0})) << "an empty clock";
  }
  EXPECT_THAT(parts_of(clock), testing::IsEmpty());
}

// A strand on each side of a limit adds as many levels as it needs, and no other strand is known.
TEST(Clock, HasAsManyLevelsAsItsGreatestStrandNeeds) {
  const std::pair<Strand, std::size_t> rows[] = {
      {0, 1},          {31, 1},         {32, 2},       {511, 2},       {512, 3},
      {8191, 3},       {8192, 4},       {131071, 4},   {131072, 5},    {2097151, 5},
      {2097152, 6},    {33554431, 6},   {33554432, 7}, {536870911, 7}, {536870912, 8},
      {2147483648, 8}, {4294967295, 8},
  };
  for (const auto& [strand, levels] : rows) {
    Clock clock;
    clock.raise({strand, 7});
    EXPECT_EQ(parts_of(clock).size(), 2 * levels - 1) << "and a path to strand 0, for " << strand;
    for (const Strand other : limits) {
      EXPECT_EQ(clock.knows({other, 1}), other == strand) << strand << ' ' << other;
      EXPECT_EQ(clock.knows({other, 7}), other == strand) << strand << ' ' << other;
      EXPECT_FALSE(clock.knows({other, 8}));
    }
    clock.raise({strand, 6});
    EXPECT_TRUE(clock.knows({strand, 7})) << "a tick only rises";
    clock.raise({0, 3});
    EXPECT_EQ(clock.knows({strand, 7}), true);
    EXPECT_EQ(clock.knows({0, 3}), true);
    EXPECT_EQ(clock.knows({0, 4}), strand == 0);
    EXPECT_EQ(parts_of(clock).size(), 2 * levels - 1);
  }
}

TEST(Clock, NewPartsAreZeroWhereverTheirMemoryComesFrom) {
  {
    std::vector<Clock> full(8);
    for (Clock& clock : full) {
      for (Strand strand = 0; strand < 64; ++strand) clock.raise({strand, ~0U});
    }
  }
  std::vector<Clock> fresh(8);
  for (Clock& clock : fresh) clock.raise({3, 1});
  for (const Clock& clock : fresh) {
    for (Strand strand = 0; strand < 64; ++strand) EXPECT_EQ(clock.knows({strand, 1}), strand == 3);
  }
}

/// A clock and the map that it stands for.
struct Both {
  Clock clock;
  std::map<Strand, std::uint32_t> ticks;

  void raise(const Epoch& epoch) {
    clock.raise(epoch);
    std::uint32_t& tick = ticks[epoch.strand];
    tick = tick < epoch.tick ? epoch.tick : tick;
  }
  void raise(const Both& other) {
    clock.raise(other.clock);
    for (const auto& [strand, tick] : other.ticks) {
      std::uint32_t& own = ticks[strand];
      own = own < tick ? tick : own;
    }
  }
  void expect_equal(int step) const {
    for (const Strand strand : limits) {
      const auto found = ticks.find(strand);
      const std::uint32_t tick = found == ticks.end() ? 0 : found->second;
      EXPECT_EQ(clock.knows({strand, tick == 0 ? 1 : tick}), tick != 0) << step << ' ' << strand;
      EXPECT_FALSE(clock.knows({strand, tick + 1})) << step << ' ' << strand;
    }
  }
};

TEST(Clock, AgreesWithAMap) {
  std::mt19937 random(7);
  const auto below = [&](std::uint32_t end) { return static_cast<std::uint32_t>(random() % end); };
  for (int round = 0; round < 40; ++round) {
    // Rounds of few and of many levels.
    const std::uint32_t strands = 3 + below(static_cast<std::uint32_t>(std::size(limits)) - 3);
    std::array<Both, 4> clocks;
    for (int step = 0; step < 60; ++step) {
      Both& one = clocks[below(4)];
      Both& other = clocks[below(4)];
      switch (below(4)) {
        case 0:
        case 1:
          one.raise(Epoch{limits[below(strands)], 1 + below(5)});
          break;
        case 2:
          one.raise(Both(other));
          break;
        default:
          one = other;
      }
      for (const Both& each : clocks) each.expect_equal(step);
    }
  }
}

TEST(Clock, SharesItsPartsWithCopiesUntilOneChanges) {
  Clock one;
  one.raise({0, 1});
  one.raise({40, 1});
  const Parts before = parts_of(one);
  ASSERT_EQ(before.size(), 3U) << "a root and two leaves";
  one.raise({1, 1});
  one.raise({40, 2});
  EXPECT_EQ(parts_of(one), before) << "nobody shares them";
  {
    Clock copy = one;
    EXPECT_TRUE(copy.same(one));
    EXPECT_EQ(parts_of(copy), before);
    copy.raise({40, 3});
    EXPECT_FALSE(copy.same(one));
    EXPECT_FALSE(one.knows({40, 3}));
    const Parts changed = parts_of(copy);
    EXPECT_EQ(changed.size(), 3U);
    Parts all = changed;
    one.collect_parts(all);
    EXPECT_EQ(all.size(), 5U) << "a leaf is shared";
    copy.raise({40, 4});
    EXPECT_EQ(parts_of(copy), changed) << "the copied path is its own";
    copy.raise({0, 9});
    EXPECT_FALSE(one.knows({0, 9}));
    const Clock moved = std::move(copy);
    EXPECT_TRUE(moved.knows({0, 9}));
  }
  // The copy is gone, so the parts belong to one clock again.
  one.raise({0, 7});
  one.raise({40, 7});
  EXPECT_EQ(parts_of(one), before);
  {
    Clock copy = one;
    EXPECT_TRUE(copy.same(one));
    copy.raise({64, 1});  // a root of its own, over the same two leaves
    Parts all = parts_of(copy);
    one.collect_parts(all);
    EXPECT_EQ(all.size(), 5U);
  }
  one.raise({0, 8});
  one.raise({40, 8});
  EXPECT_EQ(parts_of(one), before);
}

TEST(Clock, TakesOverWholePartsInsteadOfCopyingThem) {
  Clock small;
  small.raise({0, 1});
  Clock great = small;
  great.raise({0, 2});
  great.raise({5, 2});
  small.raise(great);
  EXPECT_TRUE(small.same(great)) << "the other one has all";
  const Clock kept = small;
  Clock less;
  less.raise({5, 1});
  small.raise(less);
  EXPECT_TRUE(small.same(kept)) << "it has all itself";
  small.raise(Clock());
  EXPECT_TRUE(small.same(kept)) << "nothing to take over";
  Clock empty;
  empty.raise(great);
  EXPECT_TRUE(empty.same(great));
  // Neither has all: a leaf of its own.
  less.raise({9, 1});
  const Parts before = parts_of(less);
  less.raise(great);
  EXPECT_EQ(parts_of(less), before);
  EXPECT_TRUE(less.knows({0, 2}) && less.knows({5, 2}) && less.knows({9, 1}));
  EXPECT_FALSE(great.knows({9, 1}));
  // Of two levels, only the leaf that differs is copied.
  Clock wide = great;
  wide.raise({100, 1});
  Clock wider = wide;
  wider.raise({100, 2});
  wider.raise({200, 1});
  wide.raise({0, 5});
  wide.raise(wider);
  Parts both = parts_of(wide);
  wider.collect_parts(both);
  EXPECT_EQ(both.size(), 8U - 2U) << "the leaves of 100 and 200 are shared";
  // A clock of more levels takes one of fewer, and the other way round.
  Clock low;
  low.raise({1, 4});
  wide.raise(low);
  EXPECT_TRUE(wide.knows({1, 4}) && wide.knows({200, 1}));
  low.raise(wide);
  EXPECT_TRUE(low.knows({200, 1}) && low.knows({0, 5}));
}

TEST(HappensBefore, CountsWhatItHolds) {
  HappensBefore order;
  EXPECT_EQ(order.points_held() + order.strands_held() + order.clock_parts_held() + order.size(),
            0U);
  const Strand host = order.add_strand();
  const Strand one = order.add_strand();
  EXPECT_EQ(order.last(host), no_point);
  const Point first = order.add(host);
  const Point second = order.add(one, std::array{first, no_point});
  EXPECT_EQ(order.points_held(), 2U);
  EXPECT_EQ(order.strands_held(), 2U);
  EXPECT_EQ(order.clock_parts_held(), 1U) << "what the second point waits for";
  EXPECT_EQ(order.epoch(second).strand, one);
  EXPECT_EQ(order.epoch(second).tick, 1U);
  EXPECT_TRUE(order.before(first, second));
  EXPECT_FALSE(order.before(second, first));
  EXPECT_FALSE(order.before(first, first));
  EXPECT_FALSE(order.knows(second + 1, order.epoch(first))) << "there is no such point";
  EXPECT_EQ(order.last(one), second);
  order.clear();
  EXPECT_EQ(order.points_held() + order.strands_held() + order.clock_parts_held() + order.size(),
            0U);
  EXPECT_EQ(order.add_strand(), 0U);
  EXPECT_EQ(order.add(0), 0U);
  EXPECT_EQ(order.epoch(0).tick, 1U);
}

TEST(HappensBefore, AForgottenPointIsNotKeptLater) {
  HappensBefore order;
  const Strand one = order.add_strand();
  const Point first = order.add(one);
  const Point second = order.add(one);
  order.end_strand(one);
  order.forget({}, {});
  EXPECT_EQ(order.points_held(), 0U);
  order.forget({first, second}, {});
  EXPECT_EQ(order.points_held(), 0U) << "there is no newer point that is kept";
  const Strand next = order.add_strand();
  const Point third = order.add(next);
  order.forget({second, third}, {});
  EXPECT_EQ(order.points_held(), 1U);
  EXPECT_EQ(order.epoch(third).tick, 3U);
}

TEST(HappensBefore, APointTakesOverTheClockOfThePointThatKnowsAll) {
  HappensBefore order;
  const Strand host = order.add_strand();
  const Strand one = order.add_strand();
  const Strand two = order.add_strand();
  const Point a = order.add(host);
  const Point b = order.add(one, std::array{a});
  const Point c = order.add(two, std::array{a, b});
  const Point d = order.add(host, std::array{c});
  for (const Point earlier : {a, b, c}) EXPECT_TRUE(order.before(earlier, d)) << earlier;
  EXPECT_FALSE(order.before(b, b));
  EXPECT_EQ(order.clock_parts_held(), 3U)
      << "what a point knows is one part for all that wait for it";
  const Point e = order.add(one);
  const Point f = order.add(two);
  EXPECT_FALSE(order.before(e, f));
  EXPECT_FALSE(order.before(d, f));
  const Point g = order.add(host, std::array{e, f});
  for (const Point earlier : {a, b, c, d, e, f}) EXPECT_TRUE(order.before(earlier, g)) << earlier;
}

TEST(HappensBefore, AChainAcrossStrandsKnowsItsBeginning) {
  HappensBefore order;
  std::vector<Point> chain;
  for (int i = 0; i < 5; ++i) {
    const Point before = chain.empty() ? no_point : chain.back();
    chain.push_back(order.add(order.add_strand(), std::array{before}));
    for (Point earlier = 0; earlier < chain.back(); ++earlier) {
      EXPECT_TRUE(order.before(earlier, chain.back())) << earlier;
    }
  }
}

// Nodes that know the same beside each other, then one that knows more.
TEST(HappensBefore, JoinsEachClockThatDiffersFromTheOneBefore) {
  HappensBefore order;
  std::vector<Strand> strands;
  for (int i = 0; i < 8; ++i) strands.push_back(order.add_strand());
  const Point root = order.add(strands[0]);
  const Point other = order.add(strands[1]);
  const Point third = order.add(strands[2]);
  const std::array after_root{root};
  const std::array after_other{other};
  const std::array after_third{third};
  const std::vector<Point> all = {
      order.add(strands[3], after_root), order.add(strands[4], after_root),
      order.add(strands[5], after_other), order.add(strands[6], after_third)};
  const Point end = order.add(strands[7], all);
  for (Point point = 0; point < end; ++point) EXPECT_TRUE(order.before(point, end)) << point;
}

// One that knows the newest of the strand comes after one that does not.
TEST(HappensBefore, KeepsWhatItTookOverBefore) {
  HappensBefore order;
  const Strand own = order.add_strand();
  const Strand one = order.add_strand();
  const Strand two = order.add_strand();
  const Point top = order.add(own);
  const Point beside = order.add(one);
  const Point beyond = order.add(two, std::array{top});
  const Point end = order.add(own, std::array{beside, beyond});
  for (const Point earlier : {top, beside, beyond})
    EXPECT_TRUE(order.before(earlier, end)) << earlier;
  const Point other = order.add(own, std::array{order.add(two), order.add(one)});
  for (Point earlier = 0; earlier < other; ++earlier) EXPECT_TRUE(order.before(earlier, other));
  EXPECT_TRUE(order.knows(other, order.epoch(other)));
  EXPECT_FALSE(order.knows(end, order.epoch(other)));
}

TEST(HappensBefore, ForgetsAllButTheKeptAndTheNewest) {
  HappensBefore order;
  const Strand host = order.add_strand();
  const Strand one = order.add_strand();
  const Strand gone = order.add_strand();
  const Strand used = order.add_strand();
  const Strand held = order.add_strand();
  const Point first = order.add(host);
  const Point kept = order.add(one, std::array{first});
  const Point newest = order.add(one);
  const Point of_gone = order.add(gone);
  const Point of_used = order.add(used);
  const Point of_held = order.add(held);
  for (const Strand strand : {gone, used, held}) order.end_strand(strand);
  std::vector<bool> used_strands(used + 1, false);
  used_strands[used] = true;
  order.forget({of_held, kept, kept, no_point}, used_strands);
  EXPECT_EQ(order.points_held(), 4U) << "the host's newest, two of `one`, one of `held`";
  EXPECT_EQ(order.size(), 6U);
  EXPECT_EQ(order.epoch(kept).tick, 1U);
  EXPECT_EQ(order.epoch(newest).tick, 2U);
  EXPECT_EQ(order.epoch(of_held).strand, held);
  EXPECT_TRUE(order.before(kept, newest));
  EXPECT_FALSE(order.knows(of_gone, {gone, 1})) << "forgotten, between points that are kept";
  EXPECT_FALSE(order.knows(of_gone, order.epoch(of_held)));
  EXPECT_FALSE(order.knows(of_used, {used, 1}));
  EXPECT_FALSE(order.knows(of_held + 1, order.epoch(first))) << "there is no such point";
  EXPECT_EQ(order.clock_parts_held(), 1U) << "what `kept` knows of the host";
  EXPECT_EQ(order.add_strand(), gone) << "the only strand that is free";
  EXPECT_EQ(order.add_strand(), held + 1);
  const Point again = order.add(gone, std::array{of_gone, of_held});
  EXPECT_EQ(again, 6U);
  EXPECT_EQ(order.epoch(again).tick, 2U) << "the ticks go on";
  EXPECT_TRUE(order.before(of_held, again));
  EXPECT_FALSE(order.before(kept, again));
  order.forget({}, {});
  EXPECT_EQ(order.points_held(), 3U) << "the newest of the host, of `one` and of the new strand";
  EXPECT_EQ(order.add_strand(), held);
  order.clear();
  EXPECT_EQ(order.points_held(), 0U);
  EXPECT_EQ(order.clock_parts_held(), 0U);
  EXPECT_EQ(order.size(), 0U);
  EXPECT_EQ(order.add_strand(), 0U) << "the free strand is gone, too";
}

TEST(HappensBefore, AFreeStrandIsHandedOutOnce) {
  HappensBefore order;
  for (int i = 0; i < 3; ++i) order.add_strand();
  order.end_strand(0);
  order.end_strand(2);
  order.forget({}, {});
  order.forget({}, {});
  EXPECT_EQ(order.add_strand(), 2U);
  EXPECT_EQ(order.add_strand(), 0U);
  EXPECT_EQ(order.add_strand(), 3U);
}

TEST(HappensBefore, CountsThePartsOfBothClocksOfAPoint) {
  HappensBefore order;
  const Strand one = order.add_strand();
  const Strand two = order.add_strand();
  const Strand three = order.add_strand();
  const Point first = order.add(one);
  EXPECT_EQ(order.clock_parts_held(), 0U) << "it knows no other";
  const Point second = order.add(two);
  order.add(three, std::array{first, second});
  EXPECT_EQ(order.clock_parts_held(), 2U) << "and both together";
  order.forget({first}, {});
  EXPECT_EQ(order.clock_parts_held(), 2U);
}

class Checked : public testing::Test {
 protected:
  Point add(Strand strand, std::vector<MemoryAccess> accesses, std::vector<Point> after = {}) {
    return checker_.add(strand, after, accesses, races_);
  }
  [[nodiscard]] static MemoryAccess at(std::uintptr_t begin, std::size_t bytes, AccessKind kind) {
    return {begin, bytes, kind};
  }
  RaceChecker checker_;
  std::vector<Race> races_;
  const Strand host_ = checker_.add_strand();
  const Strand one_ = checker_.add_strand();
  const Strand two_ = checker_.add_strand();

  [[nodiscard]] std::set<Point> nameable(bool allocations) const {
    std::set<Point> points;
    checker_.each_nameable(
        [&](Point point) {
          if (!allocations) points.insert(point);
        },
        [&](Point point) {
          if (allocations) points.insert(point);
        });
    return points;
  }
};

TEST_F(Checked, ARaceNamesBothAccessesAndTheMemory) {
  const Point allocated = add(host_, {at(1000, 100, AccessKind::allocate)});
  const Point writes =
      add(one_, {at(1010, MemoryAccess::whole_allocation, AccessKind::write)}, {allocated});
  const Point reads = add(two_, {at(1090, 20, AccessKind::read)}, {allocated});
  ASSERT_EQ(races_.size(), 1U);
  const Race& race = races_.front();
  EXPECT_EQ(race.first, writes);
  EXPECT_EQ(race.second, reads);
  EXPECT_EQ(race.first_access, at(1000, 100, AccessKind::write)) << "the whole allocation";
  EXPECT_EQ(race.second_access, at(1090, 20, AccessKind::read));
  EXPECT_EQ(race.allocation, 1000U);
  EXPECT_EQ(race.allocated, allocated);
  EXPECT_FALSE(race.ordered);
  EXPECT_EQ(race.freed_before, no_point);
  EXPECT_FALSE(race.overlap.exists || race.overlap.after_wait);
  EXPECT_EQ(race.overlap.through, no_point);
  EXPECT_EQ(race.overlap.wait.line, 0);
  EXPECT_THAT(nameable(false), UnorderedElementsAre(allocated, writes, reads));
  EXPECT_THAT(nameable(true), UnorderedElementsAre(allocated));
}

TEST_F(Checked, MemoryThatWasNotAllocatedHere) {
  const Point writes = add(one_, {at(500, MemoryAccess::whole_allocation, AccessKind::write)});
  add(two_, {at(501, 4, AccessKind::read)});
  EXPECT_EQ(races_.size(), 0U) << "only the first byte is known to exist";
  const Point reads = add(two_, {at(500, 1, AccessKind::read)});
  ASSERT_EQ(races_.size(), 1U);
  EXPECT_EQ(races_.front().first, writes);
  EXPECT_EQ(races_.front().second, reads);
  EXPECT_EQ(races_.front().first_access, at(500, 1, AccessKind::write));
  EXPECT_EQ(races_.front().allocation, 0U);
  EXPECT_EQ(races_.front().allocated, no_point);
  EXPECT_EQ(checker_.allocations_held(), 0U);
  EXPECT_EQ(checker_.accesses_held(), 3U);
  EXPECT_THAT(nameable(false), UnorderedElementsAre(0, 1, 2));
  EXPECT_THAT(nameable(true), testing::IsEmpty());
  checker_.clear();
  EXPECT_THAT(nameable(false), testing::IsEmpty());
  EXPECT_EQ(checker_.accesses_held(), 0U);
  EXPECT_EQ(checker_.order().strands_held(), 0U);
}

TEST_F(Checked, TheAccessesOfAPointDoNotRaceWithEachOther) {
  add(one_, {at(0, 8, AccessKind::write), at(4, 8, AccessKind::read), at(4, 8, AccessKind::write)});
  EXPECT_TRUE(races_.empty());
  add(two_, {at(0, 16, AccessKind::write), at(0, 16, AccessKind::read)});
  ASSERT_EQ(races_.size(), 1U) << "one for each earlier point and allocation";
  EXPECT_EQ(races_.front().first_access, at(0, 8, AccessKind::write)) << "the point's first access";
}

TEST_F(Checked, NamesTheFirstAccessOfEachEarlierPoint) {
  const Point first = add(one_, {at(40, 4, AccessKind::read), at(20, 4, AccessKind::read),
                                 at(30, 4, AccessKind::read)});
  const Point second = add(one_, {at(44, 4, AccessKind::read), at(20, 4, AccessKind::read)});
  add(two_, {at(0, 100, AccessKind::write)});
  ASSERT_EQ(races_.size(), 2U);
  EXPECT_EQ(races_[0].first, first);
  EXPECT_EQ(races_[0].first_access.begin, 40U);
  EXPECT_EQ(races_[1].first, second);
  EXPECT_EQ(races_[1].first_access.begin, 44U);
}

// Memory that is allocated again names the free of its earlier life, if a side is not ordered with
// the allocation.
TEST_F(Checked, MemoryOfASecondLife) {
  const Point first = add(host_, {at(1000, 64, AccessKind::allocate)});
  const Point old_use = add(one_, {at(1000, 8, AccessKind::write)}, {first});
  const Point freed =
      add(host_, {at(1000, MemoryAccess::whole_allocation, AccessKind::release)}, {old_use});
  EXPECT_TRUE(races_.empty());
  const Point second = add(host_, {at(1000, 32, AccessKind::allocate)}, {freed});
  EXPECT_EQ(checker_.accesses_held(), 1U) << "the accesses of the old life are gone";
  EXPECT_EQ(checker_.allocations_held(), 1U);
  EXPECT_THAT(nameable(true), UnorderedElementsAre(second, freed));
  const Point ordered = add(one_, {at(1000, 8, AccessKind::write)}, {second});
  EXPECT_TRUE(races_.empty());
  const Point stale = add(two_, {at(1000, 8, AccessKind::write)});
  ASSERT_EQ(races_.size(), 2U);
  EXPECT_EQ(races_[0].first, second);
  EXPECT_EQ(races_[0].freed_before, freed);
  EXPECT_EQ(races_[1].first, ordered);
  EXPECT_EQ(races_[1].second, stale);
  EXPECT_EQ(races_[1].freed_before, freed);
  races_.clear();
  const Strand three = checker_.add_strand();
  add(three, {at(1000, 8, AccessKind::read)}, {second});
  ASSERT_EQ(races_.size(), 2U);
  EXPECT_EQ(races_[0].first, ordered);
  EXPECT_EQ(races_[0].freed_before, no_point) << "both come after the allocation";
  EXPECT_EQ(races_[1].first, stale);
  EXPECT_EQ(races_[1].freed_before, freed) << "the first of the two may mean the old memory";
}

// Which of the regions around it a new allocation replaces.
TEST_F(Checked, AnAllocationReplacesWhatItCovers) {
  const Point a = add(host_, {at(1000, 100, AccessKind::allocate)});
  const Point b = add(host_, {at(1100, 100, AccessKind::allocate)});
  const Point c = add(host_, {at(1200, 100, AccessKind::allocate)});
  const Point touching = add(host_, {at(1300, 100, AccessKind::allocate)});
  EXPECT_THAT(nameable(true), UnorderedElementsAre(a, b, c, touching)) << "neighbours";
  add(one_,
      {at(1000, 1, AccessKind::read), at(1100, 1, AccessKind::read),
       at(1200, 1, AccessKind::write)},
      {touching});
  EXPECT_EQ(checker_.accesses_held(), 7U);
  const Point across = add(host_, {at(1199, 2, AccessKind::allocate)}, {4});
  EXPECT_THAT(nameable(true), UnorderedElementsAre(a, across, touching));
  EXPECT_EQ(checker_.accesses_held(), 4U) << "the allocations of three and one read";
  EXPECT_EQ(checker_.allocations_held(), 3U);
  EXPECT_TRUE(races_.empty());
}

TEST_F(Checked, AnAllocationLeavesTheOneBehindIt) {
  const Point behind = add(host_, {at(1000, 100, AccessKind::allocate)});
  const Point before = add(host_, {at(900, 100, AccessKind::allocate)});
  EXPECT_THAT(nameable(true), UnorderedElementsAre(behind, before));
  const Point across = add(host_, {at(950, 51, AccessKind::allocate)});
  EXPECT_THAT(nameable(true), UnorderedElementsAre(across));
}

TEST_F(Checked, APointThatFreesMemoryDoesNotRaceWithItself) {
  add(one_, {at(1000, 8, AccessKind::allocate)});
  add(one_, {at(1000, 8, AccessKind::release), at(1000, 8, AccessKind::read)});
  EXPECT_TRUE(races_.empty());
}

// Reads and writes are kept apart, but races come by the earlier point, then by its access.
TEST_F(Checked, RacesComeInTheOrderOfTheEarlierPoints) {
  const Point first = add(one_, {at(1000, 8, AccessKind::read)});
  const Point second = add(one_, {at(1000, 4, AccessKind::read), at(1000, 8, AccessKind::write)});
  const Point third = add(one_, {at(1004, 8, AccessKind::write), at(1000, 4, AccessKind::read)});
  const Point fourth = add(one_, {at(1000, 8, AccessKind::read)});
  add(two_, {at(1000, 8, AccessKind::write)});
  std::vector<std::pair<Point, std::uintptr_t>> firsts;
  for (const Race& race : races_) firsts.emplace_back(race.first, race.first_access.end());
  EXPECT_THAT(firsts, ElementsAre(std::pair(first, 1008), std::pair(second, 1004),
                                  std::pair(third, 1012), std::pair(fourth, 1008)));
}

TEST_F(Checked, UseAfterFreeStaysForEver) {
  const Point allocated = add(host_, {at(1000, 64, AccessKind::allocate)});
  const Point freed = add(host_, {at(1000, MemoryAccess::whole_allocation, AccessKind::release)});
  checker_.forget(checker_.order().last(host_), {});
  EXPECT_THAT(nameable(false), UnorderedElementsAre(freed));
  EXPECT_EQ(checker_.accesses_held(), 1U);
  const Point use = add(one_, {at(1063, 1, AccessKind::read)}, {freed});
  ASSERT_EQ(races_.size(), 1U);
  EXPECT_EQ(races_.front().first, freed);
  EXPECT_EQ(races_.front().second, use);
  EXPECT_EQ(races_.front().allocated, allocated);
  EXPECT_TRUE(races_.front().ordered);
  add(one_, {at(1064, 1, AccessKind::read)}, {freed});
  EXPECT_EQ(races_.size(), 1U) << "the byte after it";
}

TEST_F(Checked, ForgetsWhatTheHostKnows) {
  const Point allocated = add(host_, {at(1000, 64, AccessKind::allocate)});
  const Point known =
      add(one_, {at(1000, 8, AccessKind::write), at(5000, 8, AccessKind::read)}, {allocated});
  const Point waits = add(host_, {}, {known});
  const Point open = add(two_, {at(1008, 8, AccessKind::write)}, {waits});
  checker_.end_strand(one_);
  checker_.end_strand(two_);
  checker_.forget(waits, {});
  EXPECT_EQ(checker_.accesses_held(), 1U);
  EXPECT_THAT(nameable(false), UnorderedElementsAre(open));
  EXPECT_EQ(checker_.add_strand(), one_) << "its accesses are forgotten";
  EXPECT_EQ(checker_.add_strand(), two_ + 1) << "the access of the other is not";
  add(one_, {at(1000, 16, AccessKind::write)}, {waits});
  ASSERT_EQ(races_.size(), 1U);
  EXPECT_EQ(races_.front().first, open);
}

// An unordered allocation of a second life keeps its strand until the host knows it.
TEST_F(Checked, AnAllocationThatTheHostDoesNotKnowKeepsItsStrand) {
  for (const bool known : {false, true}) {
    checker_.clear();
    races_.clear();
    const Strand host = checker_.add_strand();
    const Strand stream = checker_.add_strand();
    const Strand other = checker_.add_strand();
    const Point first = add(stream, {at(1000, 64, AccessKind::allocate)});
    const Point freed =
        add(stream, {at(1000, MemoryAccess::whole_allocation, AccessKind::release)});
    const Point second = add(stream, {at(1000, 64, AccessKind::allocate)});
    EXPECT_EQ(second, first + 2);
    const Point floor = add(host, {}, {known ? second : no_point});
    checker_.end_strand(stream);
    checker_.forget(floor, {});
    EXPECT_EQ(checker_.accesses_held(), known ? 0U : 1U);
    EXPECT_EQ(checker_.add_strand() == stream, known);
    add(other, {at(1000, 8, AccessKind::read)}, {floor});
    if (known) {
      EXPECT_TRUE(races_.empty());
      continue;
    }
    ASSERT_EQ(races_.size(), 1U);
    EXPECT_EQ(races_.front().first, second);
    EXPECT_EQ(races_.front().freed_before, freed);
  }
}

// Even if a list that was too long has lost the allocation itself.
TEST_F(Checked, AStrandIsKeptForTheAllocationOfASecondLife) {
  for (const bool second_life : {false, true}) {
    checker_.clear();
    const Strand host = checker_.add_strand();
    const Strand stream = checker_.add_strand();
    const Strand other = checker_.add_strand();
    if (second_life) {
      add(stream, {at(1000, 64, AccessKind::allocate)});
      add(stream, {at(1000, MemoryAccess::whole_allocation, AccessKind::release)});
    }
    const Point allocated = add(stream, {at(1000, 64, AccessKind::allocate)});
    for (int i = 0; i < 64; ++i) add(other, {at(1000, 64, AccessKind::write)}, {allocated});
    EXPECT_EQ(checker_.accesses_held(), 1U) << "the newest write";
    const Point floor = add(host, {});
    checker_.end_strand(stream);
    checker_.forget(floor, {});
    EXPECT_EQ(checker_.add_strand() == stream, !second_life);
  }
}

// The host knows the allocation of a second life, and a race of later work does not name the free.
TEST_F(Checked, AKnownAllocationOfASecondLifeIsNotNamedInLaterRaces) {
  add(one_, {at(1000, 64, AccessKind::allocate)});
  add(one_, {at(1000, MemoryAccess::whole_allocation, AccessKind::release)});
  const Point second = add(one_, {at(1000, 64, AccessKind::allocate)});
  const Point floor = add(host_, {}, {second});
  checker_.end_strand(one_);
  for (int i = 0; i < 2; ++i) {
    checker_.forget(checker_.order().last(host_), {});
    const Point host = add(host_, {});
    EXPECT_GT(host, floor);
    add(two_, {at(1000, 8, AccessKind::write)}, {host});
    add(checker_.add_strand(), {at(1000, 8, AccessKind::write)}, {host});
    ASSERT_GE(races_.size(), 1U);
    for (const Race& race : races_) EXPECT_EQ(race.freed_before, no_point);
  }
}

TEST_F(Checked, OverlapNamesTheAllocation) {
  const Point allocated = add(host_, {at(1000, 64, AccessKind::allocate)});
  Overlap how;
  how.exists = true;
  how.through = 1;
  const Race inside =
      checker_.overlap(2, 3, at(1010, 4, AccessKind::read), at(1008, 8, AccessKind::write), how);
  EXPECT_EQ(inside.first, 2U);
  EXPECT_EQ(inside.second, 3U);
  EXPECT_EQ(inside.allocation, 1000U);
  EXPECT_EQ(inside.allocated, allocated);
  EXPECT_FALSE(inside.ordered);
  EXPECT_EQ(inside.freed_before, no_point);
  EXPECT_EQ(inside.overlap.through, 1U);
  const Race outside =
      checker_.overlap(2, 3, at(999, 4, AccessKind::read), at(996, 8, AccessKind::write), how);
  EXPECT_EQ(outside.allocation, 0U);
  EXPECT_EQ(outside.allocated, no_point);
  const Race after =
      checker_.overlap(2, 3, at(1064, 4, AccessKind::read), at(1064, 4, AccessKind::write), how);
  EXPECT_EQ(after.allocated, no_point);
}

// Long lists lose the entries that a new access covers; short ones keep them.
TEST_F(Checked, WritesPruneListsOf64Entries) {
  for (std::size_t i = 0; i < 32; ++i)
    add(one_, {at(1000, 8, AccessKind::write), at(1000, 8, AccessKind::read)});
  EXPECT_EQ(checker_.accesses_held(), 64U);
  add(one_, {at(999, 8, AccessKind::write)});
  EXPECT_EQ(checker_.accesses_held(), 65U) << "it does not cover the last byte";
  add(one_, {at(1001, 8, AccessKind::write)});
  EXPECT_EQ(checker_.accesses_held(), 66U) << "nor the first";
  add(two_, {at(1000, 8, AccessKind::write)});
  EXPECT_EQ(checker_.accesses_held(), 67U) << "it comes after none of them";
  add(one_, {{1000, 4, AccessKind::write, 2, 4}});
  EXPECT_EQ(checker_.accesses_held(), 68U) << "rows may leave gaps";
  add(one_, {at(1000, 8, AccessKind::write)});
  EXPECT_EQ(checker_.accesses_held(), 4U) << "the two beside it, the other strand's, and itself";
}

TEST_F(Checked, ListsBelow64EntriesStayWhole) {
  for (std::size_t i = 0; i < 63; ++i)
    add(one_, {at(1000, 8, i % 2 == 0 ? AccessKind::write : AccessKind::read)});
  EXPECT_EQ(checker_.accesses_held(), 63U);
  add(one_, {at(1000, 8, AccessKind::write)});
  EXPECT_EQ(checker_.accesses_held(), 64U);
  add(one_, {at(1000, 8, AccessKind::write)});
  EXPECT_EQ(checker_.accesses_held(), 1U);
}

// From 16384 accesses on, short lists are searched, too.
TEST_F(Checked, ManyShortListsArePruned) {
  for (std::uintptr_t i = 0; i < 512; ++i) {
    std::vector<MemoryAccess> accesses = {at(1000 * i, 8, AccessKind::allocate)};
    for (int j = 0; j < 31; ++j) accesses.push_back(at(1000 * i, 8, AccessKind::read));
    if (i == 511) accesses.pop_back();
    add(one_, accesses);
  }
  EXPECT_EQ(checker_.accesses_held(), 16383U);
  add(one_, {at(0, 8, AccessKind::write)});
  EXPECT_EQ(checker_.accesses_held(), 16384U);
  add(one_, {at(0, 8, AccessKind::write)});
  EXPECT_EQ(checker_.accesses_held(), 16352U) << "33 less, and the write";
}

TEST_F(Checked, AFreeIsNeverPruned) {
  add(one_, {at(1000, 8, AccessKind::allocate)});
  for (std::size_t i = 0; i < 80; ++i) add(one_, {at(1000, 8, AccessKind::release)});
  EXPECT_EQ(checker_.accesses_held(), 81U - 1U) << "the allocation is covered";
}

// A search of reads pays off if there were a sixteenth as many reads since the last one.
TEST_F(Checked, ReadsPruneReadsOnceInAWhile) {
  for (std::size_t i = 0; i < 64; ++i) add(one_, {at(1000, 8, AccessKind::read)});
  EXPECT_EQ(checker_.accesses_held(), 64U);
  std::vector<std::size_t> held;
  for (int i = 0; i < 5; ++i) {
    add(one_, {at(1000, 8, AccessKind::read)});
    held.push_back(checker_.accesses_held());
  }
  EXPECT_THAT(held, ElementsAre(65, 66, 67, 1, 2));
  // Another strand's search finds its own reads alone.
  for (std::size_t i = 2; i < 64; ++i) add(one_, {at(1000, 8, AccessKind::read)});
  held.clear();
  for (int i = 0; i < 4; ++i) {
    add(two_, {at(1000, 8, AccessKind::read)});
    held.push_back(checker_.accesses_held());
  }
  add(one_, {at(1000, 8, AccessKind::read)});
  held.push_back(checker_.accesses_held());
  EXPECT_THAT(held, ElementsAre(65, 66, 67, 65, 66)) << "the strand's own three";
}

}  // namespace
}  // namespace warpsafe::debug
