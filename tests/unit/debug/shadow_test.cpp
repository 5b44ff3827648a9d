// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// Kernels compared with their references as they run.

#include "data_fixture.hpp"
#include "log_fixture.hpp"
#include <warpsafe/debug/journal/journal_reader.hpp>
#include <warpsafe/kernel/reference.hpp>

#include <gmock/gmock.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>
#include <thread>
#include <vector>

namespace {

/// In place, and wrong once: at one element of one launch.
WARPSAFE_KERNEL void smooth(float* values, std::size_t n, bool wrong) {
  for (auto i : warpsafe::grid_stride(n)) values[i] = values[i] * 0.5F + 1;
  if (wrong && warpsafe::thread_index().x == 12) values[12] += 0.75F;
}
void smooth_host(float* values, std::size_t n, bool) {
  for (std::size_t i = 0; i < n; ++i) values[i] = values[i] * 0.5F + 1;
}
/// Right, and rounded in another way.
void smooth_roughly(float* values, std::size_t n, bool) {
  for (std::size_t i = 0; i < n; ++i) values[i] = values[i] * 0.5F + 1.01F;
}
struct Loose {
  static constexpr warpsafe::Tolerance tolerance{.absolute = 0.02};
};

/// Of a buffer, the half that the kernel of this stream leaves alone.
WARPSAFE_KERNEL void add_right(float* values, std::size_t n) {
  for (auto i : warpsafe::grid_stride(n / 2)) values[n / 2 + i] += 1;
}
WARPSAFE_KERNEL void add_left(float* values, std::size_t n) {
  for (auto i : warpsafe::grid_stride(n / 2)) values[i] += 2;
}
/// While it runs, another stream changes the right half.
void (*meanwhile)() = nullptr;
void add_left_host(float* values, std::size_t n) {
  for (std::size_t i = 0; i < n / 2; ++i) values[i] += 2;
  meanwhile();
}

/// Holds an address that the library cannot see.
struct Holder {
  warpsafe::device_ptr<float> values;
  std::size_t n;
};
WARPSAFE_KERNEL void held(Holder holder) {
  for (auto i : warpsafe::grid_stride(holder.n)) holder.values.get()[i] = 1;
}
void held_host(Holder) {}

}  // namespace

namespace warpsafe::core_test {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;

constexpr auto checked_smooth = kernel<smooth, reference<smooth_host>>;
constexpr LaunchConfig two_warps{grid<2>, block<32>};

struct Shadow : DataTest, LogSinkTest {
  Shadow() { debug::set_shadow("all"); }
  ~Shadow() override { debug::set_shadow(nullptr); }
  Shadow(const Shadow&) = delete;
  Shadow& operator=(const Shadow&) = delete;

  auto go(DeviceBuffer<float>& values, bool wrong) {
    return launch(stream, two_warps, checked_smooth, values.view(), values.size(), wrong);
  }
};

TEST_F(Shadow, AKernelInPlaceThatIsRightIsSilent) {
  auto values = filled(counting<float>(100));
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(go(values, false).has_value());
  EXPECT_THAT(messages, IsEmpty());
  EXPECT_EQ(read(values)[80], 11.75F) << "the kernel's own results";
}

TEST_F(Shadow, ALaunchThatTheReferenceReplacedHasEnded) {
  debug::set_reference("all");
  auto values = filled(counting<float>(100));
  ASSERT_TRUE(go(values, false).has_value());
  debug::set_reference(nullptr);
  EXPECT_TRUE(debug::JournalReader(&debug::is_in_flight).empty());
}
TEST_F(Shadow, AReferenceLeavesWhatAnotherStreamWritesBesideIt) {
  static DeviceBuffer<float>* both = nullptr;
  static const StreamRef* other = nullptr;
  auto values = filled(counting<float>(100));
  const auto other_stream = Stream::create().value();
  const StreamRef other_ref = other_stream;
  both = &values;
  other = &other_ref;
  meanwhile = [] {
    ASSERT_TRUE(
        launch(*other, two_warps, kernel<add_right>, both->view(), both->size()).has_value());
    ASSERT_TRUE(other->synchronize().has_value());
  };
  ASSERT_TRUE(stream.synchronize().has_value());
  debug::set_reference("add_left");
  ASSERT_TRUE(launch(stream, two_warps, kernel<add_left, reference<add_left_host>>, values.view(),
                     values.size())
                  .has_value());
  debug::set_reference(nullptr);
  const auto got = read(values);
  for (std::size_t i = 0; i < got.size(); ++i) {
    EXPECT_EQ(got[i], static_cast<float>(i) + (i < 50 ? 2.0F : 1.0F)) << i;
  }
}
TEST_F(Shadow, APlantedWrongKernelIsTheFirstReportedAmongAThousandLaunches) {
  auto values = filled(counting<float>(100));
  const std::uint64_t before = debug::shadow_mismatches();
  int first = 0;
  LaunchError error = LaunchError::make(Errc{}, Stage{});
  for (int i = 1; i <= 1000 && first == 0; ++i) {
    const auto launched = go(values, i == 617);
    if (launched.has_value()) continue;
    first = i;
    error = launched.error();
  }
  EXPECT_EQ(first, 617);
  EXPECT_EQ(error.code, Errc::reference_differs);
  EXPECT_EQ(error.sequence, debug::Journal::get().last());
  EXPECT_EQ(error.value, 1U);
  EXPECT_EQ(error.limit, 100U);
  EXPECT_EQ(error.argument(), 1U);
  EXPECT_EQ(debug::shadow_mismatches(), before + 1);
  EXPECT_THAT(message(error),
              StartsWith("Kernel 'smooth' ran with wrong results: argument 1 differs from the "
                         "result of the kernel's reference: 1 of 100 numbers differ\n  at "
                         "shadow_test.cpp:"));
}

TEST_F(Shadow, TheLogShowsTheLaunchAndTheNumbers) {
  auto values = filled(counting<float>(100));
  ASSERT_FALSE(go(values, true).has_value());
  const std::string number = std::to_string(debug::Journal::get().last());
  EXPECT_THAT(
      of(debug::LogLevel::error),
      ElementsAre(AllOf(
          StartsWith(
              "warpsafe: launch " + number +
              ", kernel 'smooth': argument 1 differs from the result of the kernel's reference\n"
              "  grid=(2,1,1), block=(32,1,1), shared=0 bytes, stream 0x"),
          HasSubstr("\n  1 of 100 numbers (float32) differ by more than 1e-05 + 1.3e-06 * "
                    "|expected|, first at [12]"),
          HasSubstr("\n  >             12                     7.75                        7"))));
}

TEST_F(Shadow, TheResultsStayTheKernels) {
  auto values = filled(counting<float>(100));
  ASSERT_FALSE(go(values, true).has_value());
  EXPECT_EQ(read(values)[12], 7.75F);
}

TEST_F(Shadow, AReferenceMayHaveATolerance) {
  auto values = filled(counting<float>(100));
  const auto with = [&](auto compared) {
    return launch(stream, two_warps, compared, values.view(), values.size(), false);
  };
  EXPECT_TRUE(with(kernel<smooth, reference<smooth_roughly, Loose>>).has_value());
  EXPECT_EQ(error_in(with(kernel<smooth, reference<smooth_roughly>>)).value, 100U);
}

TEST_F(Shadow, AnAddressInsideAStructureIsRefusedByName) {
  auto values = filled(counting<float>(100));
  const Holder holder{values.view().pointer(), values.size()};
  ASSERT_TRUE(launch(stream, two_warps, kernel<held, reference<held_host>>, holder).has_value());
  static int runs = 0;
  expect_once(runs, ElementsAre(AllOf(StartsWith("warpsafe: WARPSAFE_SHADOW: kernel 'held' is not "
                                                 "compared: argument 1 contains a device address"),
                                      HasSubstr(", at shadow_test.cpp:"))));
}

TEST_F(Shadow, AFaultIsTheLaunchsOwnError) {
  auto values = filled(counting<float>(100));
  wait();
  host::fault_in_kernel(1, HostStatus::illegal_address);
  const LaunchError error = error_in(go(values, false));
  EXPECT_EQ(error.code, Errc::execution_failed);
  EXPECT_EQ(text(error.kernel), "smooth");
}

TEST_F(Shadow, ThreadsAreComparedEachForItself) {
  std::atomic<int> wrong = 0;
  std::atomic<int> reported_elsewhere = 0;
  const auto work = [&](bool plants) {
    const Stream own = Stream::create().value();
    auto values = DeviceBuffer<float>::from(own, counting<float>(20)).value();
    for (int i = 0; i < 10; ++i) {
      const bool plant = plants && i == 5;
      const auto launched = launch(own, LaunchConfig{grid<1>, block<16>}, checked_smooth,
                                   values.view(), values.size(), plant);
      if (!launched.has_value()) ++(plant ? wrong : reported_elsewhere);
    }
  };
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) threads.emplace_back(work, i == 2);
  for (std::thread& one : threads) one.join();
  EXPECT_EQ(wrong, 1);
  EXPECT_EQ(reported_elsewhere, 0);
}

TEST_F(Shadow, ALaunchThatTheRuntimeRefusesIsNotCompared) {
  auto values = filled(counting<float>(100));
  host::fail_next(call_of<&host_backend::launch>, 1, HostStatus::invalid_value);
  EXPECT_EQ(error_in(go(values, false)).code, Errc::launch_refused);
  EXPECT_TRUE(go(values, false).has_value());
  EXPECT_THAT(messages, IsEmpty());
}

}  // namespace
}  // namespace warpsafe::core_test
