// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// Counters that nothing set to 0 before a kernel adds to them, and copies of a few bytes that
// nothing wrote.

#include "run_fixture.hpp"
#include <warpsafe/graph.hpp>
#include <warpsafe/host.hpp>
#include <warpsafe/memory.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <utility>
#include <vector>

namespace warpsafe::adversarial::unwritten_reads {
namespace {

using debug::Mistake;
using testing::HasSubstr;

constexpr std::uint64_t some_seeds = 30;
constexpr std::size_t count = 1000;

template <class T>
WARPSAFE_KERNEL void count_up(T* counters) {
  atomic_add(&counters[1], T{1});
}
struct Counters {
  DeviceSpan<unsigned> all;
};
WARPSAFE_KERNEL void count_inside(Counters counters) { atomic_add(&counters.all[1], 1U); }
WARPSAFE_KERNEL void set_and_count(unsigned* counters) {
  if (thread_index().x == 0) counters[1] = 0;
  sync_block();
  atomic_add(&counters[1], 1U);
}
WARPSAFE_KERNEL void set_all(unsigned* counters) {
  for (auto i : grid_stride(count)) counters[i] = 0;
}
WARPSAFE_KERNEL void set_span(DeviceSpan<unsigned> counters) {
  for (auto i : grid_stride(counters.size())) counters[i] = 0;
}
WARPSAFE_KERNEL void add_number(int* counters, int number) {
  atomic_add(counters, number);
  atomic_add(counters, 1);
}

/// A program with a buffer of T that nothing has written, and a stream.
template <class T, class Body>
debug::RaceReport run_with(const Body& body) {
  return run(some_seeds, [&]() -> result<void> {
    WARPSAFE_TRY(const auto stream, Stream::create(DeviceId(0)));
    WARPSAFE_TRY(auto counters, DeviceBuffer<T>::create(stream, count));
    WARPSAFE_TRYV(body(stream, counters));
    return stream.synchronize();
  });
}
void expect_one(const debug::RaceReport& report) {
  ASSERT_EQ(report.findings.size(), 1U) << report;
  EXPECT_EQ(report.findings[0].mistake, Mistake::unwritten_read);
  EXPECT_EQ(report.seeds_run, 1U);
}

template <class T>
class Unwritten : public testing::Test {};
using Types = testing::Types<int, unsigned, unsigned long long, float>;
TYPED_TEST_SUITE(Unwritten, Types);

TYPED_TEST(Unwritten, CountersAreReported) {
  using T = TypeParam;
  const auto report = run_with<T>([](const Stream& stream, DeviceBuffer<T>& counters) {
    return launch(stream, once, kernel<count_up<T>>, counters.view());
  });
  expect_one(report);
  EXPECT_THAT(report.text(), HasSubstr("Read of memory that nothing has written\n  #2 kernel "));
  EXPECT_THAT(report.text(), HasSubstr("adds to it by atomic_add\n  write the memory first"));
}
TYPED_TEST(Unwritten, CountersThatWereSetAreNot) {
  using T = TypeParam;
  const auto zeroed =
      run_with<T>([](const Stream& stream, DeviceBuffer<T>& counters) -> result<void> {
        WARPSAFE_TRYV(counters.zero(stream));
        return launch(stream, once, kernel<count_up<T>>, counters.view());
      });
  EXPECT_TRUE(zeroed.clean()) << zeroed;
  const auto copied =
      run_with<T>([](const Stream& stream, DeviceBuffer<T>& counters) -> result<void> {
        WARPSAFE_TRY(const auto zeros, DeviceBuffer<T>::from(stream, std::vector<T>(count)));
        WARPSAFE_TRYV(copy(stream, from(zeros), to(counters)));
        return launch(stream, once, kernel<count_up<T>>, counters.view());
      });
  EXPECT_TRUE(copied.clean()) << copied;
}

WARPSAFE_KERNEL void set_bytes(char* x, std::size_t size) {
  for (auto i : grid_stride(size)) x[i] = static_cast<char>(0xFA);
}
/// A run that copies `size` of 100 bytes, or of `size` bytes, to the host. `write` may write them.
template <class Write>
debug::RaceReport copied(std::size_t size, std::size_t all, const Write& write) {
  return run(some_seeds, [&]() -> result<void> {
    WARPSAFE_TRY(const auto stream, Stream::create(DeviceId(0)));
    WARPSAFE_TRY(auto x, DeviceBuffer<char>::create(stream, all));
    WARPSAFE_TRYV(write(stream, x));
    WARPSAFE_TRY(const auto part, x.view().subspan(0, size));
    std::vector<char> host(size);
    return copy_and_wait(stream, from(part), to(host));
  });
}

// The byte that the backend puts into new memory is a byte like any other.
TEST(UnwrittenBytes, FewerThanAnElementAreReported) {
  for (const std::size_t size : {1U, 2U, 3U}) {
    for (const std::size_t all : {size, std::size_t{100}}) {
      expect_one(copied(size, all, [](const Stream&, DeviceBuffer<char>&) { return success(); }));
      const auto zeroed = copied(
          size, all, [](const Stream& stream, DeviceBuffer<char>& x) { return x.zero(stream); });
      EXPECT_TRUE(zeroed.clean()) << zeroed;
      const auto set = copied(size, all, [](const Stream& stream, DeviceBuffer<char>& x) {
        return launch(stream, once, kernel<set_bytes>, x.view(), x.size());
      });
      EXPECT_TRUE(set.clean()) << set;
    }
  }
}

TEST(UnwrittenCounters, InAStructureAreReported) {
  expect_one(run_with<unsigned>([](const Stream& stream, auto& counters) {
    return launch(stream, once, kernel<count_inside>, Counters{counters.view().span()});
  }));
}
TEST(UnwrittenCounters, InAGraphAreReported) {
  expect_one(run_with<unsigned>([](const Stream& stream, auto& counters) -> result<void> {
    WARPSAFE_TRY(auto graph, capture(stream, [&](Capture&) {
                   return launch(stream, once, kernel<count_up<unsigned>>, counters.view());
                 }));
    WARPSAFE_TRY(auto executable, graph.instantiate());
    WARPSAFE_TRYV(executable.launch(stream));
    return stream.synchronize();
  }));
}
TEST(UnwrittenCounters, BesideAPartThatWasWrittenAreReported) {
  expect_one(run_with<unsigned>([](const Stream& stream, auto& counters) -> result<void> {
    WARPSAFE_TRY(const auto left, counters.view().subspan(0, 500));
    WARPSAFE_TRY(const auto right, counters.view().subspan(500));
    WARPSAFE_TRYV(launch(stream, once, kernel<set_span>, left));
    return launch(stream, once, kernel<count_up<unsigned>>, right);
  }));
}
TEST(UnwrittenCounters, ThatTheKernelSetsItselfAreRight) {
  const auto in_kernel = run_with<unsigned>([](const Stream& stream, auto& counters) {
    return launch(stream, LaunchConfig{grid<1>, block<32>}, kernel<set_and_count>, counters.view());
  });
  EXPECT_TRUE(in_kernel.clean()) << in_kernel;
  const auto before = run_with<unsigned>([](const Stream& stream, auto& counters) -> result<void> {
    WARPSAFE_TRYV(launch(stream, once, kernel<set_all>, counters.view()));
    return launch(stream, once, kernel<count_up<unsigned>>, counters.view());
  });
  EXPECT_TRUE(before.clean()) << before;
}
// The number that the backend puts into new memory is a number like any other.
TEST(UnwrittenCounters, MayCountPastTheNumberOfNewMemory) {
  const auto report = run_with<int>([](const Stream& stream, auto& counters) -> result<void> {
    WARPSAFE_TRYV(counters.zero(stream));
    return launch(stream, once, kernel<add_number>, counters.view(), static_cast<int>(0xFFFAFAFA));
  });
  EXPECT_TRUE(report.clean()) << report;
}
TEST(UnwrittenCounters, OfAnotherStreamAreARaceInstead) {
  const auto report = run(some_seeds, []() -> result<void> {
    WARPSAFE_TRY(const auto stream, Stream::create(DeviceId(0)));
    WARPSAFE_TRY(const auto other, Stream::create(DeviceId(0)));
    WARPSAFE_TRY(auto counters, DeviceBuffer<unsigned>::create(stream, count));
    WARPSAFE_TRY(const auto allocated, stream.record());
    WARPSAFE_TRYV(wait(other, allocated));
    WARPSAFE_TRYV(launch(stream, once, kernel<count_up<unsigned>>, counters.view()));
    WARPSAFE_TRYV(counters.zero(other));
    WARPSAFE_TRYV(stream.synchronize());
    return other.synchronize();
  });
  ASSERT_EQ(report.findings.size(), 1U) << report;
  EXPECT_EQ(report.findings[0].mistake, Mistake::race);
}
TEST(UnwrittenCounters, AreSeenOnlyWhileTheDetectorRuns) {
  static_cast<void>(run_with<unsigned>([](const Stream& stream, auto& counters) {
    return launch(stream, once, kernel<count_up<unsigned>>, counters.view());
  }));
  EXPECT_EQ(detail::atomic_read, nullptr);
}

}  // namespace
}  // namespace warpsafe::adversarial::unwritten_reads
