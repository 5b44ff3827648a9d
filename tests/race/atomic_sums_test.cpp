// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// Kernels that add to the same elements by atomic_add, side by side.

#include "run_fixture.hpp"
#include <warpsafe/graph.hpp>
#include <warpsafe/host.hpp>
#include <warpsafe/memory.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <string>
#include <vector>

namespace warpsafe::adversarial::atomic_sums {
namespace {

WARPSAFE_KERNEL void count_pointer(unsigned* counts) {
  atomic_add(&counts[thread_index().x % 4], 1U);
}
WARPSAFE_KERNEL void count_span(DeviceSpan<unsigned> counts) { atomic_add(&counts[1], 1U); }
struct Counters {
  DeviceSpan<unsigned> counts;
};
WARPSAFE_KERNEL void count_inside(Counters in) { atomic_add(&in.counts[1], 1U); }
WARPSAFE_KERNEL void count_in_matrix(PitchedSpan<unsigned> m) { atomic_add(&m[{1, 1}], 1U); }
/// Adds, and writes another element.
WARPSAFE_KERNEL void count_and_write(unsigned* counts) {
  atomic_add(&counts[0], 1U);
  counts[1] = counts[0];
}
WARPSAFE_KERNEL void clear_and_count(unsigned* counts) {
  counts[0] = 0;
  atomic_add(&counts[0], 1U);
}
WARPSAFE_KERNEL void write(unsigned* counts) { counts[0] = 7; }
WARPSAFE_KERNEL void look(const unsigned* counts) { static_cast<void>(counts[0]); }
WARPSAFE_KERNEL void count_into(unsigned* counts, unsigned* copy) {
  atomic_add(&counts[0], 1U);
  copy[0] = 5;
}

/// Launches on a stream and on another one, side by side, with the same counters.
template <class L, class R>
auto side_by_side(L on_left, R on_right) {
  return [=]() -> result<void> {
    WARPSAFE_TRY(auto left, Stream::create(DeviceId(0)));
    WARPSAFE_TRY(auto right, Stream::create(DeviceId(0)));
    WARPSAFE_TRY(auto counts, DeviceBuffer<unsigned>::from(left, std::vector<unsigned>(4, 3U)));
    WARPSAFE_TRY(const auto there, left.record());
    WARPSAFE_TRYV(wait(right, there));
    WARPSAFE_TRYV(on_left(left, counts));
    return on_right(right, counts);
  };
}
template <auto Kernel>
constexpr auto on_counts = [](StreamRef stream, DeviceBuffer<unsigned>& counts) {
  return launch(stream, configure(grid<1>, block<8>), kernel<Kernel>, counts.view());
};
constexpr auto on_inside = [](StreamRef stream, DeviceBuffer<unsigned>& counts) -> result<void> {
  WARPSAFE_TRYV(launch(stream, once, kernel<count_inside>, Counters{counts.view().span()}));
  return counts.used_on(stream);
};

template <class Program>
void expect_clean(const Program& program) {
  const RaceReport report = run(100, program);
  EXPECT_TRUE(report.clean()) << report;
  EXPECT_EQ(report.seeds_run, 100U);
}
template <class Program>
std::string race_of(const Program& program) {
  const RaceReport report = run(100, program);
  EXPECT_FALSE(report.clean());
  if (!report.clean()) {
    EXPECT_EQ(report.findings[0].mistake, debug::Mistake::race);
  }
  return report.text();
}

TEST(AtomicSums, OfTwoKernelsAreNoRace) {
  constexpr auto pointer = on_counts<count_pointer>;
  constexpr auto span = on_counts<count_span>;
  expect_clean(side_by_side(pointer, pointer));
  expect_clean(side_by_side(pointer, span));
  expect_clean(side_by_side(span, on_inside));
  expect_clean(side_by_side(on_inside, on_inside));
}
TEST(AtomicSums, InAMatrixAreNoRace) {
  expect_clean([]() -> result<void> {
    WARPSAFE_TRY(auto first, Stream::create(DeviceId(0)));
    WARPSAFE_TRY(auto second, Stream::create(DeviceId(0)));
    WARPSAFE_TRY(auto m, PitchedBuffer<unsigned>::create(first, extent<2>{rows{3}, cols{3}}));
    WARPSAFE_TRYV(m.zero(first));
    WARPSAFE_TRY(const auto there, first.record());
    WARPSAFE_TRYV(wait(second, there));
    WARPSAFE_TRYV(launch(first, once, kernel<count_in_matrix>, m.view()));
    return launch(second, once, kernel<count_in_matrix>, m.view());
  });
}
TEST(AtomicSums, OfTwoGraphsAreNoRace) {
  expect_clean([]() -> result<void> {
    WARPSAFE_TRY(auto first, Stream::create(DeviceId(0)));
    WARPSAFE_TRY(auto second, Stream::create(DeviceId(0)));
    WARPSAFE_TRY(auto counts, DeviceBuffer<unsigned>::from(first, std::vector<unsigned>(4, 3U)));
    WARPSAFE_TRYV(first.synchronize());
    WARPSAFE_TRY(auto graph, capture(first, [&](Capture& capture) {
                   return on_counts<count_pointer>(capture.stream(), counts);
                 }));
    WARPSAFE_TRY(auto one, graph.instantiate());
    WARPSAFE_TRY(auto other, graph.instantiate());
    WARPSAFE_TRYV(one.launch(first));
    WARPSAFE_TRYV(other.launch(second));
    WARPSAFE_TRYV(first.synchronize());
    return second.synchronize();
  });
}

TEST(AtomicSums, RaceWithWhatIsNone) {
  constexpr auto sum = on_counts<count_pointer>;
  const std::string text = race_of(side_by_side(sum, on_counts<look>));
  EXPECT_NE(text.find("'count_pointer' on stream 1"), std::string::npos) << text;
  EXPECT_NE(text.find("adds to 16 bytes"), std::string::npos) << text;
  race_of(side_by_side(on_counts<look>, sum));
  race_of(side_by_side(sum, on_counts<write>));
  race_of(side_by_side(on_counts<write>, sum));
  race_of(side_by_side(on_counts<write>, on_counts<write>));
  const auto fill = [](StreamRef stream, DeviceBuffer<unsigned>& counts) {
    return counts.zero(stream);
  };
  race_of(side_by_side(fill, sum));
}
TEST(AtomicSums, OfAKernelThatAlsoWritesAreARace) {
  constexpr auto sum = on_counts<count_span>;
  race_of(side_by_side(on_counts<count_and_write>, on_counts<count_and_write>));
  race_of(side_by_side(on_counts<count_and_write>, sum));
  race_of(side_by_side(sum, on_counts<count_and_write>));
  race_of(side_by_side(on_counts<clear_and_count>, on_counts<clear_and_count>));
  // The kernel's other buffer is written.
  const auto program = [](bool one_copy) {
    return [one_copy]() -> result<void> {
      WARPSAFE_TRY(auto left, Stream::create(DeviceId(0)));
      WARPSAFE_TRY(auto right, Stream::create(DeviceId(0)));
      WARPSAFE_TRY(auto counts, DeviceBuffer<unsigned>::from(left, std::vector<unsigned>(4, 3U)));
      WARPSAFE_TRY(auto copies, DeviceBuffer<unsigned>::from(left, std::vector<unsigned>(2, 3U)));
      WARPSAFE_TRY(const auto there, left.record());
      WARPSAFE_TRYV(wait(right, there));
      WARPSAFE_TRY(const auto first, copies.view().subspan(0, 1));
      WARPSAFE_TRY(const auto second, copies.view().subspan(one_copy ? 0 : 1, 1));
      WARPSAFE_TRYV(launch(left, once, kernel<count_into>, counts.view(), first));
      return launch(right, once, kernel<count_into>, counts.view(), second);
    };
  };
  expect_clean(program(false));
  race_of(program(true));
}

}  // namespace
}  // namespace warpsafe::adversarial::atomic_sums
