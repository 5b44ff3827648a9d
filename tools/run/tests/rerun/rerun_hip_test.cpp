// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// Tests warpsafe-run --rerun on a HIP program whose work faults, over AMD's own runtime on the
// software agent, where a fault ends the process.

#include "../shell.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstddef>
#include <cstdlib>
#include <fstream>
#include <string>

namespace {

using testing::ContainsRegex;
using testing::HasSubstr;
using testing::Not;

Ran rerun(const std::string& arguments) {
  return shell("env LD_LIBRARY_PATH=" WATCH_AGENT ":" WATCH_LIBRARIES_FOLDER " " WATCH_RUN
               " --hip --rerun --quiet " WATCH_RERUN_HIP " " +
               arguments);
}
std::size_t times(const std::string& text, const std::string& part) {
  std::size_t count = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) {
    ++count;
  }
  return count;
}

TEST(RerunHip, TheOneLaunchAmongManyIsNamed) {
  const Ran ran = rerun("good sync many sync");
  EXPECT_THAT(ran.out, ContainsRegex("warpsafe: the program faulted, and runs again with a wait "
                                     "after each of its [0-9]+ suspects .--rerun."));
  EXPECT_THAT(ran.out, ContainsRegex("warpsafe: Kernel 'demo::scatter' faulted: .*\n"
                                     "  launch 13 of this kernel, #13 of the process: "
                                     "grid=.12,1,1., block=.32,1,1., shared=0 bytes, stream 0x"));
  EXPECT_EQ(times(ran.out, "faulted: "), 1U) << ran.out;
  EXPECT_EQ(times(ran.out, "good: 0\n"), 2U);
  EXPECT_EQ(WEXITSTATUS(ran.status), 128 + SIGABRT);
}
TEST(RerunHip, TheNodeOfAGraphIsNamed) {
  EXPECT_THAT(rerun("good graph other sync").out,
              ContainsRegex("warpsafe: Node 4 of 5, kernel 'demo::scatter' faulted: .*\n"
                            "  grid=.104,1,1., block=.32,1,1., shared=0 bytes\n"
                            "  in the graph 'graph'\n"
                            "  launch 1 of this graph, #2 of the process: stream 0x"));
}
TEST(RerunHip, ACorrectProgramRunsOnce) {
  EXPECT_EQ(rerun("good other sync graph_good sync").out,
            "good: 0\nother: 0\nsync: 0\ngraph_good: 0\nsync: 0\n");
}
// The later runs fault earlier than the first one, so that the last run waits around each launch.
TEST(RerunHip, ADestroyedStreamIsNotWaitedFor) {
  const std::string own = testing::TempDir() + "rerun_hip." + std::to_string(::getpid());
  std::ofstream(own) << "if test -e " << own
                     << ".2; then exec " WATCH_RERUN_HIP
                        " destroy_other other bad sync; fi\necho > "
                     << own << ".2\nexec " WATCH_RERUN_HIP " good good sync good bad sync\n";
  const Ran ran = shell("{ env LD_LIBRARY_PATH=" WATCH_AGENT ":" WATCH_LIBRARIES_FOLDER
                        " " WATCH_RUN " --hip --rerun --quiet sh " +
                        own + "; rm -f " + own + ' ' + own + ".2; }");
  EXPECT_THAT(ran.out, HasSubstr("the program runs once more"));
  EXPECT_EQ(times(ran.out, "destroy_other: 0\n"), 2U) << ran.out;
  EXPECT_THAT(ran.out, HasSubstr("launch 2 of this kernel, #2 of the process: grid=(1,1,1)"));
}
TEST(RerunHip, AProgramThatTheRuntimeEndsIsToldOfIt) {
  EXPECT_THAT(shell("env LD_LIBRARY_PATH=" WATCH_AGENT ":" WATCH_LIBRARIES_FOLDER " " WATCH_RUN
                    " --hip " WATCH_RERUN_HIP " bad sync")
                  .out,
              HasSubstr("warpsafe: the runtime has ended the process, as it does at a fault of "
                        "running work; run warpsafe-run --rerun to get the launch that faults\n"));
}
TEST(RerunHip, TheProgramKeepsItsLastError) {
  // The program asks for it after each launch, where the wait has asked the runtime.
  const Ran ran = rerun("good bad sync");
  EXPECT_EQ(times(ran.out, "good: 0\n"), 2U) << ran.out;
  EXPECT_THAT(ran.out, Not(HasSubstr(": 600\n")));
}
TEST(RerunHip, TheDefaultStreamOfTheThread) {
  const Ran ran = rerun("good_own bad_own sync");
  EXPECT_EQ(times(ran.out, "good_own: 0\n"), 2U) << ran.out;
  EXPECT_THAT(ran.out, HasSubstr("launch 2 of this kernel, #2 of the process: grid=(3,1,1)"));
}

}  // namespace
