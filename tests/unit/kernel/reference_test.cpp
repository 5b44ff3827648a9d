// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// Kernels with a reference function of the host: the launches it checks, and its arguments.

#include "data_fixture.hpp"
#include "log_fixture.hpp"
#include <warpsafe/kernel/functor.hpp>
#include <warpsafe/kernel/reference.hpp>

#include <gmock/gmock.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace {

WARPSAFE_KERNEL void axpy(float a, const float* x, float* y, std::size_t n) {
  for (auto i : warpsafe::grid_stride(n)) y[i] += a * x[i];
}
int host_calls = 0;
void axpy_host(float a, const float* x, float* y, std::size_t n) {
  ++host_calls;
  for (std::size_t i = 0; i < n; ++i) y[i] += a * x[i] + 1000;  // to tell it from the kernel
}

WARPSAFE_KERNEL void fill(warpsafe::DeviceSpan<int> to, int value) {
  for (auto i : warpsafe::grid_stride(to.size())) to[i] = value;
}
void fill_host(std::span<int> to, int value) {
  for (int& one : to) one = -value;
}

WARPSAFE_KERNEL void first_of_each_block(warpsafe::device_ptr<std::uint32_t> to) {
  to.get()[warpsafe::block_index().x] = 1;
}
void shape_host(const warpsafe::LaunchShape& shape, std::uint32_t* to) {
  for (std::uint32_t block = 0; block < shape.grid[0]; ++block) to[block] = 7;
}

struct Scale {
  int factor;
  WARPSAFE_FN void operator()(int* values, std::size_t n) const {
    for (auto i : warpsafe::grid_stride(n)) values[i] *= factor;
  }
};
void scale_host(Scale scale, int* values, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) values[i] *= 100 * scale.factor;
}

}  // namespace

namespace warpsafe::core_test {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr auto checked_axpy = kernel<axpy, reference<axpy_host>>;
constexpr LaunchConfig config{grid<2>, block<32>};

struct Reference : DataTest, LogSinkTest {
  Reference() { host_calls = 0; }
  ~Reference() override { debug::set_reference(nullptr); }
  Reference(const Reference&) = delete;
  Reference& operator=(const Reference&) = delete;
};

TEST_F(Reference, RunsInsteadOfTheNamedKernel) {
  debug::set_reference("other,axpy");
  const auto x = filled(counting<float>(100));
  auto y = filled(std::vector<float>(100));
  ASSERT_TRUE(launch(stream, config, checked_axpy, 2.0F, x.view(), y.view(), x.size()).has_value());
  EXPECT_EQ(host_calls, 1);
  const auto result = read(y);
  EXPECT_EQ(result[0], 1000.0F);
  EXPECT_EQ(result[99], 1198.0F);
}

TEST_F(Reference, LetsTheOthersFly) {
  debug::set_reference("softmax");
  const auto x = filled(counting<float>(100));
  auto y = filled(std::vector<float>(100));
  ASSERT_TRUE(launch(stream, config, checked_axpy, 2.0F, x.view(), y.view(), x.size()).has_value());
  EXPECT_EQ(host_calls, 0);
  EXPECT_EQ(read(y)[99], 198.0F);
}

TEST_F(Reference, ASkipAndACountChooseAmongTheLaunches) {
  debug::set_reference("axpy:2:3");
  const auto x = filled(std::vector<float>{1});
  auto y = filled(std::vector<float>{0});
  std::vector<int> calls;
  for (int i = 0; i < 7; ++i) {
    ASSERT_TRUE(launch(stream, config, checked_axpy, 0.0F, x.view(), y.view(), x.size()));
    calls.push_back(host_calls);
  }
  EXPECT_THAT(calls, ElementsAre(0, 0, 1, 2, 3, 3, 3));
}

TEST_F(Reference, TakesASpanForADeviceSpan) {
  debug::set_reference("all");
  auto buffer = filled(counting(10));
  ASSERT_TRUE(launch(stream, config, kernel<fill, reference<fill_host>>, buffer.view(), 5));
  EXPECT_THAT(read(buffer), Each(-5));
}

TEST_F(Reference, TakesTheShapeOfTheGridIfItWants) {
  debug::set_reference("all");
  auto buffer = filled(std::vector<std::uint32_t>(4));
  ASSERT_TRUE(
      launch(stream, config, kernel<first_of_each_block, reference<shape_host>>, buffer.view()));
  EXPECT_THAT(read(buffer), ElementsAre(7, 7, 0, 0));
}

TEST_F(Reference, OfAFunctorTakesTheObjectFirst) {
  debug::set_reference("all");
  auto buffer = filled(counting(3, 1));
  ASSERT_TRUE(launch(stream, config, functor<reference<scale_host>>(Scale{2}), buffer.view(),
                     buffer.size()));
  EXPECT_THAT(read(buffer), ElementsAre(200, 400, 600));
}

TEST_F(Reference, ArgumentsThatOverlapOverlapOnTheHostToo) {
  debug::set_reference("all");
  auto both = filled(std::vector<float>{1, 2, 3, 4});
  // y is x moved by one element: each result is the next input.
  ASSERT_TRUE(launch(stream, config, checked_axpy, 1.0F, both.view().subspan(0, 3).value(),
                     both.view().subspan(1, 3).value(), std::size_t{3}));
  EXPECT_THAT(read(both), ElementsAre(1, 1003, 2006, 3010));
}

TEST_F(Reference, ItsResultsAreThereForTheNextKernel) {
  debug::set_reference("axpy");
  const auto x = filled(std::vector<float>{1});
  auto y = filled(std::vector<float>{1});
  ASSERT_TRUE(launch(stream, config, checked_axpy, 1.0F, x.view(), y.view(), x.size()));
  ASSERT_TRUE(launch(stream, config, kernel<axpy>, 1.0F, x.view(), y.view(), x.size()));
  EXPECT_THAT(read(y), ElementsAre(1003));
}

TEST_F(Reference, ALaunchOfAKernelWithoutOneIsMadeAndSaid) {
  debug::set_reference("fill");
  auto buffer = filled(counting(3));
  for (int i = 0; i < 2; ++i) {
    ASSERT_TRUE(launch(stream, config, kernel<fill>, buffer.view(), i));
  }
  const unsigned line = __LINE__ - 2;
  EXPECT_THAT(read(buffer), Each(1));
  static int told = 0;
  expect_once(
      told, ElementsAre("warpsafe: WARPSAFE_REFERENCE: kernel 'fill' runs as it is: it carries no "
                        "reference; launch it as kernel<fn, reference<host_fn>>, at "
                        "reference_test.cpp:" +
                        std::to_string(line)));
}

TEST_F(Reference, APointerOfUnknownExtentIsRefusedByName) {
  debug::set_reference("axpy");
  float* const raw = device_array<float>(1);
  auto y = filled(std::vector<float>{1});
  wait();
  *raw = 5;
  ASSERT_TRUE(launch(stream, config, checked_axpy, 1.0F, trust(raw), y.view(), y.size()));
  EXPECT_EQ(host_calls, 0);
  EXPECT_THAT(read(y), ElementsAre(6)) << "the kernel ran";
  static int told = 0;
  expect_once(told, ElementsAre(HasSubstr("argument 2 is a pointer, and its number of "
                                          "elements is not known")));
}

TEST_F(Reference, ATrustedPointerWithItsCountIsKnown) {
  debug::set_reference("axpy");
  float* const raw = device_array<float>(1);
  auto y = filled(std::vector<float>{1});
  wait();
  *raw = 5;
  ASSERT_TRUE(launch(stream, config, checked_axpy, 1.0F, trust(raw, 1), y.view(), y.size()));
  EXPECT_EQ(host_calls, 1);
}

TEST_F(Reference, ALaunchInACaptureIsMadeAndSaid) {
  debug::set_reference("axpy");
  const auto x = filled(std::vector<float>{1});
  auto y = filled(std::vector<float>{1});
  wait();
  ASSERT_EQ(host_backend::capture_begin(stream.native(), CaptureMode::relaxed), 0);
  EXPECT_TRUE(launch(stream, config, checked_axpy, 1.0F, x.view(), y.view(), x.size()));
  host_backend::native_graph graph{};
  ASSERT_EQ(host_backend::capture_end(stream.native(), graph), 0);
  EXPECT_EQ(host_backend::graph_destroy(graph), 0);
  EXPECT_EQ(host_calls, 0);
  static int told = 0;
  expect_once(told, ElementsAre(HasSubstr("its stream captures a graph")));
}

TEST_F(Reference, ACopyThatFailsIsTheLaunchsError) {
  debug::set_reference("axpy");
  const auto x = filled(std::vector<float>{1});
  auto y = filled(std::vector<float>{1});
  host::fail_next(call_of<&host_backend::copy>, 1, HostStatus::invalid_value);
  const LaunchError error =
      error_in(launch(stream, config, checked_axpy, 1.0F, x.view(), y.view(), x.size()));
  EXPECT_EQ(error.code, Errc::runtime_failed);
  EXPECT_EQ(text(error.kernel), "axpy");
  EXPECT_EQ(host_calls, 0);
}

TEST_F(Reference, NullPointersStayNull) {
  debug::set_reference("axpy");
  ASSERT_TRUE(launch(stream, config, checked_axpy, 1.0F, nullptr, nullptr, std::size_t{0}));
  EXPECT_EQ(host_calls, 1);
}

TEST_F(Reference, LaunchesWithoutChecksNeverCallIt) {
  debug::set_reference("all");
  const auto x = filled(std::vector<float>{1});
  auto y = filled(std::vector<float>{1});
  ASSERT_TRUE(
      launch<CheckLevel::off>(stream, config, checked_axpy, 1.0F, x.view(), y.view(), x.size()));
  EXPECT_EQ(host_calls, 0);
}

}  // namespace
}  // namespace warpsafe::core_test
