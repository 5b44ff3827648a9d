// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// Kernels that work on parts of one buffer at the same time. The detector takes a kernel for the
// view that it got, as long as the kernel writes nothing around it.

#include "run_fixture.hpp"
#include <warpsafe/graph.hpp>
#include <warpsafe/host.hpp>
#include <warpsafe/memory.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

namespace warpsafe::adversarial::windows {
namespace {

using Floats = std::vector<float>;
constexpr std::size_t half = 4;

WARPSAFE_KERNEL void set_pointer(float* x) {
  for (std::size_t i = 0; i < half; ++i) x[i] = 1;
}
WARPSAFE_KERNEL void set_span(DeviceSpan<float> x) {
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = 1;
}
WARPSAFE_KERNEL void set_device_pointer(device_ptr<float> x) {
  for (std::size_t i = 0; i < half; ++i) x.get()[i] = 1;
}
/// Writes one element in front of its view, or behind it. The number differs from the one there.
WARPSAFE_KERNEL void set_before(float* x) { x[-1] = 2; }
WARPSAFE_KERNEL void set_behind(float* x) { x[half] = 2; }
template <bool Outside>
WARPSAFE_KERNEL void fail(float* x) {
  if (Outside) x[half] = 2;
  throw std::runtime_error("one");
}
WARPSAFE_KERNEL void sum_pointer(const float* x, float* sum) {
  for (std::size_t i = 0; i < half; ++i) *sum += x[i];
}
WARPSAFE_KERNEL void sum_span(DeviceSpan<const float> x, float* sum) {
  for (std::size_t i = 0; i < x.size(); ++i) *sum += x[i];
}

/// A buffer of two halves, and a stream for each.
struct Halves {
  Stream left, right;
  DeviceBuffer<float> x;

  static result<Halves> create() {
    WARPSAFE_TRY(auto left, Stream::create(DeviceId(0)));
    WARPSAFE_TRY(auto right, Stream::create(DeviceId(0)));
    WARPSAFE_TRY(auto x, DeviceBuffer<float>::from(left, Floats(2 * half, 0.0F)));
    WARPSAFE_TRY(const auto there, left.record());
    WARPSAFE_TRYV(wait(right, there));
    return Halves{std::move(left), std::move(right), std::move(x)};
  }
  [[nodiscard]] DeviceView<float> part(std::size_t begin) {
    return x.view().subspan(begin, half).value();
  }
};
/// Launches a kernel on the left half and another on the right half, side by side.
template <CheckLevel Level = CheckLevel::full, class L, class R>
result<void> side_by_side(L on_left, R on_right, std::size_t begin_right = half) {
  WARPSAFE_TRY(auto halves, Halves::create());
  WARPSAFE_TRYV(launch<Level>(halves.left, once, on_left, halves.part(0)));
  return launch<Level>(halves.right, once, on_right, halves.part(begin_right));
}

template <class Program>
void expect_clean(const Program& program) {
  const RaceReport report = run(200, program);
  EXPECT_TRUE(report.clean()) << report;
  EXPECT_EQ(report.seeds_run, 200U);
}
template <class Program>
std::string expect_race(const Program& program) {
  const RaceReport report = run(200, program);
  EXPECT_FALSE(report.clean());
  if (!report.clean()) {
    EXPECT_EQ(report.findings[0].mistake, debug::Mistake::race);
  }
  return report.text();
}

TEST(Windows, TwoHalvesOfOneBufferAreNoRace) {
  expect_clean([] { return side_by_side(kernel<set_pointer>, kernel<set_pointer>); });
  expect_clean([] { return side_by_side(kernel<set_span>, kernel<set_span>); });
  expect_clean([] { return side_by_side(kernel<set_span>, kernel<set_pointer>); });
  expect_clean([] { return side_by_side<CheckLevel::off>(kernel<set_pointer>, kernel<set_span>); });
  expect_clean([] { return side_by_side(kernel<set_device_pointer>, kernel<set_device_pointer>); });
  expect_clean([] {
    return side_by_side<CheckLevel::off>(kernel<set_device_pointer>, kernel<set_device_pointer>);
  });
}

TEST(Windows, PartsThatOverlapAre) {
  const std::string text =
      expect_race([] { return side_by_side(kernel<set_pointer>, kernel<set_pointer>, half - 1); });
  EXPECT_NE(text.find("bytes 12 to 15 of #"), std::string::npos) << text;
  expect_race([] { return side_by_side(kernel<set_span>, kernel<set_span>, half - 1); });
  expect_race([] {
    return side_by_side<CheckLevel::off>(kernel<set_pointer>, kernel<set_span>, half - 1);
  });
  expect_race([] {
    return side_by_side<CheckLevel::off>(kernel<set_device_pointer>, kernel<set_device_pointer>,
                                         half - 1);
  });
}

WARPSAFE_KERNEL void set_matrix(PitchedSpan<float> m) {
  for (std::size_t row = 0; row < m.rows(); ++row) {
    for (std::size_t col = 0; col < m.cols(); ++col) m[{col, row}] = 1;
  }
}
WARPSAFE_KERNEL void sum_matrix(PitchedSpan<const float> m) {
  float sum = 0;
  for (std::size_t row = 0; row < m.rows(); ++row) {
    for (std::size_t col = 0; col < m.cols(); ++col) sum += m[{col, row}];
  }
  if (sum == -1.0F) throw std::runtime_error("impossible");
}
struct Tile {
  int number;
  PitchedSpan<float> m;
};
WARPSAFE_KERNEL void set_tile(Tile tile) { set_matrix(tile.m); }
/// Writes one element behind the first row of its window.
WARPSAFE_KERNEL void set_beside(PitchedSpan<float> m) { (&m[{0, 0}])[m.cols()] = 2; }

/// The columns [first, first + cols) of the rows [top, top + rows) of a matrix of 4 x 8 elements.
struct Part {
  size_type first, cols, top, rows;
};
constexpr Part whole_matrix{0, 8, 0, 4};
/// Works on a part of a matrix on one stream, and on another part on another stream, side by side.
template <class L, class R>
result<void> side_by_side(L on_left, const Part& left, R on_right, const Part& right) {
  WARPSAFE_TRY(auto first, Stream::create(DeviceId(0)));
  WARPSAFE_TRY(auto second, Stream::create(DeviceId(0)));
  WARPSAFE_TRY(auto matrix, PitchedBuffer<float>::create(first, extent<2>{rows{4}, cols{8}}));
  WARPSAFE_TRYV(matrix.zero(first));
  WARPSAFE_TRY(const auto there, first.record());
  WARPSAFE_TRYV(wait(second, there));
  const auto part = [&](const Part& of) {
    return matrix.view()
        .window(extent<2>{rows{of.top}, cols{of.first}}, extent<2>{rows{of.rows}, cols{of.cols}})
        .value();
  };
  WARPSAFE_TRYV(on_left(first, part(left)));
  WARPSAFE_TRYV(on_right(second, part(right)));
  return matrix.used_on(second);
}
template <auto Kernel>
constexpr auto on_window = [](const Stream& stream, PitchedView<float> m) {
  return launch(stream, once, kernel<Kernel>, m);
};
constexpr auto on_tile = [](const Stream& stream, PitchedView<float> m) {
  return launch(stream, once, kernel<set_tile>, Tile{1, m.span()});
};

TEST(Windows, PartsOfAMatrixAreRectangles) {
  constexpr Part left{0, 3, 0, 4};
  constexpr Part right{3, 5, 0, 4};
  constexpr auto set = on_window<set_matrix>;
  expect_clean([&] { return side_by_side(set, left, set, right); });
  expect_clean([&] { return side_by_side(set, left, on_tile, right); });
  expect_clean([&] { return side_by_side(on_tile, left, on_tile, right); });
  expect_clean([&] { return side_by_side(set, left, on_window<sum_matrix>, right); });
  expect_clean([&] { return side_by_side(set, {0, 8, 0, 2}, set, {0, 8, 2, 2}); });
  expect_clean([&] { return side_by_side(set, {2, 2, 1, 2}, set, {4, 2, 1, 2}); });
  expect_clean([&] { return side_by_side(set, {0, 0, 0, 4}, set, whole_matrix); });
  expect_clean([&] { return side_by_side(set, whole_matrix, set, {0, 8, 4, 0}); });
  // One common element.
  constexpr Part corner{2, 2, 0, 3};
  constexpr Part other_corner{3, 2, 2, 2};
  expect_race([&] { return side_by_side(set, corner, set, other_corner); });
  expect_race([&] { return side_by_side(set, corner, on_tile, other_corner); });
  expect_race([&] { return side_by_side(on_tile, corner, on_tile, other_corner); });
  expect_race([&] { return side_by_side(set, corner, on_window<sum_matrix>, other_corner); });
}
TEST(Windows, AKernelThatWritesBesideItsRectangleIsTakenForTheWholeMatrix) {
  constexpr auto beside = on_window<set_beside>;
  expect_race([&] {
    return side_by_side(beside, {0, 3, 0, 4}, on_window<sum_matrix>, {3, 5, 0, 4});
  });
  expect_clean([&] {
    return side_by_side(beside, {0, 3, 0, 4}, on_window<set_matrix>, {0, 0, 0, 0});
  });
}

template <bool Outside>
RaceReport failing() {
  return run(1, [] {
    auto halves = Halves::create().value();
    launch(halves.left, once, kernel<fail<Outside>>, halves.part(0)).value();
    static_cast<void>(halves.left.synchronize());
  });
}

TEST(Windows, AFailureInARunThatIsRepeatedIsReportedOnce) {
  const RaceReport report = failing<true>();
  EXPECT_EQ(report.findings.size(), failing<false>().findings.size()) << report;
  EXPECT_FALSE(report.clean());
}

TEST(Windows, AKernelThatWritesAroundItsViewIsTakenForTheWholeBuffer) {
  expect_race([] { return side_by_side(kernel<set_behind>, kernel<set_pointer>); });
  expect_race([] { return side_by_side(kernel<set_pointer>, kernel<set_before>); });
  expect_race(
      [] { return side_by_side<CheckLevel::off>(kernel<set_pointer>, kernel<set_before>); });
  // Alone it is right, and the program runs for each seed.
  expect_clean([]() -> result<void> {
    WARPSAFE_TRY(auto halves, Halves::create());
    WARPSAFE_TRYV(launch(halves.left, once, kernel<set_behind>, halves.part(0)));
    WARPSAFE_TRY(const auto values, halves.x.to_host(halves.left).get());
    EXPECT_EQ(values[half], 2.0F);
    return success();
  });
}

TEST(Windows, APointerThatIsOnlyReadMayReadAroundItsView) {
  const auto beside_a_writer = [](auto reader) -> result<void> {
    WARPSAFE_TRY(auto halves, Halves::create());
    WARPSAFE_TRY(auto sum, DeviceBuffer<float>::from(halves.left, Floats(1, 0.0F)));
    WARPSAFE_TRYV(launch(halves.left, once, reader, halves.part(0), sum.view()));
    return launch(halves.right, once, kernel<set_pointer>, halves.part(half));
  };
  expect_clean([&] { return beside_a_writer(kernel<sum_span>); });
  expect_race([&] { return beside_a_writer(kernel<sum_pointer>); });
}

TEST(Windows, MemoryThatExistedBeforeTheRunIsKnownWhole) {
  Halves halves = Halves::create().value();
  auto sum = DeviceBuffer<float>::from(halves.left, Floats(1, 0.0F)).value();
  const auto beside_a_writer = [&](auto reader) -> result<void> {
    WARPSAFE_TRYV(launch(halves.left, once, reader, halves.part(0), sum.view()));
    return launch(halves.right, once, kernel<set_pointer>, halves.part(half));
  };
  expect_race([&] { return beside_a_writer(kernel<sum_pointer>); });
  expect_race([&]() -> result<void> {
    WARPSAFE_TRYV(launch(halves.left, once, kernel<set_behind>, halves.part(0)));
    return launch(halves.right, once, kernel<set_pointer>, halves.part(half));
  });
}

TEST(Windows, MemoryOfOtherCodeWithASizeIsNarrowedToo) {
  const auto trusted = [](bool with_size) -> result<void> {
    WARPSAFE_TRY(auto halves, Halves::create());
    float* const right = halves.part(half).pointer().get();
    WARPSAFE_TRYV(launch(halves.left, once, kernel<set_pointer>, halves.part(0)));
    if (with_size) {
      WARPSAFE_TRYV(launch(halves.right, once, kernel<set_span>, trust(right, half)));
    } else {
      WARPSAFE_TRYV(launch(halves.right, once, kernel<set_pointer>, trust(right)));
    }
    return halves.x.used_on(halves.right);
  };
  expect_clean([&] { return trusted(true); });
  expect_race([&] { return trusted(false); });
}

// As above, in the two branches of a graph.
template <class L, class R>
result<std::optional<ExecutableGraph>> captured_side_by_side(Halves& halves, L on_left,
                                                             R on_right) {
  WARPSAFE_TRY(auto graph, capture(halves.left, [&](Capture& capture) -> result<void> {
                 WARPSAFE_TRYV(capture.keep(halves.x.keep()));
                 WARPSAFE_TRY(const auto fork, halves.left.record());
                 WARPSAFE_TRYV(wait(halves.right, fork));
                 WARPSAFE_TRYV(launch(halves.left, once, on_left, halves.part(0)));
                 WARPSAFE_TRYV(launch(halves.right, once, on_right, halves.part(half)));
                 WARPSAFE_TRY(const auto joined, halves.right.record());
                 return wait(halves.left, joined);
               }));
  WARPSAFE_TRY(auto exec, graph.instantiate());
  WARPSAFE_TRYV(exec.launch(halves.left));
  WARPSAFE_TRYV(exec.launch(halves.left));
  return std::optional<ExecutableGraph>(std::move(exec));
}
TEST(Windows, BranchesOfAGraphThatWorkOnTwoHalvesAreNoRace) {
  const auto program = [](auto on_right) -> result<void> {
    WARPSAFE_TRY(auto halves, Halves::create());
    WARPSAFE_TRYV(captured_side_by_side(halves, kernel<set_pointer>, on_right));
    return halves.left.synchronize();
  };
  expect_clean([&] { return program(kernel<set_pointer>); });
  expect_race([&] { return program(kernel<set_before>); });
}
TEST(Windows, AGraphOfARunCanBeLaunchedAfterIt) {
  std::optional<Halves> halves;
  std::optional<ExecutableGraph> exec;
  const RaceReport report = run(1, [&]() -> result<void> {
    halves.emplace(Halves::create().value());
    WARPSAFE_TRY(exec, captured_side_by_side(*halves, kernel<set_pointer>, kernel<set_span>));
    return success();
  });
  EXPECT_TRUE(report.clean()) << report;
  ASSERT_TRUE(exec->launch(halves->left).has_value());
  EXPECT_EQ(halves->x.to_host(halves->left).get().value(), Floats(2 * half, 1.0F));
}

}  // namespace
}  // namespace warpsafe::adversarial::windows
