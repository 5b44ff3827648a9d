// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// Dependent launches on the host backend: a kernel may begin before the one before it has ended, so
// that what it does before its wait is unordered with it.

#include <warpsafe/backend/host/control.hpp>
#include <warpsafe/backend/host/detail/sanitizers.hpp>
#include <warpsafe/error/message.hpp>
#include <warpsafe/kernel_api.hpp>
#include <warpsafe/memory.hpp>
#include <warpsafe/race/adversarial.hpp>
#include <warpsafe/warpsafe.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <random>
#include <set>
#include <span>
#include <string>
#include <tuple>
#include <vector>

[[nodiscard]] inline unsigned thread_of_grid() {
  return warpsafe::block_index().x * warpsafe::block_size().x + warpsafe::thread_in_block().x;
}
// At global scope: reports are compared with the kernels' plain names.
WARPSAFE_KERNEL void produce(float* x) {
  const auto i = thread_of_grid();
  x[i] = 1 + static_cast<float>(i);
}
WARPSAFE_KERNEL void produce_after_trigger(float* x) {
  warpsafe::allow_dependents();
  produce(x);
}
WARPSAFE_KERNEL void read_then_trigger(const float* x, float* y) {
  y[thread_of_grid()] = x[thread_of_grid()];
  warpsafe::allow_dependents();
}
WARPSAFE_KERNEL void read_only(const float* x, float* y) {
  y[thread_of_grid()] = x[thread_of_grid()];
}
WARPSAFE_KERNEL void wait_then_read(const float* x, float* y) {
  warpsafe::wait_for_predecessor();
  const auto i = thread_of_grid();
  y[i] = x[i];
}
WARPSAFE_KERNEL void read_then_wait(const float* x, float* y) {
  const auto i = thread_of_grid();
  y[i] = x[i];
  warpsafe::wait_for_predecessor();
}
constexpr int line_of_late_wait = __LINE__ - 2;
WARPSAFE_KERNEL void never_wait(const float* x, float* y) {
  y[thread_of_grid()] = x[thread_of_grid()];
}
WARPSAFE_KERNEL void touch_nothing(const float*, float*) {}
WARPSAFE_KERNEL void write_then_wait(float* x) {
  if (thread_of_grid() == 0) x[0] = 7;
  warpsafe::wait_for_predecessor();
}
WARPSAFE_KERNEL void wait_then_write(float* x) {
  warpsafe::wait_for_predecessor();
  x[thread_of_grid()] = 9;
}
WARPSAFE_KERNEL void preload(const float* weights, const float* x, float* y) {
  const float weight = weights[0];
  warpsafe::wait_for_predecessor();
  y[thread_of_grid()] = weight * x[thread_of_grid()];
}
/// Only threads below `waiting` wait.
WARPSAFE_KERNEL void some_wait(unsigned waiting, const float* x, float* y) {
  const auto i = thread_of_grid();
  if (i < waiting) warpsafe::wait_for_predecessor();
  y[i] = x[i];
}
/// One thread of each block waits, and the block waits for that thread.
WARPSAFE_KERNEL void one_waits_for_all(const float* x, float* y) {
  const auto i = thread_of_grid();
  warpsafe::sync_block();
  if (warpsafe::thread_in_block().x == 2) warpsafe::wait_for_predecessor();
  warpsafe::sync_block();
  y[i] = x[i];
}
/// The same, with the access before the second barrier.
WARPSAFE_KERNEL void one_waits_too_late(const float* x, float* y) {
  const auto i = thread_of_grid();
  warpsafe::sync_block();
  if (warpsafe::thread_in_block().x == 2) warpsafe::wait_for_predecessor();
  y[i] = x[i];
  warpsafe::sync_block();
}
WARPSAFE_KERNEL void trigger_then_wait(const float* x, float* y) {
  warpsafe::allow_dependents();
  wait_then_read(x, y);
}
WARPSAFE_KERNEL void wait_then_trigger(const float* x, float* y) {
  warpsafe::wait_for_predecessor();
  warpsafe::allow_dependents();
  wait_then_read(x, y);
}
/// A sum over the block with many barriers, of which every thread waits before another one.
WARPSAFE_KERNEL void many_barriers(const float* x, float* sums) {
  float* const tile = warpsafe::shared_array<float, 24>([] {});
  const auto at = warpsafe::thread_in_block();
  const unsigned thread = (at.z * 3 + at.y) * 4 + at.x;
  for (unsigned round = 0; round < 24; ++round) {
    if (round == thread) warpsafe::wait_for_predecessor();
    warpsafe::sync_block();
  }
  tile[thread] = x[thread % 8];
  warpsafe::sync_block();
  for (unsigned half = 12; half != 0; half = half == 3 ? 1 : half / 2) {
    if (thread < half) tile[thread] += tile[thread + half];
    if (half == 1 && thread == 0) tile[0] += tile[2];
    warpsafe::sync_block();
  }
  if (thread == 0) sums[warpsafe::block_index().x] = tile[0];
}
/// Half of the block never reaches the barrier.
WARPSAFE_KERNEL void diverge(const float*, float*) {
  if (warpsafe::thread_in_block().x == 0) warpsafe::sync_block();
}

namespace warpsafe::adversarial {
namespace {

using debug::Mistake;
using testing::HasSubstr;

constexpr unsigned threads = 4;
const LaunchConfig ordinary{grid<2>, block<threads>};
const LaunchConfig dependent{grid<2>, block<threads>, dependent_launch};

/// Whether early accesses are noted: a sanitizer has its own handler of faults.
constexpr bool notes_accesses = !host::address_sanitizer && !host::thread_sanitizer;

struct Buffers {
  Stream stream = Stream::create().value();
  DeviceBuffer<float> x = DeviceBuffer<float>::create(stream, 2 * threads).value();
  DeviceBuffer<float> y = DeviceBuffer<float>::create(stream, 2 * threads).value();
  DeviceBuffer<float> z = DeviceBuffer<float>::create(stream, 2 * threads).value();

  Buffers() {
    x.zero(stream).value();
    y.zero(stream).value();
    z.zero(stream).value();
  }
  /// Launches a kernel that is declared to wait.
  template <auto Fn, class Config, class... Arguments>
  void launch(const Config& config, const Arguments&... arguments) {
    warpsafe::launch(stream, config, kernel<Fn, waits_for_predecessor>, arguments...).value();
  }
  [[nodiscard]] std::vector<float> values(const DeviceBuffer<float>& of) {
    std::vector<float> values(of.size());
    copy_and_wait(stream, from(of.view()), to(std::span(values))).value();
    return values;
  }
};

[[nodiscard]] std::vector<Mistake> mistakes(const RaceReport& report) {
  std::vector<Mistake> found;
  for (const debug::Finding& finding : report.findings) found.push_back(finding.mistake);
  return found;
}

template <auto Fn>
[[nodiscard]] RaceReport after_produce(std::uint64_t seeds) {
  return run(seeds, [] {
    Buffers of;
    of.launch<produce>(ordinary, of.x.view());
    of.launch<Fn>(dependent, of.x.view(), of.y.view());
    of.stream.synchronize().value();
  });
}

TEST(DependentLaunch, TheEndOfOldContentsIsNoWriteAroundTheView) {
  const RaceReport report = run(50, [] {
    Buffers of;
    const Stream other = Stream::create().value();
    of.launch<produce>(ordinary, of.x.view());
    const Event produced = of.stream.record().value();
    const LaunchConfig one_block{grid<1>, block<threads>, dependent_launch};
    of.launch<wait_then_write>(one_block, of.x.view().subspan(0, threads).value());
    wait(other, produced).value();
    launch(other, LaunchConfig{grid<1>, block<threads>}, kernel<produce>,
           of.x.view().subspan(threads, threads).value())
        .value();
    other.synchronize().value();
    of.stream.synchronize().value();
  });
  EXPECT_TRUE(report.clean()) << report;
}

/// A kernel that lets its dependents begin writes x, which is then freed. Fn has a new buffer.
template <auto Fn>
[[nodiscard]] RaceReport with_memory_of_its_predecessor() {
  return run(50, [] {
    Buffers of;
    of.launch<produce_after_trigger>(ordinary, of.x.view());
    of.x.close().value();
    auto fresh = DeviceBuffer<float>::create(of.stream, 2 * threads).value();
    launch(of.stream, dependent, kernel<Fn, waits_for_predecessor>, fresh.view()).value();
    of.stream.synchronize().value();
  });
}
// On an H200, 49 of 50 such programs overwrote what the predecessor still wrote.
TEST(DependentLaunch, NewMemoryMayBeWhatThePredecessorStillUses) {
  if (!notes_accesses) GTEST_SKIP() << "a sanitizer handles faults itself";
  const RaceReport report = with_memory_of_its_predecessor<write_then_wait>();
  ASSERT_EQ(mistakes(report), std::vector{Mistake::race});
  const std::string& text = report.findings.front().text;
  EXPECT_THAT(text, HasSubstr("kernel 'produce_after_trigger' on stream 1"));
  EXPECT_THAT(text, HasSubstr("writes before its wait"));
  EXPECT_THAT(text, HasSubstr("and allocated again: one of the two may be meant for the earlier"));
  const RaceReport waits = with_memory_of_its_predecessor<wait_then_write>();
  EXPECT_TRUE(waits.clean()) << waits;
}

TEST(DependentLaunch, AReadBeforeTheWaitIsARaceWithBothLines) {
  if (!notes_accesses) GTEST_SKIP() << "a sanitizer handles faults itself";
  const RaceReport report = run(50, [] {
    Buffers of;
    launch(of.stream, ordinary, kernel<produce>, of.x.view()).value();
    launch(of.stream, dependent, kernel<read_then_wait, waits_for_predecessor>, of.x.view(),
           of.y.view())
        .value();
    of.stream.synchronize().value();
  });
  ASSERT_EQ(mistakes(report), std::vector{Mistake::race});
  EXPECT_EQ(report.seeds_run, 1U) << "the first seed finds what there is";
  const debug::Finding& found = report.findings.front();
  EXPECT_EQ(found.second.action.site.line, found.first.action.site.line + 1);
  EXPECT_THAT(found.text, HasSubstr("Race: a dependent launch lets these two overlap"));
  EXPECT_THAT(found.text, HasSubstr("kernel 'produce' on stream 1, at dependent_launch_test.cpp:"));
  EXPECT_THAT(found.text, HasSubstr("reads before its wait at dependent_launch_test.cpp:" +
                                    std::to_string(line_of_late_wait)));
  EXPECT_THAT(
      found.text,
      HasSubstr("call wait_for_predecessor() in kernel 'read_then_wait' before this access"));
}

TEST(DependentLaunch, ARunKnowsNoKernelOfTheRunBefore) {
  Buffers of;
  const RaceReport report = run(20, [&] {
    static_cast<void>(of.stream.record().value());  // the host does not know that it has ended
    launch(of.stream, dependent, kernel<read_then_wait, waits_for_predecessor>, of.x.view(),
           of.y.view())
        .value();
    of.launch<produce>(ordinary, of.x.view());
    of.stream.synchronize().value();
  });
  EXPECT_TRUE(report.clean()) << report;
  EXPECT_EQ(report.seeds_run, 20U);
}

TEST(DependentLaunch, AWaitBeforeTheReadIsRight) {
  const RaceReport report = after_produce<wait_then_read>(500);
  EXPECT_TRUE(report.clean()) << report;
  EXPECT_EQ(report.seeds_run, 500U);
}

TEST(DependentLaunch, BeforeTheWaitTheOldContentsAreSeenBySeed) {
  // There, a block's threads run at once, and would see the contents change.
  if (host::thread_sanitizer) GTEST_SKIP() << "ThreadSanitizer";
  std::set<float> seen;
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    static_cast<void>(run({1, seed}, [&] {
      Buffers of;
      of.launch<produce>(ordinary, of.x.view());
      of.launch<read_then_wait>(dependent, of.x.view(), of.y.view());
      seen.insert(of.values(of.y)[0]);
      EXPECT_EQ(of.values(of.x)[0], 1) << "what was hidden is there afterwards";
    }));
  }
  EXPECT_EQ(seen, (std::set<float>{0, 1}));
}

TEST(DependentLaunch, WhatTheKernelWritesBeforeItsWaitStays) {
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    static_cast<void>(run({1, seed}, [&] {
      Buffers of;
      of.launch<produce>(ordinary, of.x.view());
      of.launch<write_then_wait>(dependent, of.x.view());
      const std::vector<float> x = of.values(of.x);
      EXPECT_EQ(x[0], 7);
      EXPECT_EQ(x[1], 2);
    }));
  }
}

TEST(DependentLaunch, AKernelThatNeverWaitsIsFound) {
  const RaceReport report = after_produce<touch_nothing>(50);
  ASSERT_EQ(mistakes(report), std::vector{Mistake::missing_wait});
  EXPECT_THAT(report.findings.front().text,
              HasSubstr("Missing wait: no thread of this kernel waited for its predecessor\n"
                        "  #8 kernel 'touch_nothing' on stream 1, at dependent_launch_test.cpp:"));
  EXPECT_THAT(report.findings.front().text,
              HasSubstr("call wait_for_predecessor() in the kernel before it uses what an earlier "
                        "kernel writes, or launch it without dependent_launch\n"));
  if (!notes_accesses) return;
  EXPECT_EQ(mistakes(after_produce<never_wait>(1)),
            (std::vector{Mistake::race, Mistake::missing_wait}));
}

TEST(DependentLaunch, AKernelThatNeverWaitsFailsWithoutADetectorToo) {
  host::reset();
  Buffers of;
  of.launch<produce>(ordinary, of.x.view());
  of.launch<never_wait>(dependent, of.x.view(), of.y.view());
  const auto done = of.stream.synchronize();
  ASSERT_FALSE(done.has_value());
  EXPECT_EQ(done.assume_error().code, Errc::execution_failed);
  EXPECT_THAT(message(done.assume_error()),
              HasSubstr("no thread of it called wait_for_predecessor()"));
  of.launch<wait_then_read>(dependent, of.x.view(), of.y.view());
  EXPECT_TRUE(of.stream.synchronize().has_value()) << "the device goes on";
  of.launch<never_wait>(ordinary, of.x.view(), of.y.view());
  EXPECT_TRUE(of.stream.synchronize().has_value()) << "an ordinary launch needs no wait";
}

TEST(DependentLaunch, MemoryOfNoPredecessorMayBeReadBeforeTheWait) {
  const RaceReport report = run(300, [] {
    Buffers of;
    of.launch<produce>(ordinary, of.x.view());
    of.launch<preload>(dependent, of.z.view(), of.x.view(), of.y.view());
    of.stream.synchronize().value();
  });
  EXPECT_TRUE(report.clean()) << report;
}

TEST(DependentLaunch, EachThreadHasToWait) {
  if (!notes_accesses) GTEST_SKIP() << "a sanitizer handles faults itself";
  for (const unsigned waiting : {1U, threads, 2 * threads - 1, 2 * threads}) {
    const RaceReport report = run(20, [&] {
      Buffers of;
      of.launch<produce>(ordinary, of.x.view());
      of.launch<some_wait>(dependent, waiting, of.x.view(), of.y.view());
      of.stream.synchronize().value();
    });
    EXPECT_EQ(report.clean(), waiting == 2 * threads) << waiting << '\n' << report;
  }
}

TEST(DependentLaunch, ABarrierPassesOneThreadsWaitOn) {
  const RaceReport right = after_produce<one_waits_for_all>(200);
  EXPECT_TRUE(right.clean()) << right;
  if (!notes_accesses) GTEST_SKIP() << "a sanitizer handles faults itself";
  EXPECT_EQ(mistakes(after_produce<one_waits_too_late>(50)), std::vector{Mistake::race});
}

TEST(DependentLaunch, FollowedThreadsComputeWhatOthersDo) {
  const RaceReport report = run(100, [] {
    Buffers of;
    of.launch<produce>(ordinary, of.x.view());
    of.launch<one_waits_for_all>(dependent, of.x.view(), of.y.view());
    EXPECT_EQ(of.values(of.y), (std::vector<float>{1, 2, 3, 4, 5, 6, 7, 8}));
  });
  EXPECT_TRUE(report.clean()) << report;
}

TEST(DependentLaunch, FollowedThreadsPassManyBarriers) {
  const RaceReport report = run(60, [] {
    Buffers of;
    of.launch<produce>(ordinary, of.x.view());
    of.launch<many_barriers>(LaunchConfig{grid<2>, block<4, 3, 2>, dependent_launch}, of.x.view(),
                             of.y.view());
    const std::vector<float> sums = of.values(of.y);
    EXPECT_EQ(sums[0], 3 * 36);
    EXPECT_EQ(sums[1], 3 * 36);
  });
  EXPECT_TRUE(report.clean()) << report;
}

TEST(DependentLaunch, AFailureInAFollowedGridLeavesMemoryAccessible) {
  const RaceReport report = run(20, [] {
    Buffers of;
    of.launch<produce>(ordinary, of.x.view());
    of.launch<diverge>(dependent, of.x.view(), of.y.view());
    const auto done = of.stream.synchronize();
    ASSERT_FALSE(done.has_value());
    EXPECT_EQ(done.assume_error().code, Errc::barrier_divergence);
    EXPECT_EQ(of.values(of.x)[3], 4);
  });
  EXPECT_TRUE(report.clean()) << report << "a kernel that failed is not blamed for its wait";
}

TEST(DependentLaunch, AnEarlyTriggerIsRightIfTheDependentWaits) {
  const RaceReport report = run(300, [] {
    Buffers of;
    of.launch<produce_after_trigger>(ordinary, of.x.view());
    of.launch<wait_then_read>(dependent, of.x.view(), of.y.view());
    of.stream.synchronize().value();
  });
  EXPECT_TRUE(report.clean()) << report;
}

TEST(DependentLaunch, AWriteBeforeTheWaitRacesWithAReaderThatTriggers) {
  const auto write_after = [](auto reader) {
    return run(50, [&] {
      Buffers of;
      warpsafe::launch(of.stream, ordinary, reader, of.x.view(), of.y.view()).value();
      of.launch<write_then_wait>(dependent, of.x.view());
      of.stream.synchronize().value();
    });
  };
  // Without a trigger, the second kernel begins after the reader's last block.
  EXPECT_TRUE(write_after(kernel<read_only>).clean());
  if (!notes_accesses) GTEST_SKIP() << "a sanitizer handles faults itself";
  const RaceReport report = write_after(kernel<read_then_trigger>);
  ASSERT_EQ(mistakes(report), std::vector{Mistake::race});
  EXPECT_THAT(report.findings.front().text, HasSubstr("writes before its wait at"));
}

TEST(DependentLaunch, AWaitDoesNotCoverWhatTheKernelBetweenDidNotWaitFor) {
  if (!notes_accesses) GTEST_SKIP() << "a sanitizer handles faults itself";
  std::set<float> seen;
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    const RaceReport report = run({1, seed}, [&] {
      Buffers of;
      of.launch<produce>(ordinary, of.x.view());
      of.launch<touch_nothing>(dependent, of.z.view(), of.z.view());
      of.launch<wait_then_read>(dependent, of.x.view(), of.y.view());
      seen.insert(of.values(of.y)[0]);
    });
    ASSERT_EQ(mistakes(report), (std::vector{Mistake::race, Mistake::missing_wait}));
    EXPECT_THAT(report.findings.front().text, HasSubstr("reads after its wait"));
    EXPECT_THAT(report.findings.front().text,
                HasSubstr("the wait of #9 does not cover #7: between them, #8 kernel "
                          "'touch_nothing' on stream 1, at dependent_launch_test.cpp:"));
  }
  EXPECT_EQ(seen, (std::set<float>{0, 1}));
}

TEST(DependentLaunch, AChainOfKernelsThatAllWaitIsRight) {
  for (const bool trigger_first : {false, true}) {
    const RaceReport report = run(200, [&] {
      Buffers of;
      of.launch<produce_after_trigger>(ordinary, of.x.view());
      for (int i = 0; i < 20; ++i) {
        trigger_first ? of.launch<trigger_then_wait>(dependent, of.x.view(), of.y.view())
                      : of.launch<wait_then_trigger>(dependent, of.x.view(), of.y.view());
        of.launch<wait_then_read>(dependent, of.y.view(), of.z.view());
      }
      of.launch<wait_then_read>(ordinary, of.x.view(), of.y.view());
      EXPECT_EQ(of.values(of.z)[1], 2);
    });
    EXPECT_TRUE(report.clean()) << report;
  }
}

TEST(DependentLaunch, ATriggerBeforeTheWaitLetsThreeKernelsOverlap) {
  if (!notes_accesses) GTEST_SKIP() << "a sanitizer handles faults itself";
  const auto third_reads_early = [](auto middle) {
    return run(20, [&] {
      Buffers of;
      of.launch<produce_after_trigger>(ordinary, of.x.view());
      warpsafe::launch(of.stream, dependent, middle, of.z.view(), of.z.view()).value();
      of.launch<read_then_wait>(dependent, of.x.view(), of.y.view());
      of.stream.synchronize().value();
    });
  };
  EXPECT_TRUE(third_reads_early(kernel<wait_then_trigger, waits_for_predecessor>).clean());
  EXPECT_EQ(mistakes(third_reads_early(kernel<trigger_then_wait, waits_for_predecessor>)),
            std::vector{Mistake::race});
}

TEST(DependentLaunch, WorkThatIsKnownToHaveEndedDoesNotOverlap) {
  const auto with = [](auto between) {
    return run(100, [&] {
      Buffers of;
      of.launch<produce>(ordinary, of.x.view());
      between(of);
      of.launch<read_then_wait>(dependent, of.x.view(), of.y.view());
      of.stream.synchronize().value();
    });
  };
  EXPECT_TRUE(with([](Buffers& of) { of.stream.synchronize().value(); }).clean());
  EXPECT_TRUE(with([](Buffers& of) { of.z.zero(of.stream).value(); }).clean());
  EXPECT_TRUE(with([](Buffers& of) {
                const Event event = Event::create(of.stream).value();
                event.synchronize().value();
              }).clean());
  if (!notes_accesses) GTEST_SKIP() << "a sanitizer handles faults itself";
  EXPECT_FALSE(
      with([](Buffers& of) { static_cast<void>(Event::create(of.stream).value()); }).clean());
  EXPECT_FALSE(with([](Buffers&) {}).clean());
}

TEST(DependentLaunch, ClustersThatWaitAreRight) {
  const RaceReport report = run(100, [] {
    DeviceLimits limits;
    ASSERT_EQ(host_backend::limits_of(0, limits), 0);
    limits.max_cluster_blocks = 8;
    host::set_limits(0, limits);
    Buffers of;
    const LaunchConfig clusters{grid<8>, block<2 * threads / 8>, cluster<4>, dependent_launch};
    of.launch<wait_then_read>(clusters, of.x.view(), of.y.view());
    of.launch<wait_then_read>(clusters, of.y.view(), of.z.view());
    of.stream.synchronize().value();
  });
  EXPECT_TRUE(report.clean()) << report;
}

TEST(DependentLaunch, AStreamThatWaitsForAnEventSeesAllKernelsBefore) {
  const RaceReport report = run(200, [] {
    Buffers of;
    const Stream other = Stream::create().value();
    of.launch<produce_after_trigger>(ordinary, of.x.view());
    of.launch<trigger_then_wait>(dependent, of.x.view(), of.y.view());
    const Event ready = Event::create(of.stream).value();
    wait(other, ready).value();
    warpsafe::launch(other, ordinary, kernel<wait_then_read>, of.y.view(), of.z.view()).value();
    other.synchronize().value();
  });
  EXPECT_TRUE(report.clean()) << report;
}

// The oracle: small programs of kernels on one stream, and every order of their steps.

enum class Do : std::uint8_t { read, write, wait, allow };
struct KernelStep {
  Do what;
  std::size_t cell;
};
struct Play {
  bool dependent = false;
  bool synchronized = false;  // the host waits for the stream before this launch
  std::vector<KernelStep> steps{};
  std::array<int, 2> uses{};  // each cell: 0 not at all, 1 reads, 2 writes
};
using Plays = std::vector<Play>;
constexpr std::size_t most_plays = 4;

Plays playing;  // NOLINT: the kernels read it

void play(std::size_t number, const float* read_0, const float* read_1, float* write_0,
          float* write_1) {
  std::array<float*, 2> writes{write_0, write_1};
  std::array<const float*, 2> reads{read_0 != nullptr ? read_0 : write_0,
                                    read_1 != nullptr ? read_1 : write_1};
  volatile float sum = 0;
  for (const KernelStep& step : playing[number].steps) {
    switch (step.what) {
      case Do::read:
        sum = sum + *reads[step.cell];
        break;
      case Do::write:
        *writes[step.cell] = sum + 1;
        break;
      case Do::wait:
        wait_for_predecessor();
        break;
      case Do::allow:
        allow_dependents();
        break;
    }
  }
}

void play_0(const float* a, const float* b, float* c, float* d) { play(0, a, b, c, d); }
void play_1(const float* a, const float* b, float* c, float* d) { play(1, a, b, c, d); }
void play_2(const float* a, const float* b, float* c, float* d) { play(2, a, b, c, d); }
void play_3(const float* a, const float* b, float* c, float* d) { play(3, a, b, c, d); }

[[nodiscard]] Plays random_plays(std::mt19937& random) {
  const auto below = [&](std::size_t end) {
    return std::uniform_int_distribution<std::size_t>(0, end - 1)(random);
  };
  Plays plays(2 + below(most_plays - 1));
  for (Play& one : plays) {
    one.dependent = below(5) != 0;
    one.synchronized = below(8) == 0;
    const std::size_t steps = below(5);
    for (std::size_t i = 0; i < steps; ++i) {
      const KernelStep step{static_cast<Do>(below(4)), below(2)};
      one.steps.push_back(step);
      int& uses = one.uses[step.cell];
      if (step.what == Do::read && uses == 0) uses = 1;
      if (step.what == Do::write) uses = 2;
    }
  }
  return plays;
}

/// The earlier kernel, the later one, and the cell.
using Conflicts = std::set<std::tuple<std::size_t, std::size_t, std::size_t>>;

/// Every access that can happen while an earlier kernel of the stream still uses the cell. A
/// kernel's writes are visible some time after its end.
[[nodiscard]] Conflicts conflicts_of(const Plays& plays) {
  // By kernel: 0 not begun, 1 + n: n steps are done, then ended, then its writes are visible.
  using State = std::vector<std::size_t>;
  Conflicts conflicts;
  std::set<State> seen;
  const auto ended = [&](const State& state, std::size_t k) {
    return state[k] > plays[k].steps.size() + 1;
  };
  const auto visible = [&](const State& state, std::size_t k) {
    return state[k] > plays[k].steps.size() + 2;
  };
  const auto allows = [&](const State& state, std::size_t k) {
    for (std::size_t i = 0; i + 1 < state[k] && i < plays[k].steps.size(); ++i) {
      if (plays[k].steps[i].what == Do::allow) return true;
    }
    return ended(state, k);
  };
  const std::function<void(const State&)> go_on = [&](const State& state) {
    if (!seen.insert(state).second) return;
    for (std::size_t k = 0; k < plays.size(); ++k) {
      if (visible(state, k)) continue;
      bool may = true;
      if (state[k] == 0) {
        const bool early = k != 0 && plays[k].dependent && !plays[k].synchronized;
        for (std::size_t i = 0; !early && i < k; ++i) may = may && visible(state, i);
        if (early) may = state[k - 1] != 0 && allows(state, k - 1);
      } else if (state[k] <= plays[k].steps.size()) {
        const KernelStep& step = plays[k].steps[state[k] - 1];
        if (step.what == Do::wait) may = k == 0 || !plays[k].dependent || visible(state, k - 1);
        for (std::size_t i = 0; step.what <= Do::write && i < k; ++i) {
          const int uses = plays[i].uses[step.cell];
          const bool race = uses == 2 ? !visible(state, i)
                                      : uses == 1 && step.what == Do::write && !ended(state, i);
          if (race) conflicts.insert({i, k, step.cell});
        }
      }
      if (!may) continue;
      State next = state;
      ++next[k];
      go_on(next);
    }
  };
  go_on(State(plays.size(), 0));
  return conflicts;
}

template <auto Fn>
void launch_play(std::size_t number, const Stream& stream, float* zero, float* one) {
  if (number >= playing.size()) return;
  const Play& now = playing[number];
  if (now.synchronized) stream.synchronize().value();
  const auto reads = [](int uses, float* at) -> const float* { return uses == 1 ? at : nullptr; };
  const auto writes = [](int uses, float* at) { return uses == 2 ? at : nullptr; };
  const auto go = [&](const auto& config) {
    warpsafe::launch(stream, config, kernel<Fn, waits_for_predecessor>,
                     trust(reads(now.uses[0], zero)), trust(reads(now.uses[1], one)),
                     trust(writes(now.uses[0], zero)), trust(writes(now.uses[1], one)))
        .value();
  };
  now.dependent ? go(LaunchConfig{grid<1>, block<1>, dependent_launch})
                : go(LaunchConfig{grid<1>, block<1>});
}

[[nodiscard]] Conflicts found_by(std::uint64_t seed) {
  const RaceReport report = run({1, seed}, [] {
    const Stream stream = Stream::create().value();
    auto zero = DeviceBuffer<float>::create(stream, 1).value();
    auto one = DeviceBuffer<float>::create(stream, 2).value();
    zero.zero(stream).value();
    one.zero(stream).value();
    float* const at_zero = zero.view().pointer().get();
    float* const at_one = one.view().pointer().get();
    launch_play<play_0>(0, stream, at_zero, at_one);
    launch_play<play_1>(1, stream, at_zero, at_one);
    launch_play<play_2>(2, stream, at_zero, at_one);
    launch_play<play_3>(3, stream, at_zero, at_one);
    stream.synchronize().value();
  });
  Conflicts conflicts;
  const auto number = [](const debug::Party& party) {
    const Name& name = party.action.what;
    const std::string text(name.data, name.size);
    return static_cast<std::size_t>(text.back() - '0');
  };
  for (const debug::Finding& finding : report.findings) {
    if (finding.mistake == Mistake::missing_wait) continue;
    EXPECT_EQ(finding.mistake, Mistake::race) << finding.text;
    const std::size_t cell = finding.text.find("bytes 0 to 3 of") == std::string::npos ? 1 : 0;
    conflicts.insert({number(finding.first), number(finding.second), cell});
  }
  return conflicts;
}

[[nodiscard]] std::string text_of(const Plays& plays) {
  std::string text;
  for (const Play& one : plays) {
    text += one.synchronized ? "\nsynchronize, " : "\n";
    text += one.dependent ? "dependent:" : "ordinary:";
    for (const KernelStep& step : one.steps) {
      constexpr std::array<const char*, 4> names{" read ", " write ", " wait", " allow"};
      text += names.at(static_cast<std::size_t>(step.what));
      if (step.what <= Do::write) text += std::to_string(step.cell);
    }
  }
  return text;
}

TEST(DependentLaunch, FindsWhatEveryOrderOfTheStepsShows) {
  if (!notes_accesses) GTEST_SKIP() << "a sanitizer handles faults itself";
  std::mt19937 random(5);
  int with_races = 0;
  for (int i = 0; i < 3000; ++i) {
    playing = random_plays(random);
    const Conflicts expected = conflicts_of(playing);
    for (std::uint64_t seed = 1; seed <= 3; ++seed) {
      ASSERT_EQ(found_by(seed), expected)
          << "program " << i << ", seed " << seed << text_of(playing);
    }
    with_races += expected.empty() ? 0 : 1;
  }
  EXPECT_GT(with_races, 500);
  EXPECT_LT(with_races, 2500);
}

}  // namespace
}  // namespace warpsafe::adversarial
