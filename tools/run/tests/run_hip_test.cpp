// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// Tests warpsafe-run on a HIP program that does not use warpsafe, over AMD's own runtime on the
// software agent, and without the agent.

#include "shell.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <cstdlib>
#include <string>

namespace {

using testing::HasSubstr;
using testing::Not;

const std::string on_runtime = "env LD_LIBRARY_PATH=" WATCH_AGENT " ";
const std::string program = WATCH_PROGRAM " good block bounds axis sync";

TEST(RunHip, RefusedLaunchesAreExplained) {
  const Ran ran = shell(on_runtime + WATCH_RUN " --hip " + program);
  EXPECT_EQ(ran.status, 0);
  EXPECT_THAT(ran.out,
              HasSubstr("Kernel 'demo::axpy' not launched: block=(2048,1,1) is 2048 threads, "
                        "limit 1024 (maxThreadsPerBlock of device 0 '"));
  EXPECT_THAT(ran.out,
              HasSubstr("Kernel 'demo::bounded<float>' not launched: block=(512,1,1) is 512 "
                        "threads, limit 256 (this kernel's launch bounds"));
  EXPECT_THAT(ran.out, HasSubstr("grid.x times block.x is 8589934592 threads, limit 4294967295"));
  EXPECT_THAT(ran.out, HasSubstr("4 launches of 2 kernels, 3 refused, 0 faults of running work"));
}

TEST(RunHip, TheProgramIsToldWhatItIsToldWithoutUs) {
  const Ran alone = shell(on_runtime + program);
  const Ran watched = shell("(" + on_runtime + WATCH_RUN " --hip " + program + " 2>/dev/null)");
  EXPECT_EQ(alone.status, 0);
  EXPECT_THAT(alone.out, HasSubstr("bounds: 719 0\n"));  // the program keeps its last error
  EXPECT_EQ(watched.out, alone.out);
}

TEST(RunHip, APoolThatHandsMemoryOutTooEarly) {
  const auto races = [&](const std::string& how) {
    return shell(on_runtime + WATCH_RUN " --hip --races " WATCH_PROGRAM " " + how).out;
  };
  const std::string out = races("pool_wrong");
  EXPECT_THAT(out, HasSubstr("suspicion: nothing orders 'demo::bounded<float>' on stream 0x"));
  EXPECT_THAT(out, HasSubstr(" before 'demo::axpy' on stream 0x"));
  EXPECT_THAT(out, HasSubstr(", allocated in app.py:1, and then 1024 bytes for stream 0x"));
  EXPECT_THAT(races("pool_right"), Not(HasSubstr("suspicion: nothing")));
}

/// Runs the program that uses a library, in mode `what`.
Ran with_library(const std::string& what, const std::string& options = "") {
  return shell("env LD_LIBRARY_PATH=" WATCH_AGENT ":" WATCH_LIBRARIES_FOLDER " " WATCH_RUN
               " --hip " +
               options + " " WATCH_LIBRARIES " " + what);
}
/// Modes whose work is ordered by its stream, by the host or by an event.
const char* const in_order[] = {
    "copy_event", "copy_same",    "copy_waits",    "copy_pageable",     "copy_blocking",
    "set_event",  "kernel_event", "kernel_polled", "driver_copy_event", "stop_event",
    "captured",   "thread_waits", "own",           "no_library",        "other_memory"};

TEST(RunHip, ALibraryOnAnotherStreamThanItsDataIsSuspected) {
  const Ran ran = with_library("copy_wrong");
  EXPECT_EQ(ran.status, 0);
  EXPECT_THAT(ran.out, HasSubstr("copy_wrong: 0\n"));
  EXPECT_THAT(ran.out, HasSubstr("  suspicion: nothing orders hipMemcpyAsync of 4096 bytes on "
                                 "stream 0x"));
  EXPECT_THAT(ran.out,
              HasSubstr(" before 'tile_scale' of librocblas on the legacy default stream: the "
                        "first operation writes memory that is passed to the second; record an "
                        "event after the first operation and make the stream of the second wait "
                        "for it, or set the librocblas handle to the stream of the first\n"));
  EXPECT_THAT(with_library("copy_wrong", "--quiet").out, Not(HasSubstr("suspicion")));
}

TEST(RunHip, WhateverWritesTheLibrarysData) {
  const auto says = [](const char* what, const std::string& writer, const std::string& kernel) {
    const Ran ran = with_library(what);
    EXPECT_THAT(ran.out, HasSubstr(std::string(what) + ": 0\n"));
    EXPECT_THAT(ran.out, HasSubstr("suspicion: nothing orders " + writer + " on stream 0x"));
    EXPECT_THAT(ran.out, HasSubstr(" before '" + kernel + "' of librocblas on stream 0x"));
  };
  says("copy_6_wrong", "hipMemcpyAsync of 4096 bytes", "tile_scale");
  says("set_wrong", "hipMemsetAsync of 4096 bytes", "demo::dot");
  says("kernel_wrong", "'demo::fill'", "demo::dot");
  says("stop_wrong", "'demo::fill'", "demo::dot");
  says("driver_copy_wrong", "hipMemcpyHtoDAsync of 4096 bytes", "tile_scale");
  says("driver_set_wrong", "hipMemsetD32Async of 4096 bytes", "demo::dot");
  says("thread_wrong", "hipMemcpyAsync of 4096 bytes", "tile_scale");
}

TEST(RunHip, ALibraryThatWaitsForItsDataIsNot) {
  for (const char* const what : in_order) {
    const Ran ran = with_library(what);
    EXPECT_EQ(ran.status, 0);
    EXPECT_THAT(ran.out, HasSubstr(std::string(what) + ": 0\n"));
    EXPECT_THAT(ran.out, HasSubstr("0 refused"));
    EXPECT_THAT(ran.out, Not(HasSubstr("suspicion"))) << what;
    EXPECT_THAT(ran.out, Not(HasSubstr("failed"))) << "it found its kernel in another module";
  }
}

TEST(RunHip, TheLegacyStreamAndElementsTakenForBytesAreSuspected) {
  EXPECT_THAT(with_library("legacy_wrong").out,
              HasSubstr("suspicion: 1 launch on the legacy default stream while other streams were "
                        "in use, first 'demo::fill'"));
  EXPECT_THAT(with_library("elements_wrong").out,
              HasSubstr("suspicion: 1 allocation of which only the first 1/4 was ever copied (1024 "
                        "of 4096 bytes): was a number of elements passed as bytes?"));
  EXPECT_THAT(with_library("elements_whole").out, Not(HasSubstr("suspicion")));
}

TEST(RunHip, AProgramWithALibraryIsToldWhatItIsToldWithoutUs) {
  const std::string all = "copy_wrong set_wrong captured own thread_wrong elements_wrong -1";
  const Ran alone = shell(
      "env LD_LIBRARY_PATH=" WATCH_AGENT ":" WATCH_LIBRARIES_FOLDER " " WATCH_LIBRARIES " " + all);
  EXPECT_THAT(alone.out, HasSubstr("elements_wrong: 0\n-1: -1\n"));
  const Ran watched = with_library(all, "--quiet");
  EXPECT_EQ(watched.status, alone.status);
  EXPECT_EQ(watched.out, alone.out);
}

TEST(RunHip, AThreadThatTheProgramCancelsEndsAlone) {
  EXPECT_THAT(with_library("cancel copy_same", "--quiet").out,
              HasSubstr("cancel: 0\ncopy_same: 0\n"));
}

TEST(RunHip, WithoutADeviceTheProgramRunsAsItDoes) {
  const Ran alone = shell(WATCH_PROGRAM " good sync");
  const Ran watched = shell(WATCH_RUN " --hip --quiet " WATCH_PROGRAM " good sync");
  EXPECT_EQ(watched.status, alone.status);
  EXPECT_EQ(watched.out, alone.out);
}

TEST(RunHip, AProgramWithoutHipRunsAsItDoes) {
  EXPECT_EQ(shell(WATCH_RUN " --hip sh -c 'echo alone'").out, "alone\n");
}

}  // namespace
