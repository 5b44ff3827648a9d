// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// warpsafe-run in front of a HIP program that knows nothing of it, on the stand-in for AMD's
// runtime, and on the library that the machine has.

#include "shell.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <string>

namespace {

using testing::HasSubstr;

const std::string on_stand_in = "env LD_LIBRARY_PATH=" WATCH_STAND_IN " ";
const std::string program = WATCH_PROGRAM " good block bounds axis sync";

TEST(RunHip, RefusedLaunchesAreExplained) {
  const Ran ran = shell(on_stand_in + WATCH_RUN " --hip " + program);
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
  const Ran alone = shell(on_stand_in + program);
  const Ran watched = shell("(" + on_stand_in + WATCH_RUN " --hip " + program + " 2>/dev/null)");
  EXPECT_EQ(alone.status, 0);
  EXPECT_THAT(alone.out, HasSubstr("bounds: 719 0\n"));  // the last error is the program's
  EXPECT_EQ(watched.out, alone.out);
}

TEST(RunHip, OnAMDsOwnLibraryTheProgramRunsAsItDoes) {
  const Ran alone = shell(WATCH_PROGRAM " good sync");
  const Ran watched = shell(WATCH_RUN " --hip --quiet " WATCH_PROGRAM " good sync");
  EXPECT_EQ(watched.status, alone.status);
  EXPECT_EQ(watched.out, alone.out);
}

TEST(RunHip, AProgramWithoutHipRunsAsItDoes) {
  EXPECT_EQ(shell(WATCH_RUN " --hip sh -c 'echo alone'").out, "alone\n");
}

}  // namespace
