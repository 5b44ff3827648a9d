// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// The pool that shares the blocks of a grid among OS threads.

#include "host_test_kernel.hpp"
#include <warpsafe/backend/host/detail/grid_pool.hpp>

#include <gmock/gmock.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <type_traits>
#include <vector>

namespace warpsafe::host_test {
namespace {

using host::Failure;
using host::Grid;
using ::testing::Each;
using ::testing::HasSubstr;
using ::testing::MatchesRegex;
using ::testing::StartsWith;

struct HostPool : ::testing::Test {
  ~HostPool() override {
    pool.close();
    while (!pool.idle()) std::this_thread::yield();
    pool.join();
  }
  template <class... P>
  Failure run(const LaunchShape& shape, void (*function)(P...), std::type_identity_t<P>... values) {
    void* args[] = {static_cast<void*>(&values)..., nullptr};
    Grid grid(entry_of(function), shape, args);
    grid.kernel = kernel;
    pool.run(grid);
    return grid.take_failure();
  }
  host::GridPool pool;
  Name kernel{};
};

void keep_thread(std::thread::id* ids) { ids[block_number()] = std::this_thread::get_id(); }
void meet(std::atomic<int>* here) {
  ++*here;
  while (*here < 2) std::this_thread::yield();
}
void stop_at(std::atomic<unsigned>* runs, unsigned block) {
  ++*runs;
  if (block_number() == block) throw std::runtime_error("stop");
}
void keep_stacks(const void** stacks) { *stacks = host::running_block.stacks; }

TEST_F(HostPool, OneProcessorIsTheCallersAndTheOthersHelp) {
  const auto others = [](unsigned wanted) {
    return std::min(wanted, host::BlockRunner::max_helpers);
  };
  EXPECT_EQ(host::GridPool::helpers_for(0), 0U) << "the number is unknown";
  EXPECT_EQ(host::GridPool::helpers_for(1), 0U);
  EXPECT_EQ(host::GridPool::helpers_for(2), 1U);
  EXPECT_EQ(host::GridPool::helpers_for(3), 2U);
  EXPECT_EQ(host::GridPool::helpers_for(64), others(63));
}

TEST_F(HostPool, SerialGridsRunOnTheCallersThreadInOrder) {
  pool.run_serially(true);
  std::vector<std::thread::id> ids(300);
  EXPECT_EQ(run(shape_of(300, 1), keep_thread, ids.data()).status, 0);
  EXPECT_THAT(ids, Each(std::this_thread::get_id()));
  EXPECT_TRUE(pool.idle()) << "it has no helpers";
  std::atomic<unsigned> runs = 0;
  EXPECT_THAT(string_of(run(shape_of(1000, 1), stop_at, &runs, 400U).text),
              HasSubstr("block (400,0,0)"));
  EXPECT_EQ(runs, 401U);
}

TEST_F(HostPool, ItsHelpersRunBlocksAtTheSameTime) {
  if (std::thread::hardware_concurrency() < 2) GTEST_SKIP() << "there is one processor";
  for (int i = 0; i < 20; ++i) {
    std::atomic<int> here = 0;
    EXPECT_EQ(run(shape_of(2, 1), meet, &here).status, 0);
    EXPECT_EQ(here, 2);
  }
  EXPECT_FALSE(pool.idle()) << "its helpers wait";
}

void meet_all(std::atomic<unsigned>* here, unsigned blocks) {
  ++*here;
  while (*here < blocks) std::this_thread::yield();
}
TEST_F(HostPool, BlocksOfACooperativeGridMayWaitForOneAnother) {
  LaunchShape shape = shape_of(64, 1);  // as many as the model's device holds at once
  shape.cooperative = true;
  for (const bool serial : {false, true}) {
    pool.run_serially(serial);
    std::atomic<unsigned> here = 0;
    EXPECT_EQ(run(shape, meet_all, &here, 64).status, 0) << serial;
    EXPECT_EQ(here, 64U) << serial;
  }
}

/// Of a grid of 6*4*3 blocks in clusters of 2*2*3.
void meet_in_cluster(std::atomic<unsigned>* here, std::atomic<unsigned>* runs, bool throws) {
  const unsigned(&block)[3] = self().block;
  const unsigned cluster = block[0] / 2 + 3 * (block[1] / 2);
  ++runs[block_number()];
  if (throws && cluster == 4 && block[2] == 1) throw std::runtime_error("stop");
  ++here[cluster];
  while (here[cluster] < 12) {
  }
}
TEST_F(HostPool, BlocksOfAClusterMayWaitForOneAnother) {
  LaunchShape shape = shape_of(6, 1);
  shape.grid[1] = 4;
  shape.grid[2] = 3;
  shape.has_cluster = true;
  shape.cluster[0] = shape.cluster[1] = 2;
  shape.cluster[2] = 3;
  for (const bool serial : {false, true}) {
    pool.run_serially(serial);
    std::atomic<unsigned> here[6] = {};
    std::atomic<unsigned> runs[72] = {};
    EXPECT_EQ(run(shape, meet_in_cluster, here, runs, false).status, 0) << serial;
    for (const auto& of_block : runs) EXPECT_EQ(of_block, 1U) << serial;
    if (under_sanitizer) continue;
    const Failure failure = run(shape, meet_in_cluster, here, runs, true);
    EXPECT_THAT(string_of(failure.text), HasSubstr("stop")) << "nobody waits for what has failed";
  }
}

void wait_for_turn(std::atomic<unsigned>* begun, const std::atomic<unsigned>* turns) {
  const unsigned mine = begun->fetch_add(1);
  while (*turns <= mine) std::this_thread::yield();
}
/// A barrier of a whole grid, in a launch without `cooperative`.
TEST_F(HostPool, TellsOfAGridWhoseBlocksMayWaitForOnesThatHaveNotBegun) {
  const auto told = [&] {
    char text[320];
    warpsafe::detail::TextBuffer out(text, sizeof text);
    return pool.put_standstill(out) ? std::string(text) : std::string();
  };
  EXPECT_EQ(told(), "") << "nothing runs";
  // All blocks of these grids have begun.
  LaunchShape together = shape_of(64, 1);
  together.cooperative = true;
  std::vector<LaunchShape> shapes = {together, shape_of(1, 1)};
  if (std::thread::hardware_concurrency() > 1) shapes.push_back(shape_of(2, 1));
  for (const LaunchShape& shape : shapes) {
    std::atomic<unsigned> begun = 0;
    std::atomic<unsigned> turns = 0;
    std::thread runner([&] { EXPECT_EQ(run(shape, wait_for_turn, &begun, &turns).status, 0); });
    while (begun < shape.grid[0]) std::this_thread::yield();
    for (int i = 0; i < 3; ++i) EXPECT_EQ(told(), "");
    turns = shape.grid[0];
    runner.join();
  }
  std::atomic<unsigned> begun = 0;
  std::atomic<unsigned> turns = 0;
  std::thread runner(
      [&] { EXPECT_EQ(run(shape_of(1000, 1), wait_for_turn, &begun, &turns).status, 0); });
  while (begun == 0) std::this_thread::yield();
  EXPECT_EQ(told(), "") << "it asks whether a block ends";
  turns = 200;
  while (begun <= 200) std::this_thread::yield();
  EXPECT_EQ(told(), "") << "many have ended";
  std::string text;
  while ((text = told()).empty()) std::this_thread::yield();
  EXPECT_THAT(text, HasSubstr("of 1000 have not begun; if its blocks wait for each other, launch "
                              "it with cooperative"));
  EXPECT_THAT(text, MatchesRegex("warpsafe: no block of kernel '.unknown.' has ended for a while, "
                                 "and [0-9]{1,3} of 1000 .*"))
      << "at least one has begun";
  EXPECT_EQ(told(), "") << "once";
  turns = 1000;
  runner.join();
  kernel = Name::of("barrier");
  begun = turns = 0;
  runner = std::thread(
      [&] { EXPECT_EQ(run(shape_of(1000, 1), wait_for_turn, &begun, &turns).status, 0); });
  while ((text = told()).empty()) std::this_thread::yield();
  EXPECT_THAT(text, StartsWith("warpsafe: no block of kernel 'barrier' has ended for a while, "));
  turns = 1000;
  runner.join();
}

TEST_F(HostPool, TellsOfAGridAlsoAfterAnotherOneHasEnded) {
  if (std::thread::hardware_concurrency() < 2) GTEST_SKIP() << "there is one processor";
  std::atomic<unsigned> begun = 0;
  std::atomic<unsigned> turns = 0;
  std::thread runner(
      [&] { EXPECT_EQ(run(shape_of(1000, 1), wait_for_turn, &begun, &turns).status, 0); });
  while (begun == 0) std::this_thread::yield();
  EXPECT_EQ(run(shape_of(2, 1), nothing).status, 0);
  char text[320];
  warpsafe::detail::TextBuffer out(text, sizeof text);
  while (!pool.put_standstill(out)) std::this_thread::yield();
  EXPECT_THAT(text, HasSubstr("of 1000 have not begun"));
  turns = 1000;
  runner.join();
}

void meet_and_go_on(std::atomic<unsigned>* here, std::atomic<unsigned>* ended) {
  ++*here;
  while (*here < 64) std::this_thread::yield();
  for (int i = 0; i < 1000; ++i) std::this_thread::yield();
  ++*ended;
}
TEST_F(HostPool, ACooperativeGridHasEndedWithTheLastOfItsBlocks) {
  LaunchShape shape = shape_of(64, 1);
  shape.cooperative = true;
  for (const bool serial : {false, true}) {
    pool.run_serially(serial);
    std::atomic<unsigned> here = 0;
    std::atomic<unsigned> ended = 0;
    EXPECT_EQ(run(shape, meet_and_go_on, &here, &ended).status, 0);
    EXPECT_EQ(ended, 64U) << serial;
  }
}

/// The bytes of addresses that this process uses.
std::size_t mapped_bytes() {
  std::size_t pages = 0;
  std::ifstream("/proc/self/statm") >> pages;
  return pages * static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
}
void meet_and_measure(std::atomic<unsigned>* here, std::atomic<std::size_t>* most) {
  if (++*here == 64) *most = mapped_bytes();
  while (*here < 64) std::this_thread::yield();
}
// They would take the memory of all its threads for the rest of the program.
TEST_F(HostPool, StacksOfACooperativeGridAreGivenBackAtItsEnd) {
  if (host::thread_sanitizer || under_sanitizer) GTEST_SKIP() << "the sanitizers map memory, too";
  if (std::thread::hardware_concurrency() > 16) {
    GTEST_SKIP() << "the pool keeps the stacks of a block for each of more than 16 processors";
  }
  LaunchShape shape = shape_of(64, 512);
  shape.cooperative = true;
  std::atomic<unsigned> here = 0;
  std::atomic<std::size_t> most = 0;
  const std::size_t before = mapped_bytes();
  EXPECT_EQ(run(shape, meet_and_measure, &here, &most).status, 0);
  const std::size_t after = mapped_bytes();
  EXPECT_LT(after - before, (most - before) / 2) << before << ' ' << most << ' ' << after;
}

struct EndlessRounds {
  std::atomic<unsigned> begun = 0;
  std::atomic<bool> over = false;
};
void go_round(EndlessRounds* rounds) {
  ++rounds->begun;
  while (!rounds->over) sync_block();
}
// At the end of the program, a kernel that never ends must not hold it.
TEST_F(HostPool, AGridStopsAtABarrierOnceThePoolIsClosed) {
  for (const bool cooperative : {false, true}) {
    for (const bool serial : {false, true}) {
      if (serial && !cooperative) continue;  // nothing else runs then
      host::GridPool mine;
      mine.run_serially(serial);
      EndlessRounds rounds;
      std::thread runner([&] {
        EndlessRounds* value = &rounds;
        void* args[] = {static_cast<void*>(&value), nullptr};
        LaunchShape shape = shape_of(2, 2);
        shape.cooperative = cooperative;
        Grid grid(entry_of(go_round), shape, args);
        mine.run(grid);
      });
      while (rounds.begun < 2) std::this_thread::yield();
      mine.close();
      runner.join();
      while (!mine.idle()) std::this_thread::yield();
      mine.join();
    }
  }
}

void count_block(std::atomic<int>* runs) { ++runs[block_number()]; }

TEST_F(HostPool, EachBlockRunsOnceAlsoAfterItIsClosed) {
  for (const std::uint32_t blocks : {1U, 2U, 3U, 17U, 300U, 5000U}) {
    std::vector<std::atomic<int>> runs(blocks);
    EXPECT_EQ(run(shape_of(blocks, 1), count_block, runs.data()).status, 0);
    for (const auto& one : runs) ASSERT_EQ(one, 1) << blocks;
  }
  pool.close();
  std::vector<std::atomic<int>> runs(40);
  EXPECT_EQ(run(shape_of(40, 1), count_block, runs.data()).status, 0);
  for (const auto& one : runs) EXPECT_EQ(one, 1);
}

TEST_F(HostPool, ItsStacksAreUsedAgainUntilTheyAreDropped) {
  if (host::thread_sanitizer) GTEST_SKIP() << "there are no fibres";
  pool.run_serially(true);
  const void* first = nullptr;
  const void* second = nullptr;
  EXPECT_EQ(run(shape_of(1, 1), keep_stacks, &first).status, 0);
  // Others take the place of stacks that are not kept, so that the next are elsewhere.
  std::vector<std::unique_ptr<host::BlockRunner>> others;
  const auto take_places = [&] {
    for (int i = 0; i < 100; ++i) others.push_back(std::make_unique<host::BlockRunner>());
  };
  take_places();
  EXPECT_EQ(run(shape_of(1, 1), keep_stacks, &second).status, 0);
  EXPECT_EQ(first, second);
  pool.drop_stacks();
  take_places();
  EXPECT_EQ(run(shape_of(1, 1), keep_stacks, &second).status, 0);
  EXPECT_NE(second, first);
}

TEST_F(HostPool, AGridOfOneBlockStartsNoHelpers) {
  for (const bool cooperative : {false, true}) {
    LaunchShape shape = shape_of(1, 1);
    shape.cooperative = cooperative;
    std::thread::id ran[1];
    EXPECT_EQ(run(shape, keep_thread, ran).status, 0);
    EXPECT_EQ(ran[0], std::this_thread::get_id());
    EXPECT_TRUE(pool.idle());
  }
}

TEST_F(HostPool, ABlockWithoutMemoryFailsItsGridAndNotTheProgram) {
  if (under_sanitizer) GTEST_SKIP() << "the sanitizers end the program";
  for (const bool serial : {true, false}) {
    pool.run_serially(serial);
    const Failure failure = run(shape_of(4, 1, std::uint64_t{1} << 60U), nothing);
    EXPECT_EQ(failure.status, raw(HostStatus::out_of_memory));
    EXPECT_EQ(string_of(failure.text), "");
  }
  EXPECT_EQ(run(shape_of(4, 1), nothing).status, 0);
}

// Blocks that an OS thread takes at once.

struct Shares {
  std::vector<std::thread::id> threads;  // of each block
  std::atomic<std::uint64_t> run = 0;
  std::uint64_t others = 0;  // that run while the first block waits
};
void wait_for_the_others(Shares* shares) {
  shares->threads[block_number()] = std::this_thread::get_id();
  if (block_number() == 0) {
    while (shares->run < shares->others) std::this_thread::yield();
  } else {
    ++shares->run;
  }
}

// The first block ends after all those that another thread than its own can take.
TEST_F(HostPool, AThreadTakesAnEighthOfItsShareAtATimeAndAtMost256Blocks) {
  const std::uint64_t processors = std::thread::hardware_concurrency();
  if (processors < 2) GTEST_SKIP() << "there is one processor";
  if (host::thread_sanitizer) GTEST_SKIP() << "there, a pool has fewer helpers";
  struct Case {
    std::uint64_t blocks, at_a_time;
  };
  const Case cases[] = {{2, 1},
                        {8 * processors * 2 - 1, 1},
                        {8 * processors * 100, 100},
                        {8 * processors * 256, 256},
                        {8 * processors * 300, 256}};
  for (const auto& [blocks, at_a_time] : cases) {
    Shares shares;
    shares.threads.resize(blocks);
    shares.others = blocks - at_a_time;
    EXPECT_EQ(
        run(shape_of(static_cast<std::uint32_t>(blocks), 1), wait_for_the_others, &shares).status,
        0);
    const auto end = shares.threads.begin() + static_cast<std::ptrdiff_t>(at_a_time);
    EXPECT_EQ(std::count(shares.threads.begin(), end, shares.threads[0]),
              static_cast<std::ptrdiff_t>(at_a_time));
    EXPECT_EQ(std::count(end, shares.threads.end(), shares.threads[0]), 0) << blocks;
  }
}

// Two grids at once.

struct Meeting {
  std::thread::id caller;
  std::atomic<bool> begun = false;
  std::atomic<bool> over = false;
};
/// The caller's block waits until the meeting is over; the blocks of helpers until it has begun.
void hold_the_caller(Meeting* meeting) {
  if (std::this_thread::get_id() == meeting->caller) {
    meeting->begun = true;
    while (!meeting->over) std::this_thread::yield();
  } else {
    while (!meeting->begun) std::this_thread::yield();
  }
}

TEST_F(HostPool, HelpersLeaveAGridWhoseLastBlockRuns) {
  if (std::thread::hardware_concurrency() < 2) GTEST_SKIP() << "there is one processor";
  Meeting meeting;
  std::thread other([&] {
    while (!meeting.begun) std::this_thread::yield();
    std::atomic<int> here = 0;
    EXPECT_EQ(run(shape_of(2, 1), meet, &here).status, 0);
    meeting.over = true;
  });
  meeting.caller = std::this_thread::get_id();
  // So many that the helpers alone cannot hold them all.
  const std::uint32_t blocks = std::thread::hardware_concurrency();
  EXPECT_EQ(run(shape_of(blocks, 1), hold_the_caller, &meeting).status, 0);
  other.join();
}

/// A process of its own, whose threads are the pool's.
struct HostPoolDeathTest : ::testing::Test {
  HostPoolDeathTest() { testing::FLAGS_gtest_death_test_style = "threadsafe"; }
};

TEST_F(HostPoolDeathTest, APoolHasOneThreadPerProcessor) {
  if (under_sanitizer) GTEST_SKIP() << "the sanitizers have threads of their own";
  const auto check = [] {
    const auto threads = [] {
      const std::filesystem::directory_iterator tasks("/proc/self/task");
      return std::distance(begin(tasks), end(tasks));
    };
    void* args[] = {nullptr};
    Grid grid(entry_of(nothing), shape_of(2, 1), args);
    host::GridPool pool;
    if (threads() != 1) std::_Exit(99);
    for (int i = 0; i < 3; ++i) pool.run(grid);
    std::_Exit(threads() == std::max(1U, std::thread::hardware_concurrency()) ? 0 : 1);
  };
  EXPECT_EXIT(check(), ::testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace warpsafe::host_test
