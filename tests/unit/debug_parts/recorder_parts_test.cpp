// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// What a recorder makes of launches, waits and errors that the test tells it of.

#include "core_test.hpp"
#include "private_member.hpp"
#include "scripted_runtime.hpp"
#include <warpsafe/debug/run/run_recorder.hpp>

#include <gmock/gmock.h>
#include <unistd.h>

#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <ctime>
#include <memory>
#include <string>
#include <vector>

namespace warpsafe::core_test {

struct RecorderStart {
  friend constexpr auto member(RecorderStart);
};
template struct PrivateMember<RecorderStart, &debug::RunRecorder::zero_>;

namespace {

using debug::RunRecord;
using ::testing::ElementsAre;

/// A recorder that has started, and its listener.
struct ToldRecorder : ::testing::Test {
  ToldRecorder() {
    debug::mark_device_idle(Vendor::amd, 40);
    recorder->start();
    listener = detail::observers_in_use;
    while (listener->next != nullptr) listener = listener->next;
    now = debug::detail::nanoseconds_now();
  }
  ~ToldRecorder() override { debug::mark_device_idle(Vendor::amd, 40); }
  ToldRecorder(const ToldRecorder&) = delete;
  ToldRecorder& operator=(const ToldRecorder&) = delete;

  /// A launch that began and ended these nanoseconds after now.
  void launched(std::uint64_t number, std::uint64_t begun = 0, std::uint64_t ended = 0,
                LaunchState state = LaunchState::submitted) const {
    LaunchRecord record{};
    record.sequence = number;
    record.device = 40;
    record.vendor = Vendor::amd;
    record.state = state;
    listener->launched(listener->user, record, now + begun, now + ended);
  }
  std::unique_ptr<debug::RunRecorder> recorder = std::make_unique<debug::RunRecorder>();
  const Observer* listener = nullptr;
  std::uint64_t now = 0;
};

TEST(NanosecondsNow, AreThoseOfTheMonotonicClock) {
  const auto read = [] {
    timespec time{};
    EXPECT_EQ(::clock_gettime(CLOCK_MONOTONIC, &time), 0);
    return std::chrono::nanoseconds(std::chrono::seconds(time.tv_sec)).count() + time.tv_nsec;
  };
  for (int i = 0; i < 1000; ++i) {
    const auto before = read();
    const auto now = static_cast<std::int64_t>(debug::detail::nanoseconds_now());
    const auto after = read();
    ASSERT_LE(before, now);
    ASSERT_LE(now, after);
  }
}

TEST_F(ToldRecorder, ALaunchAtTheStartHasATimeThatIsKnown) {
  now = (*recorder).*member(RecorderStart{});
  launched(1, 0, 5);
  const RunRecord run = recorder->run();
  ASSERT_EQ(run.launches.size(), 1U);
  EXPECT_EQ(run.launches[0].begun, 1U) << "0 is no time";
  EXPECT_EQ(run.launches[0].ended, 5U);
}

TEST_F(ToldRecorder, LaunchesAreInTheOrderOfTheirNumbers) {
  for (const std::uint64_t number : {5U, 2U, 9U, 3U, 1U, 8U}) launched(number, number);
  std::vector<std::uint64_t> numbers;
  const RunRecord run = recorder->run();
  for (const debug::RunLaunch& one : run.launches) {
    numbers.push_back(one.record.sequence);
    EXPECT_EQ(one.begun - run.launches[0].begun, one.record.sequence - 1);
    EXPECT_EQ(one.gpu_begun, 0U);
    EXPECT_EQ(one.gpu_ended, 0U);
    EXPECT_EQ(one.thread, 0U);
  }
  EXPECT_THAT(numbers, ElementsAre(1, 2, 3, 5, 8, 9));
}
TEST_F(ToldRecorder, OnlyALaunchThatWasAcceptedBecomesComplete) {
  launched(1);
  launched(2, 0, 0, LaunchState::refused);
  debug::mark_device_idle(Vendor::amd, 40);
  launched(4);
  launched(3);
  const auto states = [&] {
    std::vector<LaunchState> found;
    for (const debug::RunLaunch& one : recorder->run().launches) found.push_back(one.record.state);
    return found;
  };
  EXPECT_THAT(states(), ElementsAre(LaunchState::complete, LaunchState::refused,
                                    LaunchState::submitted, LaunchState::submitted));
  debug::mark_device_idle(Vendor::amd, 40);
  EXPECT_THAT(states(), ElementsAre(LaunchState::complete, LaunchState::refused,
                                    LaunchState::complete, LaunchState::complete));
}
TEST_F(ToldRecorder, TimesCountFromTheStartAndAreNeverZero) {
  launched(1, 100, 5'000);
  LaunchRecord early{};
  early.sequence = 2;
  listener->launched(listener->user, early, 0, 5);
  WaitRecord wait{};
  wait.begun = now + 200;
  wait.ended = now + 300;
  listener->waited(listener->user, wait);
  listener->failed(listener->user, LaunchError::make(Errc::execution_failed, Stage::completion));
  const RunRecord run = recorder->run();
  constexpr std::uint64_t hour = 3'600'000'000'000;
  EXPECT_LT(run.launches[0].begun, hour);
  EXPECT_EQ(run.launches[0].ended - run.launches[0].begun, 4'900U);
  EXPECT_EQ(run.launches[1].begun, 1U) << "0 means not known";
  EXPECT_EQ(run.launches[1].ended, 1U);
  EXPECT_EQ(run.waits.at(0).wait.begun, run.launches[0].begun + 100);
  EXPECT_EQ(run.waits.at(0).wait.ended, run.launches[0].begun + 200);
  EXPECT_EQ(run.waits.at(0).thread, 0U);
  EXPECT_GE(run.errors.at(0).at, 1U);
  EXPECT_LT(run.errors.at(0).at, hour);
  EXPECT_EQ(run.errors.at(0).thread, 0U);
}
TEST_F(ToldRecorder, TheMachineHasItsName) {
  char name[256] = "";
  ASSERT_EQ(::gethostname(name, sizeof name - 1), 0);
  EXPECT_EQ(recorder->run().environment.host, name);
}

TEST(RunFromJournal, HasNoTimesAndNoThreads) {
  LaunchRecord record{};
  record.device = 40;
  record.vendor = Vendor::amd;
  debug::Journal::get().refused(debug::Journal::get().append(record));
  const RunRecord run = debug::run_from_journal();
  ASSERT_FALSE(run.launches.empty());
  for (const debug::RunLaunch& one : run.launches) {
    EXPECT_EQ(one.begun + one.ended + one.gpu_begun + one.gpu_ended + one.thread, 0U);
  }
}

/// A runtime with versions, as the vendors' runtimes have.
struct VersionedRuntime : ScriptedRuntime {
  static constexpr int toolkit_version = 12040;
  static int versions(int& driver, int& runtime) noexcept {
    if (const int status = script.call("versions")) return status;
    driver = 13000;
    runtime = 12080;
    return 0;
  }
};
TEST(DescribedEnvironment, HasTheVersionsOfTheRuntime) {
  script = {};
  const debug::RunEnvironment found =
      debug::describe_environment<VersionedRuntime, CheckLevel::full>();
  EXPECT_EQ(found.versions.driver, 13000);
  EXPECT_EQ(found.versions.runtime, 12080);
  EXPECT_EQ(found.versions.toolkit, 12040);
  script.fails = {{"versions", 5}};
  const debug::RunEnvironment unknown =
      debug::describe_environment<VersionedRuntime, CheckLevel::full>();
  EXPECT_EQ(unknown.versions.driver, 0);
  EXPECT_EQ(unknown.versions.runtime, 0);
  EXPECT_EQ(unknown.versions.toolkit, 12040);
  script = {};
}
TEST(DescribedEnvironmentDeathTest, MayHaveNoVariablesAtAll) {
  ::testing::FLAGS_gtest_death_test_style = "threadsafe";
  const auto check = [] {
    if (::clearenv() != 0) std::_Exit(2);
    std::_Exit(debug::describe_environment<VersionedRuntime, CheckLevel::full>().variables.empty()
                   ? 0
                   : 1);
  };
  EXPECT_EXIT(check(), ::testing::ExitedWithCode(0), "");
}
TEST(DescribedEnvironment, HasTheVariablesOfTheRuntimesAndTools) {
  const auto reported = &debug::detail::is_reported;
  for (const char* const name :
       {"WARPSAFE_LOG", "CUDA_A", "NVIDIA_A", "NCCL_A", "HIP_A", "ROCR_A", "HSA_A", "AMD_A",
        "GPU_A", "RCCL_A", "CUBLAS_A", "CUDNN_A", "PYTORCH_A"}) {
    EXPECT_TRUE(reported(name)) << name;
  }
  for (const char* const name : {"PATH", "A_CUDA_A", "CUDA", "cuda_a", ""}) {
    EXPECT_FALSE(reported(name)) << name;
  }
}

}  // namespace
}  // namespace warpsafe::core_test
