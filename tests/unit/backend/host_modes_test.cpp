// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// What the threads of a block share and what each has for itself: rounding modes, and what becomes
// of the others when one of them fails or waits for the grid before.

#include "host_runners.hpp"

#include <gmock/gmock.h>

#include <cfenv>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <thread>
#include <vector>

namespace warpsafe::host_test {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;

template <class Runner>
struct HostThreads : RunnerTest<Runner> {};
TYPED_TEST_SUITE(HostThreads, Runners);

constexpr char modes_file[] = "modes.cu";
constexpr int up = FE_UPWARD;
constexpr int nearest = FE_TONEAREST;

/// Rounding modes at the end of each round: thread `thread` sets `modes[round]` in that round.
struct Round {
  unsigned thread;
  int mode;
};
void rounds_of_modes(const Round* rounds, unsigned count, int* seen) {
  const unsigned threads = self().block_dim[0];
  for (unsigned i = 0; i < count; ++i) {
    if (thread_number() == rounds[i].thread) std::fesetround(rounds[i].mode);
    sync_block(modes_file, 1);
    seen[i * threads + thread_number()] = std::fegetround();
  }
}
void waits_alone() {
  if (thread_number() == 0) sync_block(modes_file, 1);
}

TYPED_TEST(HostThreads, AModeThatAThreadSetsAtALaterRoundStaysItsOwn) {
  const Round rounds[] = {{9, up}, {0, up}, {0, nearest}, {1, up}};
  std::vector<int> seen(12, -1);
  EXPECT_EQ(this->run(shape_of(1, 3), nullptr, rounds_of_modes, rounds, 4, seen.data()).status, 0);
  EXPECT_THAT(seen, ElementsAre(nearest, nearest, nearest, up, nearest, nearest, nearest, nearest,
                                nearest, nearest, up, nearest));
}

TYPED_TEST(HostThreads, AModeStaysItsThreadsOwnAfterABlockThatWaitedForeverAtTheSameLine) {
  EXPECT_EQ(this->run(shape_of(1, 3), nullptr, waits_alone).status,
            raw(HostStatus::barrier_divergence));
  const Round rounds[] = {{0, up}};
  std::vector<int> seen(3, -1);
  EXPECT_EQ(this->run(shape_of(1, 3), nullptr, rounds_of_modes, rounds, 1, seen.data()).status, 0);
  EXPECT_THAT(seen, ElementsAre(up, nearest, nearest));
}

void fails_after_the_barrier(int* passed) {
  sync_block(modes_file, 2);
  if (thread_number() == 1) throw std::runtime_error("one");
  passed[thread_number()] = 1;
}
void leaves_or_faults(int* passed, bool faults) {
  if (faults) {
    self().fault(self(), "no memory there");
  } else {
    self().leave(self(), modes_file, 3);
  }
  passed[thread_number()] = 1;
}

TYPED_TEST(HostThreads, NoneGoesOnAfterItLeavesOrFaults) {
  for (const bool faults : {false, true}) {
    for (const std::uint32_t threads : {1U, 3U}) {
      std::vector<int> passed(threads, 0);
      const host::Failure failure =
          this->run(shape_of(1, threads), nullptr, leaves_or_faults, passed.data(), faults);
      EXPECT_EQ(failure.status, faults ? raw(HostStatus::illegal_address) : 0);
      EXPECT_THAT(passed, Each(0));
    }
  }
}

void waits_or_allows(bool waits) { self().depend(self(), waits, modes_file, 4); }

TYPED_TEST(HostThreads, AWatchIsToldWhetherAThreadWaitsOrAllows) {
  for (const bool waits : {false, true}) {
    host::PredecessorWatch watch;
    watch.begin({}, 100, 50);
    EXPECT_EQ(this->run(shape_of(1, 1), &watch, waits_or_allows, waits).status, 0);
    EXPECT_EQ(watch.covered(), waits);
  }
}

void keep_id(std::thread::id* id) { *id = std::this_thread::get_id(); }

TYPED_TEST(HostThreads, ASingleThreadRunsOnTheCallersOsThread) {
  std::thread::id id;
  EXPECT_EQ(this->run(shape_of(1, 1), nullptr, keep_id, &id).status, 0);
  EXPECT_EQ(id, std::this_thread::get_id());
}

// The fibres of one OS thread, whose order is known.

struct HostFibres : HostThreads<host::FibreRunner> {
  void SetUp() override {
    if (host::thread_sanitizer) GTEST_SKIP() << "ThreadSanitizer does not understand fibres";
  }
};

TEST_F(HostFibres, AThreadThatFailsIsTheLastOfItsBlock) {
  std::vector<int> passed(4, 0);
  EXPECT_EQ(run(shape_of(1, 4), nullptr, fails_after_the_barrier, passed.data()).status,
            raw(HostStatus::launch_failure));
  EXPECT_THAT(passed, ElementsAre(1, 0, 0, 0));
}

// Switches are quicker without the modes. Boost's keep them always.
TEST_F(HostFibres, ThreadsShareTheModesUntilTheFirstOfTheirGridChangesThem) {
  if (!host::Switch::restarts) GTEST_SKIP() << "its switches keep the modes";
  const Round second_thread[] = {{1, up}};
  const Round first_thread[] = {{0, up}};
  for (int i = 0; i < 2; ++i) {
    std::vector<int> seen(3, -1);
    EXPECT_EQ(run(shape_of(1, 3), nullptr, rounds_of_modes, second_thread, 1, seen.data()).status,
              0);
    EXPECT_THAT(seen, Each(up));
    EXPECT_EQ(run(shape_of(1, 3), nullptr, rounds_of_modes, first_thread, 1, seen.data()).status,
              0);
    EXPECT_THAT(seen, ElementsAre(up, nearest, nearest)) << "each has its own";
  }
}

void modes_at_the_beginning(int* seen) {
  const unsigned threads = self().block_dim[0];
  const unsigned thread = thread_number();
  seen[block_number() * threads + thread] = std::fegetround();
  if (thread == 0 || thread == threads - 1) std::fesetround(up);
  sync_block(modes_file, 8);
}

TEST_F(HostFibres, EachBlockBeginsWithTheModesOfItsGrid) {
  if (!host::Switch::restarts) GTEST_SKIP() << "its switches keep the modes";
  for (const std::uint32_t threads : {1U, 3U}) {
    std::vector<int> seen(std::size_t{2} * threads, -1);
    EXPECT_EQ(run(shape_of(2, threads), nullptr, modes_at_the_beginning, seen.data()).status, 0);
    EXPECT_THAT(seen, Each(nearest)) << threads;
    std::fesetround(nearest);
  }
}

void one_waits_another_allows() {
  if (thread_number() == 0) self().depend(self(), true, modes_file, 5);
  sync_block(modes_file, 6);
  if (thread_number() == 1) self().depend(self(), false, modes_file, 7);
}

TEST_F(HostFibres, WhatOneThreadWaitedForHasEndedForAllBehindTheBarrier) {
  host::PredecessorWatch watch;
  watch.begin({}, 1, 0);
  EXPECT_EQ(run(shape_of(1, 3), &watch, one_waits_another_allows).status, 0);
  EXPECT_TRUE(watch.covered());
}

}  // namespace
}  // namespace warpsafe::host_test
