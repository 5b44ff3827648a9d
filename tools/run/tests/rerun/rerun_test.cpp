// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// Tests warpsafe-run --rerun on a program whose work faults, over stand-ins for the driver and
// CUPTI.

#include "../shell.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstddef>
#include <fstream>
#include <iterator>
#include <string>

namespace {

using testing::ContainsRegex;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

/// Files of these tests. Other processes may run the same tests.
const std::string own = testing::TempDir() + "watch_rerun." + std::to_string(::getpid()) + '.';
const std::string folder = own + "folder/";
struct Rerun : testing::Test {
  ~Rerun() override { shell("rm -rf " + own + '*'); }
};
/// Runs the program with these arguments; the folder for --rerun's own files is empty afterwards.
Ran rerun(const std::string& arguments, const std::string& options = "--quiet",
          const std::string& variables = "", const std::string& after = "") {
  shell("rm -rf '" + folder + "' && mkdir '" + folder + "'");
  const Ran ran =
      shell("{ env LD_LIBRARY_PATH=" WATCH_STAND_IN " TMPDIR='" + folder + "' " + variables +
            " " WATCH_RUN " --cuda --rerun " + options + " " WATCH_RERUN " " + arguments +
            (after.empty() ? "" : "; ") + after + "; }");
  EXPECT_EQ(shell("ls '" + folder + "' | grep '^warpsafe[.]'").out, "");
  return ran;
}
std::size_t times(const std::string& text, const std::string& part) {
  std::size_t count = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) {
    ++count;
  }
  return count;
}

TEST_F(Rerun, TheOneLaunchAmongManyIsNamed) {
  const Ran ran = rerun("good sync many sync");
  EXPECT_EQ(ran.status, 0);
  EXPECT_THAT(ran.out, HasSubstr("suspects: 20 launches of device 0"));
  EXPECT_THAT(ran.out, HasSubstr("warpsafe: the program faulted, and runs again with a wait after "
                                 "each of its 20 suspects (--rerun); what it prints appears "
                                 "again\n"));
  EXPECT_THAT(ran.out, HasSubstr("warpsafe: Kernel 'demo::scatter' faulted: an illegal memory "
                                 "access was encountered\n"
                                 "  launch 13 of this kernel, #13 of the process: grid=(12,1,1), "
                                 "block=(32,1,1), shared=0 bytes, stream 0x"));
  EXPECT_THAT(ran.out, ContainsRegex("wait after this launch .--rerun.\n"
                                     "  called by .*scatter.*at .*program.cpp:[0-9]+\n"
                                     "  called by .*act.*at .*program.cpp:[0-9]+\n"));
  EXPECT_EQ(times(ran.out, "faulted: "), 1U);
  EXPECT_EQ(times(ran.out, "good: 0\n"), 2U);
}
TEST_F(Rerun, ACorrectProgramRunsOnce) {
  EXPECT_EQ(rerun("good other sync graph_good sync").out,
            "good: 0\nother: 0\nsync: 0\ngraph_good: 0\nsync: 0\n");
}
TEST_F(Rerun, AProgramWithARefusedLaunchRunsOnce) {
  const Ran ran = rerun("good refused sync exit_5");
  EXPECT_EQ(WEXITSTATUS(ran.status), 5);
  EXPECT_THAT(ran.out, HasSubstr("not launched"));
  EXPECT_EQ(times(ran.out, "good: 0\n"), 1U);
}
TEST_F(Rerun, TwoSuspectsOnDifferentStreams) {
  EXPECT_THAT(rerun("good bad_other sync").out, HasSubstr("launch 2 of this kernel, #2 of the "
                                                          "process: grid=(2,1,1)"));
  EXPECT_THAT(rerun("bad other wait_other").out, HasSubstr("launch 1 of this kernel, #1 of the "
                                                           "process: grid=(1,1,1)"));
}
TEST_F(Rerun, OneSuspectIsConfirmed) {
  const Ran ran = rerun("good sync bad sync");
  EXPECT_THAT(ran.out, HasSubstr("with a wait after its suspect"));
  EXPECT_THAT(ran.out, HasSubstr("launch 2 of this kernel, #2 of"));
}

/// The launches of suspects under warpsafe-run alone.
std::string suspects(const std::string& arguments) {
  return shell("env LD_LIBRARY_PATH=" WATCH_STAND_IN " " WATCH_RUN " --cuda --quiet " WATCH_RERUN
               " " +
               arguments)
      .out;
}
// CUDA's driver gives a destroyed stream's handle to the next stream, also while the work runs.
TEST_F(Rerun, AWaitForAStreamIsNoneForADestroyedOneWithItsHandle) {
  const std::string out = suspects("late_bad_other remake_other other wait_other release sync");
  EXPECT_THAT(out, HasSubstr("remake_other: 0\n"));
  EXPECT_THAT(out, HasSubstr("suspect: 1 launch of device 0"));
  EXPECT_THAT(out, HasSubstr("grid=(78,1,1)"));
  const Ran ran =
      rerun("late_bad_other remake_other other wait_other release sync", "--quiet --timeout 0.2");
  EXPECT_THAT(ran.out, ContainsRegex("launch 1 of this kernel, #1 of the process: grid=.78,1,1"))
      << ran.out;
}
TEST_F(Rerun, WorkThatHadEndedIsNoSuspectWhenTheHandleComesBack) {
  const std::string out = suspects("other wait_other remake_other late_bad_other release sync");
  EXPECT_THAT(out, HasSubstr("suspect: 1 launch of device 0"));
  EXPECT_THAT(out, HasSubstr("grid=(78,1,1)"));
}

TEST_F(Rerun, AWaitForAThreadsOwnStreamIsNoneForAnothersAndOneForItself) {
  const std::string out = suspects("late_bad_own thread_own release sync");
  EXPECT_THAT(out, HasSubstr("suspect: 1 launch of device 0"));
  EXPECT_THAT(out, HasSubstr("grid=(78,1,1)"));
  const Ran ran = rerun("late_bad_own thread_own release sync", "--quiet --timeout 0.2");
  EXPECT_THAT(ran.out, ContainsRegex("launch 1 of this kernel, #1 of the process: grid=.78,1,1"))
      << ran.out;
}

TEST_F(Rerun, TheNodeOfAGraphIsNamed) {
  // The graph is destroyed before the executable graph is launched, and in the second it is not.
  for (const std::string what : {"graph", "graph_kept"}) {
    const Ran ran = rerun("good " + what + " other sync node_runs");
    EXPECT_THAT(ran.out, HasSubstr("warpsafe: Node 4 of 5, kernel 'demo::scatter' faulted: an "
                                   "illegal memory access was encountered\n"
                                   "  grid=(104,1,1), block=(1,1,1), shared=0 bytes\n"
                                   "  in the graph 'graph of 5 kernels: demo::scatter, "))
        << ran.out;
    EXPECT_THAT(ran.out, HasSubstr("\n  launch 1 of this graph, #2 of the process: stream 0x"));
  }
}
TEST_F(Rerun, ThePointersOfAGraphsNodesAreKept) {
  const Ran ran =
      shell("env LD_LIBRARY_PATH=" WATCH_STAND_IN " " WATCH_RUN " --cuda --arguments " WATCH_RERUN
            " graph_good sync free launch_last_graph sync");
  EXPECT_THAT(ran.out,
              ContainsRegex("likely cause: argument 1 .float.. of node 'demo::scatter' of "
                            "#2 'graph of 5 kernels: .*' is device memory 0x[0-9a-f]* of "
                            "4096 bytes, allocated by cuMemAlloc in .*, freed by cuMemFree"))
      << ran.out;
  EXPECT_EQ(times(ran.out, "likely cause"), 1U) << ran.out;
}
TEST_F(Rerun, AGraphThatKeepsTheAddressOfFreedMemoryIsSuspected) {
  const auto watched = [](const std::string& steps) {
    return shell("env LD_LIBRARY_PATH=" WATCH_STAND_IN " " WATCH_RUN " --cuda " WATCH_RERUN " " +
                 steps)
        .out;
  };
  const std::string out = watched("graph_copies sync free launch_last_graph launch_last_graph");
  EXPECT_THAT(out, ContainsRegex("suspicion: 'graph of 5 kernels: .*' is launched, and argument 1 "
                                 ".float.. of node 'demo::scatter' in it is device memory 0x.* of "
                                 "4096 bytes, allocated by cuMemAlloc in .*, freed by cuMemFree in "
                                 ".*: free the memory after the graph's last launch; it is "
                                 "launched in "));
  EXPECT_EQ(times(out, "suspicion"), 1U);
  EXPECT_THAT(watched("free graph_copies"), HasSubstr("suspicion: 'graph of 5 kernels"));
  EXPECT_THAT(watched("graph_copies sync launch_last_graph sync free"),
              Not(HasSubstr("suspicion")));
}
TEST_F(Rerun, ACopyBesideTheKernelsOfItsGraphIsSuspected) {
  const auto watched = [](const std::string& options, const std::string& steps) {
    return shell("env LD_LIBRARY_PATH=" WATCH_STAND_IN " " WATCH_RUN " --cuda " + options +
                 " " WATCH_RERUN " " + steps)
        .out;
  };
  EXPECT_THAT(watched("--races", "graph_copies_beside sync"),
              ContainsRegex("suspicion: nothing in 'graph of 5 kernels: .*' orders a copy of 4096 "
                            "bytes before or after node 'demo::scatter', which receives the memory "
                            "that it writes: add a dependency; the graph is instantiated in "));
  EXPECT_THAT(watched("--races", "graph_copies sync"), Not(HasSubstr("suspicion")));
  EXPECT_THAT(watched("", "graph_copies_beside sync"), Not(HasSubstr("suspicion")));
}
TEST_F(Rerun, AGraphThatWasDestroyedIsSaidSo) {
  const Ran ran = shell("env LD_LIBRARY_PATH=" WATCH_STAND_IN " " WATCH_RUN " --cuda " WATCH_RERUN
                        " graph_good sync destroy_last_graph launch_last_graph");
  EXPECT_THAT(ran.out, ContainsRegex("\n  cuGraphExecDestroy destroyed this executable graph in "
                                     ".*: destroy it after its last use\n"));
}
// The memory that the watch copies behind a node belongs to one context.
TEST_F(Rerun, TheNodeOfAGraphIsNamedInASecondContext) {
  EXPECT_THAT(rerun("graph_good second_context graph_kept other sync").out,
              HasSubstr("warpsafe: Node 4 of 5, kernel 'demo::scatter' faulted: an illegal"));
}
TEST_F(Rerun, AGraphThatWasUpdatedIsDescribedAsSuch) {
  EXPECT_THAT(rerun("graph_updated sync").out,
              HasSubstr("warpsafe: Node 4 of 5, kernel 'demo::scatter' (as instantiated; the graph "
                        "was updated since) faulted: an illegal memory access was encountered\n"
                        "  in the graph"));
}
TEST_F(Rerun, EachNodeOfAGraphRunsOnce) {
  // The graph is a suspect, and does not fault.
  const Ran ran = rerun("graph_good node_runs bad_other sync");
  EXPECT_EQ(times(ran.out, "node_runs: 5\n"), 2U) << ran.out;
  EXPECT_THAT(ran.out, HasSubstr("warpsafe: Kernel 'demo::scatter' faulted"));
}
TEST_F(Rerun, AGraphWhoseNodesCannotBeSwitchedOffIsNamed) {
  EXPECT_THAT(rerun("good graph_host other sync").out,
              ContainsRegex("warpsafe: Graph 'graph of 5 kernels: .*' faulted: an illegal memory "
                            "access was encountered\n"
                            "  launch 1 of this graph, #2 of the process: stream 0x.*\n"
                            "  its nodes were not launched one by one: it has a node that is no "
                            "kernel, copy or fill\n"));
  EXPECT_THAT(rerun("good graph other sync", "--quiet", "STAND_IN_KEEPS_NODES=1").out,
              HasSubstr("one by one: the runtime refuses it with CUDA_ERROR_INVALID_VALUE"));
}

TEST_F(Rerun, AFaultThatDoesNotRepeatIsSaidSo) {
  const Ran ran =
      rerun("good bad other sync exit_3", "--quiet", "STAND_IN_FAULTS_ONCE='" + folder + "once'");
  EXPECT_EQ(WEXITSTATUS(ran.status), 3);
  EXPECT_THAT(ran.out, HasSubstr("warpsafe: the program did not fault this time: "));
  EXPECT_THAT(ran.out, HasSubstr("  suspects of the first run: 3 launches\n"
                                 "    'demo::scatter', launch 3 of it, grid=(2,1,1), "
                                 "block=(32,1,1), shared=0 bytes\n"
                                 "    'demo::scatter', launch 2 of it, grid=(1,1,1), "));
  EXPECT_EQ(times(ran.out, "good: 0\n"), 2U);
  EXPECT_THAT(ran.out, Not(HasSubstr("faulted: ")));
}
// The first of the program's launches is none of the suspects that the first run has listed: the
// fault comes earlier.
TEST_F(Rerun, AFaultOfAnotherLaunchTakesAThirdRun) {
  const std::string count = own + "count";
  std::ofstream(own + "sh") << "if test -e " << count
                            << "; then exec " WATCH_RERUN " bad good sync good sync; fi\n"
                            << "echo > " << count
                            << "\nexec " WATCH_RERUN " good sync good bad sync\n";
  shell("rm -f " + count);
  shell("rm -rf '" + folder + "' && mkdir '" + folder + "'");
  const Ran ran = shell("env LD_LIBRARY_PATH=" WATCH_STAND_IN " TMPDIR='" + folder +
                        "' " WATCH_RUN " --cuda --rerun --quiet sh " + own + "sh");
  EXPECT_THAT(ran.out,
              HasSubstr("the fault came from none of the suspects this time, or others ran "
                        "beside; the program runs once more, with a wait after each launch\n"));
  EXPECT_THAT(ran.out, HasSubstr("launch 1 of this kernel, #1 of the process: grid=(1,1,1)"));
}
TEST_F(Rerun, AKernelThatWaitsForTheHostDoesNotHangIt) {
  const Ran ran = rerun("hold release bad good sync", "--quiet --timeout 0.2");
  EXPECT_THAT(ran.out, HasSubstr("warpsafe: launch 1 of 'demo::scatter' has not ended in 200 ms"));
  EXPECT_THAT(ran.out, HasSubstr("launch 2 of this kernel, #2 of the process"));
  // It still runs when the fault arrives.
  const Ran both = rerun("hold bad good sync", "--quiet --timeout 0.2");
  EXPECT_THAT(both.out, ContainsRegex("warpsafe: One of 2 launches faulted: an illegal memory "
                                      "access was encountered\n"
                                      "  'demo::scatter', launch 1 of this kernel, #1 of .*\n"
                                      "  'demo::scatter', launch 2 of this kernel, #2 of "))
      << both.out;
}
// The driver ends a program that asks about a destroyed stream.
TEST_F(Rerun, ADestroyedStreamIsNotWaitedFor) {
  const Ran ran = rerun("good destroy_other other sync bad_fill good good sync");
  EXPECT_EQ(times(ran.out, "other: 400\n"), 3U) << ran.out;
  EXPECT_THAT(ran.out, HasSubstr("warpsafe: Work other than a launch faulted: "));
  EXPECT_EQ(times(ran.out, "sync: 700\n"), 3U) << ran.out;
}
TEST_F(Rerun, ADestroyedContextIsNoFault) {
  const Ran ran = rerun("good orphan_other good bad sync");
  EXPECT_THAT(ran.out, HasSubstr("launch 3 of this kernel, #3 of the process"));
  EXPECT_EQ(times(ran.out, "faulted: "), 1U) << ran.out;
}
TEST_F(Rerun, AStreamMayBeDestroyedDuringTheWait) {
  const Ran ran = rerun("destroy_soon hold_and_destroy bad sync", "--quiet --timeout 2");
  EXPECT_EQ(times(ran.out, "hold_and_destroy: 0\n"), 3U) << ran.out;
  EXPECT_EQ(times(ran.out, "sync: 700\n"), 3U) << ran.out;
  EXPECT_THAT(ran.out, HasSubstr("warpsafe: One of 2 launches faulted"));
}
TEST_F(Rerun, WorkThatDoesNotEndInTimeMayRunBesideTheLaunch) {
  const Ran ran = rerun("hold_fill bad good sync", "--quiet --timeout 0.2");
  EXPECT_THAT(ran.out, HasSubstr("the program runs once more"));
  EXPECT_THAT(ran.out, HasSubstr("launch 1 of this kernel, #1 of the process"));
  EXPECT_THAT(ran.out, HasSubstr("\n  a stream's work had not ended before this launch, and may "
                                 "have run at the same time\n"));
}
TEST_F(Rerun, WhereEachLaunchWaitsAnywayOneRunIsEnough) {
  const Ran ran = rerun("good bad other sync", "--quiet", "WARPSAFE_SYNC=all");
  EXPECT_THAT(ran.out, HasSubstr("failed after kernel 'demo::scatter'"));
  EXPECT_EQ(times(ran.out, "good: 0\n"), 1U) << ran.out;
}
TEST_F(Rerun, WithoutSuspectsThereIsNoSecondRun) {
  const Ran ran = rerun("good sync bad_fill wait_first");
  EXPECT_THAT(ran.out, HasSubstr("warpsafe: the program is not run again (--rerun): no launch can "
                                 "have caused the fault\n"));
  EXPECT_EQ(times(ran.out, "good: 0\n"), 1U);
}
// The fill is on the stream of a suspect, or on another one. No suspect is blamed for it.
TEST_F(Rerun, WorkOtherThanALaunchIsNotALaunch) {
  EXPECT_THAT(rerun("good sync bad_fill_other good good sync").out,
              HasSubstr("warpsafe: Work other than a launch faulted: "));
  const Ran ran = rerun("good sync bad_fill good other sync");
  EXPECT_THAT(ran.out, HasSubstr("warpsafe: Work other than a launch faulted: an illegal memory "
                                 "access was encountered\n  all launches until then, 2, have"));
  EXPECT_THAT(ran.out, ContainsRegex("\n  called by .*scatter.* at .*program.cpp:"));
  EXPECT_EQ(times(ran.out, "faulted: "), 1U);
}
TEST_F(Rerun, AStreamThatCapturesIsNotWaitedFor) {
  const Ran ran = rerun("launches_while_it_captures bad_other sync");
  EXPECT_EQ(times(ran.out, "launches_while_it_captures: 0\n"), 2U) << ran.out;
  EXPECT_THAT(ran.out, HasSubstr("launch 3 of this kernel"));
}
TEST_F(Rerun, AGraphsNodesBreakNoCapture) {
  const Ran ran = rerun("launches_graph_while_it_captures bad_other sync");
  EXPECT_EQ(times(ran.out, "launches_graph_while_it_captures: 0\n"), 2U) << ran.out;
}
TEST_F(Rerun, ACaptureThatBeginsDuringTheWaitIsNotBroken) {
  const Ran ran = rerun("capture_soon hold_and_capture bad sync", "--quiet --timeout 2");
  EXPECT_EQ(times(ran.out, "hold_and_capture: 0\n"), 3U) << ran.out;
}
TEST_F(Rerun, ThreadsThatLaunchAtTheSameTime) {
  const Ran ran = rerun("two_threads sync");
  EXPECT_THAT(ran.out, testing::AnyOf(HasSubstr("grid=(1040,1,1), block=(32,1,1), shared=0 bytes, "
                                                "stream"),
                                      HasSubstr("launches faulted: an illegal")))
      << ran.out;
}

TEST_F(Rerun, TheDefaultStreamTakesTwoRuns) {
  const Ran ran = rerun("default_streams sync");
  EXPECT_THAT(ran.out, HasSubstr("launch 3 of this kernel, #3 of the process: grid=(3,1,1)"));
  EXPECT_THAT(ran.out, Not(HasSubstr("once more")));
}
// Each of them is waited for by its own thread.
TEST_F(Rerun, DefaultStreamsOfThreadsAreToldApart) {
  const Ran ran = rerun("own_streams sync");
  EXPECT_THAT(ran.out, HasSubstr("warpsafe: Kernel 'demo::scatter' faulted"));
  EXPECT_THAT(ran.out, HasSubstr("launch 3 of this kernel, #3 of the process: grid=(3,1,1)"));
  EXPECT_THAT(ran.out, Not(HasSubstr("may have run at the same time")));
}
TEST_F(Rerun, TheProgramEndsAsItsFirstRun) {
  EXPECT_EQ(WEXITSTATUS(rerun("bad sync exit_7").status), 7);
  EXPECT_EQ(WEXITSTATUS(rerun("bad sync exit_7", "--quiet --error-exitcode 55").status), 55);
  const Ran ended = rerun("bad sync term", "--quiet", "", "echo \"status: $?\"");
  EXPECT_THAT(ended.out, HasSubstr("status: 143\n"));
  EXPECT_EQ(times(ended.out, "faulted: "), 1U);
  const Ran aborted = rerun("bad sync abort", "--quiet", "", "echo \"status: $?\"");
  EXPECT_THAT(aborted.out, HasSubstr("status: 134\n"));
  EXPECT_EQ(WEXITSTATUS(shell("TMPDIR=/tmp " WATCH_RUN " --cuda --rerun /none/there").status), 127);
}
// Its caller ignores SIGCHLD, or has closed the other end of standard error.
TEST_F(Rerun, TheStatusIsKeptWhateverTheCallerIgnores) {
  const std::string run = WATCH_RUN " --cuda --rerun --quiet " WATCH_RERUN " bad sync exit_7";
  EXPECT_EQ(WEXITSTATUS(shell("env LD_LIBRARY_PATH=" WATCH_STAND_IN " " WATCH_PYTHON
                              " -c 'import os, signal, sys; "
                              "signal.signal(signal.SIGCHLD, signal.SIG_IGN); "
                              "os.execvp(sys.argv[1], sys.argv[1:])' " +
                              run)
                            .status),
            7);
  EXPECT_THAT(shell("export LD_LIBRARY_PATH=" WATCH_STAND_IN "; exec 3>&1; { " + run +
                    " 3>&- > /dev/null; echo status: $? >&3; } 2>&1 | true; sleep 0.5")
                  .out,
              HasSubstr("status: 7\n"));
}
TEST_F(Rerun, FilesAreOfTheFirstRun) {
  const std::string out = own + "files";
  shell("rm -rf " + out + "; mkdir " + out);
  const Ran ran =
      rerun("process good bad other sync", "--report " + out + "/r-%p.json --report " + out +
                                               "/page.html --journal " + out + "/journal");
  const std::size_t at = ran.out.find("process ") + 8;
  const std::string first = ran.out.substr(at, ran.out.find('\n', at) - at);
  const std::string second = [&] {
    const std::size_t next = ran.out.find("\nprocess ", at) + 9;
    return ran.out.substr(next, ran.out.find('\n', next) - next);
  }();
  EXPECT_EQ(shell("ls " + out).out, shell("printf '%s\\n' journal page.html page.rerun.html r-" +
                                          first + ".json r-" + second + ".rerun.json | sort")
                                        .out);
  EXPECT_EQ(shell("grep -c 'Wait\\|\"launch' " + out + "/journal").status, 0);
  EXPECT_EQ(shell(WATCH_CHECK_REPORT " " + out + "/r-" + second + ".rerun.json").status, 0);
  EXPECT_THAT(shell("cat " + out + "/r-" + second + ".rerun.json").out,
              HasSubstr("Kernel 'demo::scatter' faulted: an illegal memory access"));
}
TEST_F(Rerun, AFileAsInputIsReadAgain) {
  const std::string input = own + "input";
  std::ofstream(input) << "skipped\n41\n42\n";
  const Ran ran = shell("{ read skipped; env LD_LIBRARY_PATH=" WATCH_STAND_IN " " WATCH_RUN
                        " --cuda --rerun --quiet " WATCH_RERUN " read bad sync; } < " +
                        input);
  EXPECT_EQ(times(ran.out, "read: 41\n"), 2U) << ran.out;
  // A pipe cannot be.
  const Ran piped = shell("echo 41 | env LD_LIBRARY_PATH=" WATCH_STAND_IN " " WATCH_RUN
                          " --cuda --rerun --quiet " WATCH_RERUN " read bad sync");
  EXPECT_THAT(piped.out, HasSubstr("read: 41\n"));
  EXPECT_THAT(piped.out, HasSubstr("read: -1\n"));
}
TEST_F(Rerun, SignalsReachTheProgram) {
  // Sent to warpsafe-run alone.
  const Ran ran = shell("env LD_LIBRARY_PATH=" WATCH_STAND_IN " sh -c '" WATCH_RUN
                        " --cuda --rerun --quiet " WATCH_RERUN
                        " bad sync pause & sleep 1; kill "
                        "-TERM $!; wait $!; echo status: $?'");
  EXPECT_THAT(ran.out, HasSubstr("status: 143\n"));
  EXPECT_THAT(ran.out, Not(HasSubstr("runs again")));
  EXPECT_THAT(ran.out, Not(HasSubstr("pause: ")));
  // In the second run, which the signal ends too.
  const std::string begun = own + "begun";
  std::ofstream(own + "sh") << "if test -e " << begun << "1; then echo > " << begun
                            << "2; exec sleep 20; fi\necho > " << begun
                            << "1\n" WATCH_RERUN " bad sync\n";
  const Ran second = shell("rm -f " + begun +
                           "?; env LD_LIBRARY_PATH=" WATCH_STAND_IN " sh -c '" WATCH_RUN
                           " --cuda --rerun --quiet sh " +
                           own + "sh & until test -e " + begun +
                           "2; do sleep 0.05; done; kill -TERM $!; wait $!; echo status: $?'");
  EXPECT_THAT(second.out, HasSubstr("runs again"));
  EXPECT_THAT(second.out, HasSubstr("status: 143\n"));
  EXPECT_THAT(second.out, Not(HasSubstr("did not fault this time")));
}
// The first run fills the pipe, so that the line between the runs waits for the pipe's reader.
TEST_F(Rerun, ASignalBetweenTheRunsPreventsTheNext) {
  const std::string begun = own + "begun";
  std::ofstream(own + "sh") << "if test -e " << begun << "1; then echo > " << begun
                            << "2; exit 0; fi\necho > " << begun
                            << "1\n" WATCH_RERUN
                               " bad sync > /dev/null 2>&1\n"
                               "dd if=/dev/zero bs=65536 count=1 status=none >&2\n"
                               "(sleep 0.5; kill -TERM $PPID) > /dev/null 2>&1 &\n";
  const Ran ran =
      shell("rm -f " + begun +
            "?; { env LD_LIBRARY_PATH=" WATCH_STAND_IN " " WATCH_RUN " --cuda --rerun --quiet sh " +
            own + "sh; echo status: $? >> " + begun +
            "1; } 2>&1 | (sleep 1.5; cat > /dev/null); cat " + begun + "1; ls " + begun + "*");
  EXPECT_THAT(ran.out, HasSubstr("status: 143\n"));
  EXPECT_THAT(ran.out, Not(HasSubstr("begun2")));
}
// It faults during the second run. The folder is gone afterwards.
TEST_F(Rerun, AProcessMayOutliveTheFirstRun) {
  const std::string begun = own + "begun";
  std::ofstream(own + "sh") << "if test -e " << begun << "; then sleep 1; exec " WATCH_RERUN
                            << " bad sync; fi\necho > " << begun
                            << "\n(sleep 0.5; " WATCH_RERUN
                               " bad sync) > /dev/null 2>&1 &\n"
                               "exec " WATCH_RERUN " bad sync\n";
  shell("rm -rf '" + folder + "' && mkdir '" + folder + "'; rm -f " + begun);
  const Ran ran = shell("env LD_LIBRARY_PATH=" WATCH_STAND_IN " TMPDIR='" + folder +
                        "' " WATCH_RUN " --cuda --rerun --quiet sh " + own + "sh");
  EXPECT_THAT(ran.out, HasSubstr("warpsafe: Kernel 'demo::scatter' faulted"));
  EXPECT_EQ(shell("ls '" + folder + "' | grep '^warpsafe[.]'").out, "");
}
TEST_F(Rerun, ChildProcessesAreWatchedToo) {
  const std::string program = WATCH_RERUN;
  const Ran child =
      shell("env LD_LIBRARY_PATH=" WATCH_STAND_IN " " WATCH_RUN " --cuda --rerun --quiet sh -c '" +
            program + " good sync; " + program + " good bad other sync; exit 4'");
  EXPECT_EQ(WEXITSTATUS(child.status), 4);
  EXPECT_EQ(times(child.out, "faulted: "), 1U) << child.out;
  EXPECT_THAT(child.out, HasSubstr("launch 2 of this kernel, #2 of the process: grid=(1,1,1)"));
}
TEST_F(Rerun, ItIsNotForFaultsThatTheDriverStopsAt) {
  EXPECT_THAT(shell(WATCH_RUN " --rerun --stop-at-fault true").out, HasSubstr("leave out --rerun"));
}

}  // namespace
