// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// Tests warpsafe-run on programs with programmatic dependent launch, whose machine code nvcc made,
// over stand-ins for the driver and CUPTI.

#include "shell.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace {

using testing::HasSubstr;
using testing::Not;

struct DependentRun : testing::Test {
  void SetUp() override {
    if (cubin().empty()) GTEST_SKIP() << "nvcc is not installed";
  }
  [[nodiscard]] static std::string cubin() {
    const std::string all = WATCH_CUBINS;
    return all.substr(0, all.find(':'));
  }
  [[nodiscard]] static std::string watched(const std::string& steps,
                                           const std::string& options = "") {
    const Ran ran = shell("env LD_LIBRARY_PATH=" WATCH_STAND_IN " " WATCH_RUN " --cuda " + options +
                          " " WATCH_DEPENDENT " " + cubin() + " " + steps);
    EXPECT_EQ(ran.status, 0);
    return ran.out;
  }
};

TEST_F(DependentRun, AKernelThatNeverWaits) {
  const std::string out = watched("plain:xy +triggers:yz");
  EXPECT_THAT(out, HasSubstr("  suspicion: 'triggers' never waits for the kernel before it on "
                             "stream 0x"));
  EXPECT_THAT(out, HasSubstr(": 'triggers' may begin before 'plain' has ended; the earlier one "
                             "writes memory that the later one receives; call "
                             "cudaGridDependencySynchronize() in 'triggers'"));
  EXPECT_THAT(watched("plain:xy +triggers:yz", "--quiet"), Not(HasSubstr("suspicion")));
}
TEST_F(DependentRun, AGraphKeepsTheDependence) {
  EXPECT_THAT(watched("begin_capture triggers:xy +plain:yz end_capture"),
              HasSubstr("'plain' may begin before 'triggers' has ended"));
}
TEST_F(DependentRun, AnEventBetweenChangesNothing) {
  EXPECT_THAT(watched("triggers:xy record +plain:yz"),
              HasSubstr("'plain' may begin before 'triggers' has ended"));
}
TEST_F(DependentRun, AThirdKernelDependsOnTheFirstThroughASecondThatDoesNotWait) {
  EXPECT_THAT(watched("triggers:xy +plain:xz +waits:yw"),
              HasSubstr("suspicion: 'plain' never waits for the kernel before it"));
  EXPECT_THAT(watched("triggers:xy +some_wait:xz +waits:yw"), Not(HasSubstr("suspicion")));
}
TEST_F(DependentRun, ALibraryIsSuspectedAfterATrigger) {
  EXPECT_THAT(watched("triggers:xy =plain:yz"), HasSubstr("'plain' never waits"));
  EXPECT_THAT(watched("waits:xy =plain:yz =some_wait:zy"), Not(HasSubstr("never waits")));
}

/// Programs without the mistake.
struct RightDependentRun : DependentRun, testing::WithParamInterface<const char*> {};
TEST_P(RightDependentRun, IsNotSuspected) {
  EXPECT_THAT(watched(GetParam()), Not(HasSubstr("never waits")));
}
INSTANTIATE_TEST_SUITE_P(
    Programs, RightDependentRun,
    testing::Values("plain:xy +waits:yz", "plain:xy plain:yz", "triggers:xy +calls_a_wait:yz",
                    "triggers:xy +some_wait:yz", "triggers:xy +triggers_then_waits:yz",
                    "triggers:xy fill +plain:yz", "triggers:xy wait_event +plain:yz",
                    "triggers:xy sync +plain:yz", "triggers:xy sync_device +plain:yz",
                    "triggers:xy +plain:yz,2", "triggers:xy +plain:xz", "swaps:xy +waits:yz",
                    "begin_capture triggers:xy end_capture +plain:yz"));

}  // namespace
