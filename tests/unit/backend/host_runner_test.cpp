// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// Both ways to run a block, independent of the one that this build uses: fibres, and one OS thread
// per GPU thread.

#include "host_runners.hpp"
#include <warpsafe/kernel/device_functions.hpp>

#include <gmock/gmock.h>

#include <atomic>
#include <cfenv>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace warpsafe::host_test {
namespace {

using ::testing::Each;
using ::testing::HasSubstr;

template <class Runner>
struct HostRunner : RunnerTest<Runner> {};
TYPED_TEST_SUITE(HostRunner, Runners);

void rotate(int* data, int rounds) {
  const unsigned threads = self().block_dim[0];
  const unsigned mine = self().thread[0];
  int* const block = data + block_number() * threads;
  for (int i = 0; i < rounds; ++i) {
    const int next = block[(mine + 1) % threads];
    sync_block();
    block[mine] = next;
    sync_block();
  }
}

TYPED_TEST(HostRunner, BarriersHoldEveryThread) {
  std::vector<int> data{0, 1, 2, 3, 4, 5, 6, 7};
  const host::Failure failure = this->run(shape_of(2, 4), rotate, data.data(), 3);
  EXPECT_EQ(failure.status, 0);
  EXPECT_EQ(data, (std::vector<int>{3, 0, 1, 2, 7, 4, 5, 6}));
}

TYPED_TEST(HostRunner, GoesWithoutTheEndOfItsGrid) {
  std::vector<int> data{0, 1};
  int* begin = data.data();
  int rounds = 1;
  void* args[] = {&begin, &rounds};
  host::Grid grid(entry_of(rotate), shape_of(1, 2), args);
  {
    TypeParam own;
    own.begin_grid();
    own.run_block(grid, 0);
  }
  EXPECT_EQ(grid.take_failure().status, 0);
  EXPECT_EQ(data, (std::vector<int>{1, 0}));
}

void number_threads(unsigned* numbers) {
  numbers[thread_number()] = thread_number();
  if (self().block_dim[0] == 3) sync_block();
}

TYPED_TEST(HostRunner, ThreadsAreNumberedXFirst) {
  for (const std::uint32_t x : {2U, 3U}) {
    LaunchShape shape = shape_of(1, x);
    shape.block[1] = 2;
    shape.block[2] = 4;
    std::vector<unsigned> numbers(x * 8, 99);
    EXPECT_EQ(this->run(shape, number_threads, numbers.data()).status, 0);
    for (unsigned i = 0; i < numbers.size(); ++i) EXPECT_EQ(numbers[i], i);
  }
}

void some_finish() {
  if (self().thread[0] < 3) sync_block("some.cu", 12);
}
void others_finish() {
  if (self().thread[0] >= 5) sync_block("others.cu", 4);
}
void two_places() { sync_block("two.cu", self().thread[0] == 0 ? 1 : 2); }
void leaves_after_the_first() {
  sync_block("loop.cu", 1);
  if (self().thread[0] != 7) sync_block("loop.cu", 2);
}

void two_files() {
  sync_block("one.cu", 1);
  sync_block(self().thread[0] == 0 ? "one.cu" : "two.cu", 1);
}

TYPED_TEST(HostRunner, DivergenceIsReportedWithItsNumbers) {
  const int divergence = host::raw(HostStatus::barrier_divergence);
  host::Failure failure = this->run(shape_of(1, 8), some_finish);
  EXPECT_EQ(failure.status, divergence);
  EXPECT_EQ(string_of(failure.text),
            "barrier divergence in block (0,0,0): of 8 threads, 3 wait at some.cu:12, 5 have "
            "finished");
  failure = this->run(shape_of(1, 8), others_finish);
  EXPECT_EQ(failure.status, divergence);
  EXPECT_THAT(string_of(failure.text),
              HasSubstr("of 8 threads, 3 wait at others.cu:4, 5 have finished"));
  failure = this->run(shape_of(1, 8), two_places);
  EXPECT_EQ(failure.status, divergence);
  // The scheduler decides which of the two comes first.
  const bool one_first =
      string_of(failure.text).find("1 wait at two.cu:1, 7 at two.cu:2") != std::string::npos;
  const bool two_first =
      string_of(failure.text).find("7 wait at two.cu:2, 1 at two.cu:1") != std::string::npos;
  EXPECT_TRUE(one_first || two_first) << string_of(failure.text);
  failure = this->run(shape_of(1, 8), leaves_after_the_first);
  EXPECT_EQ(failure.status, divergence);
  EXPECT_THAT(string_of(failure.text), HasSubstr("7 wait at loop.cu:2, 1 have finished"));
  failure = this->run(shape_of(1, 8), two_files);
  EXPECT_EQ(failure.status, divergence) << "the same line of two files";
}

// Two translation units with the same file name: its text is compared, not its address.
void same_name_elsewhere() {
  static const char first[] = "same.cu";
  static const char second[] = "same.cu";
  sync_block(self().thread[0] == 0 ? static_cast<const char*>(first) : second, 3);
}

TYPED_TEST(HostRunner, OneBarrierMayHaveItsNameTwice) {
  EXPECT_EQ(this->run(shape_of(1, 4), same_name_elsewhere).status, 0);
}

/// Each thread writes one byte, from `first` on.
void write_dynamic(int first) {
  self().dynamic_shared[static_cast<unsigned>(first) + self().thread[0]] = 1;
}
void write_static(int first) {
  static const char key = 0;
  auto* const memory =
      static_cast<unsigned char*>(self().static_shared(self(), &key, 100, alignof(int)));
  sync_block();
  memory[static_cast<unsigned>(first) + self().thread[0]] = 1;
}

TYPED_TEST(HostRunner, WritingBehindSharedMemoryIsReported) {
  const int bad_access = host::raw(HostStatus::illegal_address);
  LaunchShape shape = shape_of(2, 8);
  shape.dynamic_shared = 50;
  EXPECT_EQ(this->run(shape, write_dynamic, 42).status, 0) << "to the last byte";
  host::Failure failure = this->run(shape, write_dynamic, 43);
  EXPECT_EQ(failure.status, bad_access);
  EXPECT_EQ(string_of(failure.text),
            "the kernel wrote past the end of its 50 bytes of dynamic shared memory, in block "
            "(0,0,0)");
  EXPECT_EQ(this->run(shape, write_dynamic, 0).status, 0) << "each block begins anew";
  for (const std::uint32_t threads : {1U, 8U}) {
    EXPECT_EQ(this->run(shape_of(2, threads), write_static, 92).status, 0);
    failure = this->run(shape_of(2, threads), write_static, 100);
    EXPECT_EQ(failure.status, bad_access);
    EXPECT_THAT(string_of(failure.text),
                HasSubstr("past the end of its 100 bytes of static shared memory"));
  }
  EXPECT_EQ(this->run(shape_of(2, 8), write_static, 92).status, 0);
}

void throws_between_barriers(int* passed) {
  sync_block();
  if (self().thread[0] == 2) throw std::runtime_error("two");
  sync_block();
  passed[self().thread[0]] = 1;
}
void throws_anything() {
  if (self().thread[0] == 1) throw 3;
}

TYPED_TEST(HostRunner, AnExceptionEndsTheBlockAndIsReported) {
  std::vector<int> passed(8, 0);
  host::Failure failure = this->run(shape_of(3, 8), throws_between_barriers, passed.data());
  EXPECT_EQ(failure.status, host::raw(HostStatus::launch_failure));
  EXPECT_EQ(string_of(failure.text), "the kernel threw in block (0,0,0), thread (2,0,0): two");
  EXPECT_THAT(passed, Each(0));
  failure = this->run(shape_of(1, 2), throws_anything);
  EXPECT_THAT(string_of(failure.text), HasSubstr("an exception that is not a std::exception"));
}

TYPED_TEST(HostRunner, ARunnerGoesOnAfterAFailure) {
  std::vector<int> data{0, 1, 2, 3};
  for (int i = 0; i < 10; ++i) {
    EXPECT_NE(this->run(shape_of(1, 8), some_finish).status, 0);
    EXPECT_EQ(this->run(shape_of(1, 4), rotate, data.data(), 4).status, 0);
  }
  EXPECT_EQ(data, (std::vector<int>{0, 1, 2, 3}));
}

void deep(unsigned bytes, int* out) {
  volatile char stack[80 * 1024];
  for (unsigned i = 0; i < bytes; i += 512) stack[i] = static_cast<char>(i / 512);
  sync_block();
  out[self().thread[0]] = stack[512 * 7];
}

TYPED_TEST(HostRunner, AThreadHasRoomForHostFunctions) {
  std::vector<int> out(4, 0);
  EXPECT_EQ(this->run(shape_of(1, 4), deep, 80U * 1024, out.data()).status, 0);
  EXPECT_THAT(out, Each(7));
}

/// A barrier below two functions, each with an object on the stack.
[[gnu::noinline]] unsigned wait_below(unsigned value) {
  const std::string text = std::to_string(value);
  sync_block("nested.cu", 3);
  return static_cast<unsigned>(text.size()) * 1000 + value;
}
[[gnu::noinline]] unsigned wait_further_below(unsigned value) {
  const std::vector<unsigned> held(value % 5 + 1, value);
  const unsigned below = wait_below(held.back());
  return held.size() == value % 5 + 1 ? below : 0;
}
void sum_of_neighbours(unsigned* sums, int rounds) {
  static const char key = 0;
  const unsigned threads = self().block_dim[0] * self().block_dim[1] * self().block_dim[2];
  auto* const shared = static_cast<unsigned*>(
      self().static_shared(self(), &key, threads * sizeof(unsigned), alignof(unsigned)));
  unsigned sum = 0;
  for (int i = 0; i < rounds; ++i) {
    shared[thread_number()] = block_number() + thread_number() + static_cast<unsigned>(i);
    const unsigned below = wait_further_below(thread_number());
    sum += below % 1000 - thread_number();
    sum += shared[(thread_number() + 1) % threads];
    sync_block();
  }
  sums[block_number() * threads + thread_number()] = sum;
}
void two_per_thread(unsigned* sums) { sums[block_number()] += 2; }

// The fibres of one runner serve all of these in turn.
TYPED_TEST(HostRunner, GridsOfAllShapesFollowOneAnother) {
  const std::uint32_t blocks[][3] = {{1, 1, 1},  {64, 1, 1}, {2, 3, 4}, {1, 1, 9},
                                     {65, 1, 1}, {1, 7, 1},  {4, 4, 8}, {1, 1, 1}};
  for (int repeat = 0; repeat < 3; ++repeat) {
    for (const auto& block : blocks) {
      LaunchShape shape = shape_of(3, 1);
      for (int axis = 0; axis < 3; ++axis) shape.block[axis] = block[axis];
      const auto threads = static_cast<unsigned>(shape.threads_per_block());
      const int rounds = repeat * 2 + 1;
      std::vector<unsigned> sums(std::size_t{3} * threads, 0);
      ASSERT_EQ(this->run(shape, sum_of_neighbours, sums.data(), rounds).status, 0);
      for (unsigned i = 0; i < sums.size(); ++i) {
        unsigned expected = 0;
        for (unsigned round = 0; round < static_cast<unsigned>(rounds); ++round) {
          expected += i / threads + (i % threads + 1) % threads + round;
        }
        ASSERT_EQ(sums[i], expected) << threads << " threads, " << i;
      }
      std::vector<unsigned> without(5, 0);
      if (!host::thread_sanitizer && std::is_same_v<TypeParam, host::FibreRunner>) {
        ASSERT_EQ(this->run(shape_of(5, threads), two_per_thread, without.data()).status, 0);
        EXPECT_THAT(without, Each(2 * threads));
      }
    }
  }
}

struct Job {
  std::vector<int> seen;
  int number = 0;
};
/// The kernel's function is an object, which may not be called once it is destroyed.
void call_job(const void* function, void**) {
  host::run_threads([function] {
    Job& job = *static_cast<Job*>(const_cast<void*>(function));
    sync_block("job.cu", 1);
    job.seen[thread_number()] += job.number;
  });
}

TYPED_TEST(HostRunner, AnEndedKernelIsNotCalledAgain) {
  for (int i = 1; i <= 20; ++i) {
    const std::uint32_t threads = i % 2 == 0 ? 3 : 8;
    auto job = std::make_unique<Job>(Job{std::vector<int>(threads, 0), i});
    void* args[] = {nullptr};
    {
      host::Grid grid({job.get(), &call_job, nullptr, 0}, shape_of(2, threads), args);
      this->runner.begin_grid();
      for (std::uint64_t block = 0; block < 2; ++block) this->runner.run_block(grid, block);
      this->runner.end_grid();
      EXPECT_EQ(grid.take_failure().status, 0);
    }
    EXPECT_THAT(job->seen, Each(2 * i));
  }
}

void some_leave_in_a_later_block() {
  sync_block("early.cu", 1);
  if (block_number() == 2 && self().thread[0] % 2 == 1) return;
  sync_block("early.cu", 2);
}

TYPED_TEST(HostRunner, DivergenceIsReportedInALaterBlock) {
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(this->run(shape_of(2, 6), some_leave_in_a_later_block).status, 0);
    const host::Failure failure = this->run(shape_of(4, 6), some_leave_in_a_later_block);
    EXPECT_EQ(failure.status, host::raw(HostStatus::barrier_divergence));
    EXPECT_EQ(string_of(failure.text),
              "barrier divergence in block (2,0,0): of 6 threads, 3 wait at early.cu:2, 3 have "
              "finished");
  }
}

/// Each third block has no barrier.
void often_waits(int* order, int* visits) {
  const unsigned block = block_number();
  const unsigned first = block * self().block_dim[0];
  order[first + thread_number()] = static_cast<int>(block);
  if (block % 3 != 2) {
    sync_block("often.cu", 1);
    const unsigned next = (thread_number() + 1) % self().block_dim[0];
    if (order[first + next] != static_cast<int>(block)) return;
    sync_block("often.cu", 2);
  }
  ++visits[first + thread_number()];
}

TYPED_TEST(HostRunner, BlocksWithAndWithoutBarriersFollowOneAnother) {
  for (const std::uint32_t threads : {1U, 2U, 7U}) {
    std::vector<int> order(std::size_t{9} * threads, -1);
    std::vector<int> visits(order.size(), 0);
    EXPECT_EQ(this->run(shape_of(9, threads), often_waits, order.data(), visits.data()).status, 0);
    EXPECT_THAT(visits, Each(1)) << threads;
  }
}

void one_array(int* seen) {
  int* const held = shared_array<int, 8>([] {});
  seen[block_number() * 8 + thread_number()] = held[thread_number()];
  sync_block();
  held[thread_number()] = 1;
  if (thread_number() == 7 && block_number() == 3) held[8] = 1;
}
/// Each thread writes to two arrays, and reads its neighbour's elements.
void two_arrays(int rounds, int* sums) {
  for (int i = 1; i <= rounds; ++i) {
    int* const a = shared_array<int, 8>([] {});
    int* const b = shared_array<int, 8>([] {});
    const unsigned mine = thread_number();
    a[mine] = i;
    b[mine] = 100 * i;
    sync_block();
    sums[mine] += a[(mine + 1) % 8] + b[(mine + 1) % 8];
    sync_block();
  }
}

TYPED_TEST(HostRunner, EachBlockHasFreshSharedArrays) {
  std::vector<int> seen(32, 0);
  const host::Failure failure = this->run(shape_of(4, 8), one_array, seen.data());
  EXPECT_NE(seen[0], 1);
  EXPECT_THAT(seen, Each(seen[0]));
  EXPECT_EQ(string_of(failure.text),
            "the kernel wrote past the end of its 32 bytes of static shared memory, in block "
            "(3,0,0)");
  std::vector<int> sums(8, 0);
  EXPECT_EQ(this->run(shape_of(4, 8), two_arrays, 2, sums.data()).status, 0);
  EXPECT_THAT(sums, Each(4 * 303));
}

struct Counted {
  explicit Counted(std::atomic<int>* its_count) : count(its_count) { ++*count; }
  Counted(const Counted&) = delete;
  Counted& operator=(const Counted&) = delete;
  ~Counted() { --*count; }
  std::atomic<int>* count;
};
void catches_its_own(std::atomic<int>* alive, int* caught) {
  const Counted outer(alive);
  try {
    const Counted inner(alive);
    sync_block();
    if (thread_number() % 2 == 0) throw std::runtime_error(std::to_string(thread_number()));
  } catch (const std::runtime_error& error) {
    caught[thread_number()] = std::stoi(error.what());
  }
  sync_block();
}
void throws_below(std::atomic<int>* alive) {
  const Counted counted(alive);
  static_cast<void>(wait_further_below(thread_number()));
  if (thread_number() == 0) throw std::runtime_error("below");
}

TYPED_TEST(HostRunner, ExceptionsUnwindWhatTheyLeave) {
  std::atomic<int> alive = 0;
  for (int i = 0; i < 5; ++i) {
    std::vector<int> caught(6, -1);
    EXPECT_EQ(this->run(shape_of(2, 6), catches_its_own, &alive, caught.data()).status, 0);
    EXPECT_EQ(alive, 0);
    EXPECT_EQ(caught, (std::vector<int>{0, -1, 2, -1, 4, -1}));
    EXPECT_THAT(string_of(this->run(shape_of(1, 1), throws_below, &alive).text),
                HasSubstr("thread (0,0,0): below"));
    EXPECT_EQ(alive, 0);
  }
}

thread_local int of_the_os_thread = 0;
void keeps_its_address(int** addresses) {
  int* const before = &of_the_os_thread;
  for (int i = 0; i < 3; ++i) sync_block();
  addresses[thread_number()] = before == &of_the_os_thread ? before : nullptr;
}

TYPED_TEST(HostRunner, AThreadStaysOnItsOsThread) {
  std::vector<int*> addresses(8, nullptr);
  EXPECT_EQ(this->run(shape_of(3, 8), keeps_its_address, addresses.data()).status, 0);
  EXPECT_THAT(addresses, Each(::testing::NotNull()));
  if (std::is_same_v<TypeParam, host::FibreRunner>) {
    EXPECT_THAT(addresses, Each(&of_the_os_thread));
  }
}

/// Rounds up below, as classes for intervals do.
struct RoundUp {
  RoundUp() { std::fesetround(FE_UPWARD); }
  RoundUp(const RoundUp&) = delete;
  RoundUp& operator=(const RoundUp&) = delete;
  ~RoundUp() { std::fesetround(before); }
  int before = std::fegetround();
};
void rounds_up(int* modes) {
  int* const mine = modes + thread_number() * 4;
  mine[0] = std::fegetround();
  {
    const RoundUp scope;
    sync_block();
    mine[1] = std::fegetround();
    sync_block();
    mine[2] = std::fegetround();
  }
  sync_block();
  mine[3] = std::fegetround();
}
void leaves_it_rounding_up() { std::fesetround(FE_UPWARD); }

TYPED_TEST(HostRunner, EachThreadHasItsRoundingMode) {
  for (const std::uint32_t blocks : {1U, 3U}) {
    std::vector<int> modes(32, -1);
    EXPECT_EQ(this->run(shape_of(blocks, 8), rounds_up, modes.data()).status, 0);
    for (std::size_t i = 0; i < modes.size(); ++i) {
      EXPECT_EQ(modes[i], i % 4 == 1 || i % 4 == 2 ? FE_UPWARD : FE_TONEAREST) << i;
    }
    EXPECT_EQ(std::fegetround(), FE_TONEAREST);
  }
  // ThreadRunner runs a single thread on the caller's OS thread.
  const std::uint32_t threads = std::is_same_v<TypeParam, host::FibreRunner> ? 1 : 2;
  EXPECT_EQ(this->run(shape_of(1, threads), leaves_it_rounding_up).status, 0);
  EXPECT_EQ(std::fegetround(), FE_TONEAREST) << "the caller's is as before";
}

void waits_forever(std::atomic<bool>* begun) {
  for (;;) {
    *begun = true;
    sync_block();
  }
}

TEST(HostFibreRunner, AStoppedGridEndsAtItsNextBarrier) {
  if (host::thread_sanitizer) GTEST_SKIP() << "ThreadSanitizer does not understand fibres";
  host::FibreRunner runner;
  for (const std::uint32_t threads : {1U, 5U}) {
    std::atomic<bool> begun = false;
    std::atomic<bool>* value = &begun;
    void* args[] = {&value};
    host::Grid grid(entry_of(waits_forever), shape_of(1, threads), args);
    std::thread other([&] {
      while (!begun) std::this_thread::yield();
      grid.fail(HostStatus::launch_failure, "of another block");
    });
    runner.run_block(grid, 0);
    other.join();
    EXPECT_EQ(string_of(grid.take_failure().text), "of another block");
  }
}

void waits_and_allows() {
  const auto depend = [](bool waits) { self().depend(self(), waits, "depend.cu", 1); };
  if (thread_number() == 0) depend(block_number() != 1);
  if (thread_number() == 1 && block_number() != 1) depend(false);
  sync_block();
}

// A followed block comes after one that is not, whose fibres stay in the kernel's loop.
TEST(HostFibreRunner, AFollowedBlockBeginsItsThreadsOneByOne) {
  if (host::thread_sanitizer) GTEST_SKIP() << "ThreadSanitizer does not understand fibres";
  host::FibreRunner runner;
  host::PredecessorWatch watch;
  void* args[] = {nullptr};
  host::Grid grid(entry_of(waits_and_allows), shape_of(3, 4), args);
  grid.watch = &watch;
  watch.begin({}, 2, 0);
  runner.begin_grid();
  for (std::uint64_t block = 0; block < 3; ++block) runner.run_block(grid, block);
  runner.end_grid();
  watch.end();
  EXPECT_EQ(grid.take_failure().status, 0);
  EXPECT_FALSE(watch.covered()) << "the thread that allows the dependents has not waited";
}

struct PingPong {
  void* host = nullptr;
  void* fibre = nullptr;
  int rounds = 0;
  bool aligned = false;

  static void play(void* argument) {
    auto& game = *static_cast<PingPong*>(argument);
    alignas(16) volatile char local[16] = {};
    game.aligned = reinterpret_cast<std::uintptr_t>(&local) % 16 == 0;
    double kept[8] = {1, 2, 3, 4, 5, 6, 7, 8};
    for (;;) {
      for (double& value : kept) value += 1;
      game.rounds = static_cast<int>(kept[7]) - 8;
      if (game.rounds % 2 == 0) {
        host::Switch::jump(game.fibre, game.host);
      } else {
        host::Switch::jump_elsewhere(game.fibre, game.host);
      }
    }
  }
};

TEST(HostSwitch, ContinuesWhereItLeft) {
  if (host::address_sanitizer || host::thread_sanitizer) GTEST_SKIP() << "they need Fibre";
  const host::StackSlab slab(host::least_stack_bytes);
  ASSERT_TRUE(slab.valid());
  PingPong game;
  game.fibre = host::Switch::make(slab.top(3), host::least_stack_bytes / 2, &PingPong::play, &game);
  EXPECT_EQ(game.rounds, 0);
  for (int i = 1; i <= 1000; ++i) {
    host::Switch::jump(game.host, game.fibre);
    ASSERT_EQ(game.rounds, i);
  }
  EXPECT_TRUE(game.aligned);
}

host::Fibre* starter = nullptr;
host::Fibre& end_at_once(void*) { return *starter; }

enum class Resumes { elsewhere, same_place, at_an_end };
/// Resumes a finished fibre.
void resume(Resumes how) {
  host::Fibre own;
  host::FibrePool pool;
  starter = &own;
  host::Fibre& fibre = *pool.after(nullptr);
  fibre.prepare<&end_at_once>(nullptr);
  own.switch_to(fibre);
  if (!fibre.done()) return;
  if (how == Resumes::elsewhere) return own.switch_to(fibre);
  if (how == Resumes::same_place) return own.switch_to_same_place(fibre);
  host::Fibre& next = *pool.after(&fibre);
  next.prepare<&end_at_once>(nullptr);
  starter = &fibre;
  own.switch_to(next);
}

TEST(HostFibreDeathTest, AFinishedFibreIsNotResumedAsIfItHadSucceeded) {
  if (host::thread_sanitizer) GTEST_SKIP() << "ThreadSanitizer does not understand fibres";
  const std::string said =
      "warpsafe: internal error: the host backend resumed a fibre whose thread has ended\n";
  // A sanitizer writes more behind it.
  using Matcher = ::testing::Matcher<const std::string&>;
  for (const Resumes how : {Resumes::elsewhere, Resumes::same_place, Resumes::at_an_end}) {
    EXPECT_EXIT(resume(how), ::testing::KilledBySignal(SIGABRT),
                under_sanitizer ? Matcher(HasSubstr(said)) : Matcher(::testing::EndsWith(said)));
  }
}

TEST(HostStack, ItsSizeIsBytesKiBOrMiB) {
  EXPECT_EQ(host::parse_stack_bytes("65536"), 65536U);
  EXPECT_EQ(host::parse_stack_bytes("64K"), 65536U);
  EXPECT_EQ(host::parse_stack_bytes("8M"), std::size_t{8} << 20U);
  EXPECT_EQ(host::parse_stack_bytes("1024M"), std::size_t{1} << 30U);
  for (const char* const text :
       {"", "K", "65535", "63K", "1025M", "1G", "64k", "64KB", "-1", " 64K", "64 K", "1e6",
        "99999999999999999999", "18446744073709551615K", "0x10000"}) {
    EXPECT_EQ(host::parse_stack_bytes(text), 0U) << text;
  }
}

void writes_the_next(int* data) {
  const unsigned mine = self().thread[0];
  data[mine] = data[(mine + 1) % self().block_dim[0]];
}

// The threads are the same for each block, so what they wait for between blocks must not look like
// an order within a block.
TEST(HostRunnerDeathTest, ThreadSanitizerSeesARaceBetweenTheThreadsOfEachBlock) {
  if (!host::thread_sanitizer) GTEST_SKIP() << "for ThreadSanitizer";
  ::testing::FLAGS_gtest_death_test_style = "threadsafe";
  for (const std::uint64_t block : {0U, 1U, 40U}) {
    const auto run = [block] {
      std::vector<int> data(64, 1);
      int* pointer = data.data();
      void* args[] = {static_cast<void*>(&pointer), nullptr};
      std::vector<unsigned> numbers(64);
      unsigned* to_numbers = numbers.data();
      void* its_args[] = {static_cast<void*>(&to_numbers), nullptr};
      host::Grid quiet(entry_of(number_threads), shape_of(41, 64), its_args);
      host::Grid racing(entry_of(writes_the_next), shape_of(1, 64), args);
      host::ThreadRunner runner;
      for (std::uint64_t i = 0; i < block; ++i) runner.run_block(quiet, i);
      runner.run_block(racing, 0);
      runner.end_grid();
      std::exit(0);
    };
    EXPECT_EXIT(run(), ::testing::ExitedWithCode(66), "data race") << block;
  }
}

TEST(HostStack, EachHasAGuardBelowIt) {
  const host::StackSlab slab(100000);
  ASSERT_TRUE(slab.valid());
  for (const std::size_t number : {std::size_t{0}, std::size_t{1}, host::StackSlab::stacks - 1}) {
    unsigned char* const bottom = slab.bottom(number);
    EXPECT_GE(slab.overflowed(bottom - 1), 100000U) << number;
    EXPECT_GE(slab.overflowed(bottom - 200000), 100000U) << number;
    EXPECT_EQ(slab.overflowed(bottom), 0U) << number;
    EXPECT_EQ(slab.overflowed(slab.top(number) - 1), 0U) << number;
    EXPECT_GE(slab.top(number) - bottom, 100000 - 16 * 256) << number;
  }
  EXPECT_EQ(slab.overflowed(slab.bottom(0) - 400000), 0U);
}

TEST(HostArguments, AreAlignedAsTheirTypes) {
  alignas(256) char wide[256] = "wide";
  char narrow = 'n';
  const ParameterInfo parameters[] = {{1, 1, false, false}, {256, 256, false, false}};
  const KernelEntry entry{nullptr, nullptr, parameters, 2};
  void* args[] = {&narrow, wide};
  host::ArgumentBlock block(entry, args);
  narrow = wide[0] = '-';
  EXPECT_EQ(*static_cast<char*>(block.values()[0]), 'n');
  EXPECT_STREQ(static_cast<char*>(block.values()[1]), "wide");
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(block.values()[1]) % 256, 0U);
}

}  // namespace
}  // namespace warpsafe::host_test
