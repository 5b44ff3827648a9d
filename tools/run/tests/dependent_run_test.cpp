// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// Tests warpsafe-run on programs with programmatic dependent launch, whose machine code nvcc made,
// over stand-ins for the driver and CUPTI.

#include "programs/dependent.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

struct DependentRun : DependentProgram {
  [[nodiscard]] static std::string watched(const std::string& steps,
                                           const std::string& options = "") {
    return DependentProgram::watched(steps, options);
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
// Memory of 100 bytes is too short for a float of each thread, which is only a guess.
TEST_F(DependentRun, AFaultWithoutSharedMemoryIsNoArguments) {
  const std::string steps = "malloc:m100 shared_out_of_bounds:mx sync_device";
  for (const std::string options : {"--arguments", "--quiet --arguments", ""}) {
    const std::string out = watched(steps, options);
    EXPECT_THAT(out, HasSubstr("\n  likely cause: #1 'shared_out_of_bounds' accesses shared memory "
                               "and has none: pass the bytes of its extern __shared__ array to the "
                               "launch\n"))
        << options;
    EXPECT_THAT(out, Not(HasSubstr("cause: argument")));
  }
  // Memory that the program has freed is one cause more.
  EXPECT_THAT(watched("malloc:m4096 mfree:m shared_out_of_bounds:mx sync_device", "--arguments"),
              testing::AllOf(HasSubstr("accesses shared memory and has none"),
                             HasSubstr("likely cause: argument 1 (float const*) of #1")));
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

/// Pairs of the program's own work on two streams (--races).
struct RacesRun : DependentRun {
  [[nodiscard]] static std::string races(const std::string& steps) {
    return watched(steps, "--races");
  }
};

TEST_F(RacesRun, AKernelThatReadsWhatAnotherOneWrites) {
  const std::string out = races("plain:xy waits:yz,2");
  EXPECT_THAT(out, HasSubstr("  suspicion: nothing orders 'plain' on stream 0x"));
  EXPECT_THAT(out, HasSubstr(" before 'waits' on stream 0x"));
  EXPECT_THAT(out,
              HasSubstr(": the first operation writes memory that is passed to the second; record "
                        "an event after the first operation and make the stream of the second "
                        "wait for it"));
  EXPECT_THAT(out, HasSubstr("; the first is submitted in "));
  EXPECT_THAT(out, HasSubstr("; the second is submitted in "));
  EXPECT_THAT(watched("plain:xy waits:yz,2"), Not(HasSubstr("suspicion")));
}
TEST_F(RacesRun, AKernelThatOverwritesWhatAnotherOneReads) {
  EXPECT_THAT(races("plain:xy waits:zx,2"),
              HasSubstr(": the second operation writes memory that is passed to the first"));
}
TEST_F(RacesRun, AKernelAndAFill) {
  EXPECT_THAT(races("fill:x plain:xy,2"), HasSubstr("nothing orders cuMemsetD32Async of 32 bytes"));
}
TEST_F(RacesRun, MemoryThatIsFreedWhileAnotherStreamReadsIt) {
  EXPECT_THAT(races("alloc:p record wait_event,2 plain:py,2 free:p"),
              HasSubstr("nothing orders 'plain' on stream 0x"));
  EXPECT_THAT(races("alloc:p record wait_event,2 plain:py,2 free:p"),
              HasSubstr("before cuMemFreeAsync of 4096 bytes on stream 0x"));
}
TEST_F(RacesRun, MemoryThatIsUsedBeforeItsAllocation) {
  EXPECT_THAT(races("alloc:p plain:py,2"),
              HasSubstr("nothing orders cuMemAllocAsync of 4096 bytes on stream 0x"));
}
TEST_F(RacesRun, MemoryOfAnotherAllocation) {
  EXPECT_THAT(races("alloc:p free:p alloc:q plain:py,2"),
              HasSubstr("nothing orders cuMemAllocAsync of 4096 bytes on stream 0x"));
}
// The second launch of waits writes what the first one wrote, which plain still reads.
TEST_F(RacesRun, MemoryThatIsRefilledBeforeItWasRead) {
  for (const char* const before : {"", "waits:zw record wait_event,2 "}) {
    EXPECT_THAT(
        races(std::string(before) + "waits:zx record wait_event,2 plain:xy,2 waits:zx"),
        AllOf(HasSubstr("nothing orders 'plain' on stream 0x"),
              HasSubstr(" before 'waits' on stream 0x"),
              HasSubstr(": the second operation writes memory that is passed to the first")));
  }
}

/// Programs without a race.
struct RightRacesRun : RacesRun, testing::WithParamInterface<const char*> {};
TEST_P(RightRacesRun, IsNotSuspected) { EXPECT_THAT(races(GetParam()), Not(HasSubstr("nothing"))); }
INSTANTIATE_TEST_SUITE_P(
    Programs, RightRacesRun,
    testing::Values("plain:xy waits:yz", "plain:xy record wait_event,2 waits:yz,2",
                    "plain:xy sync waits:yz,2", "plain:xy waits:xz,2",
                    // Several pointers to non-const: nobody knows which one is written.
                    "swaps:xy waits:yz,2", "plain:xy swaps:yz,2",
                    // One kernel on several streams takes its own part of the memory each time.
                    "plain:xy plain:xy,2", "fill:x plain:xy plain:xz,2",
                    // A kernel fills memory part by part: its launches differ.
                    "waits:zx record wait_event,2 plain:xy,2 waits:wx",
                    "waits:zx record wait_event,2 plain:xy,2 record,2 wait_event waits:zx",
                    "alloc:p record wait_event,2 plain:py,2 record,2 wait_event free:p",
                    "alloc:p plain:py free:p alloc:p record wait_event,2 plain:py,2"));

}  // namespace
