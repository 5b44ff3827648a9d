// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// What a run reports besides races, what it does not report, and how it ends.

#include <warpsafe/error/exception.hpp>
#include <warpsafe/host.hpp>
#include <warpsafe/memory/buffer.hpp>
#include <warpsafe/memory/copy.hpp>
#include <warpsafe/memory/pinned_buffer.hpp>
#include <warpsafe/memory/pitched_buffer.hpp>
#include <warpsafe/race/adversarial.hpp>
#include <warpsafe/stream/event.hpp>
#include <warpsafe/warpsafe.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <stdexcept>
#include <thread>
#include <utility>
#include <vector>

namespace warpsafe::adversarial {
namespace {

using debug::Mistake;
using testing::HasSubstr;

const LaunchConfig reported_once{grid<1>, block<1>};
WARPSAFE_KERNEL void touch(float* x) { *x = 1; }
WARPSAFE_KERNEL void touch_byte(unsigned char* x) { *x = 1; }
WARPSAFE_KERNEL void touch_beyond(DeviceSpan<float> x) { x[x.size()] = 1; }

TEST(RaceReport, NamesAProgramsError) {
  const Stream stream = Stream::create().value();
  const auto report = run(10, [&] { return DeviceBuffer<float>::create(stream, -1); });
  ASSERT_EQ(report.findings.size(), 1U);
  EXPECT_EQ(report.findings.front().mistake, Mistake::failure);
  EXPECT_EQ(report.seeds_run, 1U);
  EXPECT_THAT(report.text(), HasSubstr("size is -1"));
}

TEST(RaceReport, OfNoSeedsIsNotClean) {
  bool has_run = false;
  const RaceReport report = run(0, [&] { has_run = true; });
  EXPECT_FALSE(report.clean());
  EXPECT_FALSE(has_run);
  EXPECT_EQ(report.text(), "Nothing was run\n  0 seeds try no schedule; run at least one\n");
}

TEST(RaceReport, OfARunInsideOfARunSaysThatNothingWasRun) {
  bool has_run = false;
  RaceReport inner;
  const RaceReport report = run(2, [&] { inner = run(1, [&] { has_run = true; }); });
  EXPECT_FALSE(has_run);
  EXPECT_FALSE(inner.clean());
  EXPECT_EQ(inner.seeds_run, 0U);
  EXPECT_EQ(
      inner.text(),
      "Nothing was run\n  adversarial::run was called by the program of another run, which it "
      "would wait for; call it outside\n");
  EXPECT_TRUE(report.clean());
  EXPECT_EQ(report.seeds_run, 2U);
  EXPECT_EQ(run(1, [] {}).seeds_run, 1U) << "after the outer one";
}

TEST(RaceReport, AThousandSeedsFromTheFirstAreRunUnlessOthersAreNamed) {
  const RaceReport report = run(Seeds{}, [] {});
  EXPECT_EQ(report.seeds_run, 1000U);
  EXPECT_EQ(report.seed, 1000U);
}

TEST(RaceReport, NamesAResultThatTheScheduleDecides) {
  const auto report = run(1000, [] {
    const Stream stream = Stream::create().value();
    auto x = DeviceBuffer<float>::create(stream, 1).value();
    static_cast<void>(launch(stream, reported_once, kernel<touch>, x.view()));
    return stream.query().value() == Progress::ready;
  });
  ASSERT_EQ(report.findings.size(), 1U);
  EXPECT_EQ(report.findings.front().mistake, Mistake::different_result);
  EXPECT_GT(report.seeds_run, 1U);
  EXPECT_EQ(report.seed, report.seeds_run) << "the one that differs, to run it again";
}

TEST(RaceReport, NamesTheValueOfAResultThatTheScheduleDecides) {
  const auto is_ready = []() -> result<bool> {
    WARPSAFE_TRY(const auto stream, Stream::create());
    WARPSAFE_TRY(auto x, DeviceBuffer<float>::create(stream, 1));
    WARPSAFE_TRYV(launch(stream, reported_once, kernel<touch>, x.view()));
    WARPSAFE_TRY(const Progress now, stream.query());
    return now == Progress::ready;
  };
  const auto report = run(1000, is_ready);
  ASSERT_EQ(report.findings.size(), 1U);
  EXPECT_EQ(report.findings.front().mistake, Mistake::different_result);
  EXPECT_EQ(report.seed, report.seeds_run) << "the one that differs, to run it again";
  const auto as_answer = run(1000, [&]() -> answer<bool> {
    const result<bool> now = is_ready();
    return now.has_value() ? answer<bool>(now.assume_value()) : now.assume_error();
  });
  ASSERT_EQ(as_answer.findings.size(), 1U);
  EXPECT_EQ(as_answer.findings.front().mistake, Mistake::different_result);
}

TEST(RaceReport, AResultWhoseValueIsTheSameOrCannotBeComparedIsClean) {
  struct WithoutEquality {
    bool is_ready;
  };
  const auto same = run(50, []() -> result<int> { return 3; });
  EXPECT_TRUE(same.clean()) << same.text();
  EXPECT_EQ(same.seeds_run, 50U);
  int calls = 0;
  const auto other =
      run(50, [&]() -> result<WithoutEquality> { return WithoutEquality{++calls % 2 == 0}; });
  EXPECT_TRUE(other.clean()) << other.text();
  EXPECT_TRUE(run(50, []() -> result<Stream> { return Stream::create(); }).clean());
  EXPECT_TRUE(
      run(50, []() -> result<std::unique_ptr<int>> { return std::make_unique<int>(1); }).clean());
  const auto owner = run(50, []() -> result<DeviceBuffer<float>> {
    WARPSAFE_TRY(const auto stream, Stream::create());
    return DeviceBuffer<float>::create(stream, 1);
  });
  EXPECT_TRUE(owner.clean()) << owner.text();
}

TEST(RaceReport, AValueThatIsNeverEqualToItselfDiffersFromOthersOnly) {
  const auto nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_TRUE(run(20, [&] { return nan; }).clean());
  EXPECT_TRUE(run(20, [&]() -> result<std::vector<double>> {
                return std::vector<double>{1, nan};
              }).clean());
  int calls = 0;
  const auto once = run(20, [&] { return ++calls == 7 ? nan : 1.0; });
  ASSERT_EQ(once.findings.size(), 1U);
  EXPECT_EQ(once.seed, 7U);
  calls = 0;
  EXPECT_EQ(run(20, [&] { return ++calls == 1 ? nan : 1.0; }).findings.size(), 1U);
}

TEST(RaceReport, AValueBesideOneThatIsNeverEqualToItselfIsCompared) {
  const auto nan = std::numeric_limits<double>::quiet_NaN();
  const auto finds = [](const auto& make) {
    int calls = 0;
    const auto all = run(20, [&] { return make(0); });
    EXPECT_TRUE(all.clean()) << all;
    return run(20, [&] { return make(++calls == 7 ? 1 : 0); }).seed == 7;
  };
  EXPECT_TRUE(finds([&](double x) { return std::vector<double>{x, nan}; }));
  EXPECT_TRUE(finds([&](double x) { return std::vector<std::vector<double>>{{nan}, {nan, x}}; }));
  EXPECT_TRUE(finds([&](double x) { return std::vector<double>(x == 0 ? 2 : 3, nan); }));
  EXPECT_TRUE(finds([&](double x) { return std::array<double, 2>{nan, x}; }));
  EXPECT_TRUE(finds([&](double x) { return std::tuple(nan, 3, x); }));
  EXPECT_TRUE(finds([&](double x) { return std::optional(std::pair(nan, x)); }));
}

WARPSAFE_KERNEL void fill_all(DeviceSpan<float> x) {
  for (auto i : grid_stride(x.size())) x[i] = 1;
}
struct HiddenSpan {
  DeviceSpan<float> x;
};
WARPSAFE_KERNEL void fill_hidden(HiddenSpan hidden) {
  for (auto i : grid_stride(hidden.x.size())) hidden.x[i] = 1;
}

TEST(RaceReport, NamesACopyOfMemoryThatNothingHasWritten) {
  const auto report = run(3, []() -> result<void> {
    WARPSAFE_TRY(const auto stream, Stream::create());
    WARPSAFE_TRY(const auto x, DeviceBuffer<int>::create(stream, 25));
    WARPSAFE_TRY(auto y, DeviceBuffer<int>::create(stream, 25));
    WARPSAFE_TRYV(copy(stream, from(x), to(y)));
    WARPSAFE_TRYV(y.to_host(stream).get());
    return success();
  });
  ASSERT_EQ(report.findings.size(), 1U);
  EXPECT_EQ(report.findings.front().mistake, Mistake::unwritten_read);
  EXPECT_THAT(report.findings.front().text,
              HasSubstr("Read of memory that nothing has written\n  #4 copy of 100 bytes on stream "
                        "1, at report_test.cpp:"));
  EXPECT_THAT(
      report.findings.front().text,
      HasSubstr(
          "from a device\n  its bytes are those of new memory, a NaN: no work has written them, or a kernel computed with them"));
  EXPECT_THAT(report.findings.front().text, HasSubstr("write the memory first"));
  const auto rows = run(3, []() -> result<void> {
    WARPSAFE_TRY(const auto stream, Stream::create());
    WARPSAFE_TRY(const auto x,
                 PitchedBuffer<char>::create(stream, extent{warpsafe::rows{3}, cols{5}}));
    WARPSAFE_TRYV(x.to_host(stream).get());
    return success();
  });
  ASSERT_EQ(rows.findings.size(), 1U);
  EXPECT_EQ(rows.findings.front().mistake, Mistake::unwritten_read);
}

// In some orders the copy comes before the work that writes the memory.
TEST(RaceReport, ACopyInARaceIsNoReadOfUnwrittenMemory) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const auto report = run({1, seed}, []() -> result<void> {
      WARPSAFE_TRY(const auto writer, Stream::create());
      WARPSAFE_TRY(const auto reader, Stream::create());
      WARPSAFE_TRY(auto x, DeviceBuffer<float>::create(writer, 100));
      WARPSAFE_TRY(const auto allocated, writer.record());
      WARPSAFE_TRYV(wait(reader, allocated));
      WARPSAFE_TRYV(launch(writer, LaunchConfig{grid<1>, block<1>}, kernel<fill_all>, x.view()));
      WARPSAFE_TRYV(x.to_host(reader).get());
      return success();
    });
    ASSERT_EQ(report.findings.size(), 1U) << report.text();
    EXPECT_EQ(report.findings.front().mistake, Mistake::race);
  }
}

TEST(RaceReport, ACopyOfMemoryThatWasWrittenIsNoFinding) {
  const auto report = run(10, []() -> result<void> {
    WARPSAFE_TRY(const auto stream, Stream::create());
    WARPSAFE_TRY(auto x, DeviceBuffer<float>::create(stream, 100));
    WARPSAFE_TRY(auto part, x.view().subspan(99, 1));
    WARPSAFE_TRYV(launch(stream, LaunchConfig{grid<1>, block<1>}, kernel<fill_all>, part));
    WARPSAFE_TRYV(x.to_host(stream).get());  // one element of a hundred
    WARPSAFE_TRY(auto byte, DeviceBuffer<unsigned char>::create(stream, 1));
    WARPSAFE_TRYV(byte.fill_bytes(stream, std::byte{0xFA}));
    WARPSAFE_TRYV(byte.to_host(stream).get());
    WARPSAFE_TRY(auto hidden, DeviceBuffer<float>::create(stream, 100));
    WARPSAFE_TRYV(launch(stream, LaunchConfig{grid<1>, block<1>}, kernel<fill_hidden>,
                         HiddenSpan{hidden.view().span()}));
    WARPSAFE_TRYV(hidden.to_host(stream).get());
    WARPSAFE_TRY(auto empty, DeviceBuffer<float>::create(stream, 0));
    WARPSAFE_TRYV(empty.to_host(stream).get());
    return success();
  });
  EXPECT_TRUE(report.clean()) << report.text();
}

TEST(RaceReport, TheSeedItNamesShowsTheSameAlone) {
  const auto program = [] {
    const Stream one = Stream::create().value();
    const Stream two = Stream::create().value();
    auto x = DeviceBuffer<float>::create(one, 1).value();
    EXPECT_TRUE(one.synchronize().has_value());
    static_cast<void>(launch(one, reported_once, kernel<touch>, x.view()));
    static_cast<void>(launch(two, reported_once, kernel<touch>, trust(x.view().pointer().get())));
    EXPECT_TRUE(two.synchronize().has_value());
  };
  const auto report = run(adversarial::Seeds{20, 7}, program);
  ASSERT_FALSE(report.clean());
  EXPECT_GE(report.seed, 7U);
  const auto again = run(adversarial::Seeds{1, report.seed}, program);
  ASSERT_FALSE(again.clean());
  EXPECT_EQ(again.seed, report.seed);
  EXPECT_EQ(again.findings.front().text, report.findings.front().text);
  // The timeline has a column for the host and one for each stream.
  EXPECT_THAT(report.text(), ::testing::ContainsRegex("\n *host +stream 1 +stream 2\n"));
}

TEST(RaceReport, NamesWorkThatFailsAndTheDeviceIsWholeAfterwards) {
  const auto report = run(10, [] {
    const Stream stream = Stream::create().value();
    auto x = DeviceBuffer<float>::create(stream, 1).value();
    host::fault_in_kernel(1, host::HostStatus::illegal_address);
    static_cast<void>(launch(stream, reported_once, kernel<touch>, x.view()));
  });
  ASSERT_FALSE(report.clean());
  EXPECT_EQ(report.findings.front().mistake, Mistake::failure);
  EXPECT_THAT(report.text(),
              HasSubstr("hostErrorIllegalAddress: an illegal memory access was encountered"));
  EXPECT_EQ(host_backend::device_synchronize(), 0);
}

TEST(RaceReport, MemoryIsThereForOtherStreamsOnceTheyWait) {
  const auto program = [](bool synchronized) {
    const Stream owner = Stream::create().value();
    const Stream user = Stream::create().value();
    auto x = DeviceBuffer<float>::create(owner, 1).value();
    if (synchronized) static_cast<void>(owner.synchronize());
    static_cast<void>(launch(user, reported_once, kernel<touch>, x.view()));
    static_cast<void>(user.synchronize());
  };
  EXPECT_FALSE(run(1, [&] { program(false); }).clean());
  EXPECT_TRUE(run(500, [&] { program(true); }).clean());
}

TEST(RaceReport, TwoHalvesOfAMatrixDoNotMeet) {
  const auto program = [](std::size_t second_column) {
    constexpr std::size_t pitch = 64;
    void* memory = nullptr;
    EXPECT_EQ(host_backend::allocate_unordered(memory, 4 * pitch), 0);
    auto* const bytes = static_cast<unsigned char*>(memory);
    const Stream one = Stream::create().value();
    const Stream other = Stream::create().value();
    std::array<unsigned char, 4 * 32> source{};
    for (const auto& [stream, column] :
         {std::pair(one.native(), std::size_t{0}), std::pair(other.native(), second_column)}) {
      EXPECT_EQ(host_backend::copy_2d(bytes + column, pitch, source.data(), 32, 32, 4,
                                      CopyKind::host_to_device, stream),
                0);
    }
    EXPECT_EQ(host_backend::device_synchronize(), 0);
    EXPECT_EQ(host_backend::deallocate_unordered(memory), 0);
  };
  EXPECT_TRUE(run(200, [&] { program(32); }).clean());
  EXPECT_FALSE(run(1, [&] { program(31); }).clean());
}

/// CUDA does not promise that freeing memory outside any stream's order waits for work that uses
/// it.
TEST(RaceReport, AFreeInNoStreamsOrderIsNoWait) {
  const auto program = [](bool wait_first) {
    void* memory = nullptr;
    EXPECT_EQ(host_backend::allocate_unordered(memory, 64), 0);
    const Stream stream = Stream::create().value();
    EXPECT_EQ(host_backend::fill(memory, 0, 64, stream.native()), 0);
    if (wait_first) static_cast<void>(stream.synchronize());
    EXPECT_EQ(host_backend::deallocate_unordered(memory), 0);
  };
  EXPECT_TRUE(run(100, [&] { program(true); }).clean());
  const auto report = run(1, [&] { program(false); });
  ASSERT_EQ(report.findings.size(), 1U);
  EXPECT_THAT(report.findings.front().text, HasSubstr("free of 64 bytes by the host"));
  EXPECT_THAT(report.findings.front().text,
              HasSubstr(", or wait for stream 1, or for an event after #"));
}

TEST(RaceReport, AnExceptionEndsTheRunAndPasses) {
  const Stream stream = Stream::create().value();
  auto x = DeviceBuffer<float>::create(stream, 1).value();
  EXPECT_THROW(static_cast<void>(run(1,
                                     [&] {
                                       static_cast<void>(
                                           launch(stream, reported_once, kernel<touch>, x.view()));
                                       throw std::runtime_error("enough");
                                     })),
               std::runtime_error);
  // The streams' own workers are back, and a next run is possible.
  static_cast<void>(launch(stream, reported_once, kernel<touch>, x.view()));
  EXPECT_TRUE(stream.synchronize().has_value());
  EXPECT_TRUE(run(3, [&] { static_cast<void>(stream.synchronize()); }).clean());
}

TEST(RaceReport, AnExceptionAfterAFaultLeavesNoLostDevice) {
  const auto program = [] {
    const Stream stream = Stream::create().value();
    auto x = DeviceBuffer<float>::create(stream, 1).value();
    launch(stream, reported_once, kernel<touch>, x.view()).value();
    stream.synchronize().value();
  };
  host::fault_in_kernel(1, host::HostStatus::illegal_address);
  EXPECT_THROW(static_cast<void>(run(1, program)), LaunchException);
  EXPECT_TRUE(run(3, program).clean());
}

TEST(RaceReport, OutsideOfARunTheHostsAccessesAreNobodysBusiness) {
  std::array<int, 4> values{};
  reads(std::span<const int>(values));
  writes(std::span<int>(values));
  EXPECT_EQ(run(7, [] {}).text(), "no race in 7 seeds\n");
}

TEST(RaceReport, AProgramThatAsksUntilItIsDoneEnds) {
  const auto report = run(2000, [] {
    const Stream stream = Stream::create().value();
    auto x = DeviceBuffer<float>::create(stream, 1).value();
    static_cast<void>(launch(stream, reported_once, kernel<touch>, x.view()));
    while (stream.query().value() == Progress::not_ready) {
    }
  });
  EXPECT_TRUE(report.clean()) << report;
}

TEST(RaceReport, NamesWorkThatFailedWithTheWordsOfItsDevice) {
  const auto report = run(1, [] {
    const Stream stream = Stream::create().value();
    auto x = DeviceBuffer<float>::create(stream, 1).value();
    static_cast<void>(launch(stream, reported_once, kernel<touch_beyond>, x.view()));
  });
  ASSERT_EQ(report.findings.size(), 1U);
  EXPECT_EQ(report.findings.front().mistake, Mistake::failure);
  EXPECT_THAT(report.text(), HasSubstr("Work failed on the device\n  hostErrorIllegalAddress: the "
                                       "kernel used element 1 of 1, in block (0,0,0)"));
}

TEST(RaceReport, NamesMemoryWrittenAfterItWasFreedOnlyIfNothingElseIsFound) {
  const auto program = [](bool races) {
    const Stream one = Stream::create().value();
    const Stream two = Stream::create().value();
    auto x = DeviceBuffer<float>::create(one, 1).value();
    static_cast<void>(one.synchronize());
    static_cast<void>(launch(one, reported_once, kernel<touch>, x.view()));
    if (races) static_cast<void>(launch(two, reported_once, kernel<touch>, x.view()));
    std::span<float> freed;
    {
      auto pinned = PinnedBuffer<float>::create(1).value();
      freed = pinned.span();
    }
    freed[0] = 1;
    static_cast<void>(two.synchronize());
  };
  const auto alone = run(1, [&] { program(false); });
  ASSERT_EQ(alone.findings.size(), 1U) << alone;
  EXPECT_EQ(alone.findings.front().mistake, Mistake::use_after_release);
  const auto both = run(1, [&] { program(true); });
  ASSERT_EQ(both.findings.size(), 1U) << both;
  EXPECT_EQ(both.findings.front().mistake, Mistake::race);
}

TEST(RaceReport, AnAccessOfTheHostToOneByteCountsAndOneToNoneDoesNot) {
  for (const std::size_t bytes : {std::size_t{0}, std::size_t{1}}) {
    const auto report = run(20, [bytes] {
      const Stream stream = Stream::create().value();
      auto x = DeviceBuffer<unsigned char>::create(stream, 8).value();
      static_cast<void>(launch(stream, reported_once, kernel<touch_byte>, x.view()));
      reads(std::span<const unsigned char>(x.view().pointer().get(), bytes));
      static_cast<void>(stream.synchronize());
    });
    EXPECT_EQ(report.clean(), bytes == 0) << report;
  }
}

TEST(RaceReport, AnotherThreadsRunWaitsForTheEndOfThisOne) {
  std::atomic<bool> other_runs = false;
  std::thread other;
  const auto report = run(3, [&] {
    if (!other.joinable()) {
      other = std::thread([&] { static_cast<void>(run(1, [&] { other_runs = true; })); });
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    EXPECT_FALSE(other_runs);
  });
  EXPECT_TRUE(report.clean()) << report;
  other.join();
  EXPECT_TRUE(other_runs);
}

}  // namespace
}  // namespace warpsafe::adversarial
