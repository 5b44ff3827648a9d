// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// Tests warpsafe-run on a program that does not use warpsafe, over stand-ins for the driver and
// CUPTI.

#include "faults/make_core_dump.hpp"
#include "shell.hpp"

#include <cupti.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <algorithm>
#include <csignal>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

/// Runs the program with these arguments, under warpsafe-run with those options.
Ran watched(const std::string& options, const std::string& arguments,
            const std::string& variables = "") {
  return shell("env LD_LIBRARY_PATH=" WATCH_STAND_IN " " + variables + " " WATCH_RUN " --cuda " +
               options + " " WATCH_PROGRAM " " + arguments);
}
std::string file(const std::string& path) {
  std::ifstream in(path);
  return {std::istreambuf_iterator<char>(in), {}};
}

TEST(Run, AGoodProgramIsSummedUp) {
  const Ran ran = watched("", "good good sync");
  EXPECT_EQ(ran.status, 0);
  EXPECT_THAT(ran.out, HasSubstr("good: 0\ngood: 0\nsync: 0\n"));
  EXPECT_THAT(ran.out, HasSubstr("2 launches of 1 kernel, 0 refused, 0 faults of running work\n"
                                 "  launched: 'demo::axpy', 2 times\n"));
  EXPECT_THAT(ran.out, Not(HasSubstr("suspicion")));
}

TEST(Run, QuietSaysNothingOfAGoodProgram) {
  EXPECT_EQ(watched("--quiet", "good sync").out, "good: 0\nsync: 0\n");
}

TEST(Run, AMacroInTheEnvironmentIsSaid) {
  EXPECT_THAT(watched("--quiet", "good", "WARPSAFE_CHECKS=1").out,
              HasSubstr("warpsafe: WARPSAFE_CHECKS is set in the environment, where it has no "
                        "effect: it is a macro; compile with -DWARPSAFE_CHECKS=LEVEL\n"));
}

TEST(Run, ARefusedLaunchIsExplained) {
  const Ran ran = watched("--quiet", "grid_y");
  EXPECT_EQ(ran.status, 0);
  EXPECT_THAT(
      ran.out,
      HasSubstr(
          "warpsafe: Kernel 'demo::axpy' not launched: grid.y 70000 invalid (limit: 1..65535)"));
  EXPECT_THAT(ran.out,
              HasSubstr("\n  grid=(4,70000,1), block=(256,1,1), shared=0 bytes, stream 0x"));
  EXPECT_THAT(ran.out, HasSubstr("\n  the runtime's own answer: CUDA_ERROR_INVALID_VALUE (invalid "
                                 "argument)\n"));
  EXPECT_THAT(ran.out,
              HasSubstr("grid_y: 1\n"));  // the program sees the same error as without warpsafe-run
}

TEST(Run, TheKernelsOwnLimitsCount) {
  EXPECT_THAT(
      watched("--quiet", "bounds").out,
      HasSubstr("Kernel 'demo::bounded' not launched: block=(512,1,1) is 512 threads, limit "
                "256 (this kernel's launch bounds and registers on device 0 'NVIDIA H200')"));
  EXPECT_THAT(watched("--quiet", "shared").out,
              HasSubstr("Kernel 'demo::tile<float>' not launched: 16000 bytes of dynamic shared "
                        "memory, limit 9152 until the kernel's attribute is raised"));
}

TEST(Run, AStreamInTheSlotOfTheSharedMemory) {
  EXPECT_THAT(watched("--quiet", "stream_as_shared").out,
              HasSubstr("\n  that number is the handle of stream 0x"));
}

TEST(Run, AFaultNamesItsSuspectsOnce) {
  const Ran ran = watched("", "good sync good out_of_bounds sync good sync");
  EXPECT_THAT(ran.out,
              HasSubstr("warpsafe: Device synchronization failed: an illegal memory access "
                        "was encountered\n"));
  EXPECT_THAT(ran.out, HasSubstr("suspects: 2 launches of device 0 not known to have ended"));
  EXPECT_THAT(ran.out, HasSubstr("\n    #3 'demo::out_of_bounds'"));
  EXPECT_THAT(ran.out, HasSubstr("\n  run warpsafe-run --stop-at-fault to get the kernel, its line "
                                 "and thread, or --rerun to get the launch\n"));
  EXPECT_THAT(ran.out, HasSubstr("1 fault of running work"));
  EXPECT_THAT(ran.out, Not(HasSubstr("#1 'demo::axpy'")));
}

TEST(Run, SyncTellsWhichOneItWas) {
  const Ran ran = watched("--quiet", "good out_of_bounds", "WARPSAFE_SYNC=all");
  EXPECT_THAT(ran.out,
              HasSubstr("Device synchronization failed after kernel 'demo::out_of_bounds'"));
}

// The driver writes a core dump and ends the program.
TEST(Run, TheProgramStopsAtItsFirstFault) {
  const std::string dump = testing::TempDir() + "watch_core_dump";
  std::ofstream(dump, std::ios::binary) << core_dump::make({.lanes = {{12, 6}}});
  const std::string folder = testing::TempDir() + "watch_core_dumps";
  shell("rm -rf '" + folder + "' && mkdir '" + folder + "'");
  const std::string variables = "STAND_IN_CORE_DUMP=" + dump + " TMPDIR=" + folder;
  const Ran ran = watched("--stop-at-fault", "good out_of_bounds good sync good", variables);
  EXPECT_EQ(WEXITSTATUS(ran.status), 128 + SIGABRT);
  EXPECT_THAT(ran.out, testing::StartsWith("good: 0\nout_of_bounds: 0\ngood: 0\n"));
  EXPECT_THAT(ran.out, Not(HasSubstr("sync: ")));
  EXPECT_THAT(ran.out, HasSubstr("warpsafe: Kernel 'demo::out_of_bounds' faulted: misaligned "
                                 "address, at /src/faults.cu:42\n"
                                 "  thread (44,0,0) of block (2,0,0)\n"
                                 "  grid=(16,1,1), block=(128,1,1)\n"
                                 "  instruction at byte 304 of the kernel\n"
                                 "  in process "));
  EXPECT_EQ(watched("--stop-at-fault", "good sync", variables).out, "good: 0\nsync: 0\n");
  EXPECT_EQ(shell("ls '" + folder + "'").out, "");
  // The program keeps its children, its status and what its parent waits for.
  EXPECT_EQ(
      shell("env TMPDIR=" + folder + " " WATCH_RUN " --stop-at-fault sh -c 'wait; exit 7'").status,
      7 << 8);
}
TEST(Run, AnUnreadableCoreDumpIsSaidSo) {
  const std::string dump = testing::TempDir() + "watch_half_core_dump";
  std::ofstream(dump, std::ios::binary) << core_dump::make({.lanes = {{12, 6}}}).substr(0, 3000);
  EXPECT_THAT(watched("--stop-at-fault", "out_of_bounds sync", "STAND_IN_CORE_DUMP=" + dump).out,
              HasSubstr("warpsafe: A kernel was stopped by a fault on the device: fault\n  the "
                        "driver's core dump of process "));
}
/// Runs `program` under --stop-at-fault, with its folder in an empty one, which is the shell's too.
Ran stopped_at_fault(const std::string& program, const std::string& before = "") {
  const std::string folder = testing::TempDir() + "watch_stop";
  const Ran ran =
      shell("{ rm -rf '" + folder + "'; mkdir '" + folder + "'; cd '" + folder +
            "'; export TMPDIR=.; " + before + " " WATCH_RUN " --stop-at-fault " + program + "; }");
  EXPECT_EQ(shell("cd '" + folder + "'; find . -name 'warpsafe.*'").out, "");
  return ran;
}
TEST(Run, ASignalToTheGroupDoesNotKeepTheFolder) {
  for (const std::string signal : {"USR1", "TERM", "KILL"}) {
    SCOPED_TRACE(signal);
    stopped_at_fault("sh -c 'trap : USR1; sleep 0.3; kill -" + signal + " 0'", "setsid -w");
  }
}
// Otherwise whoever waits for the end of a pipe waits for the end of the program.
TEST(Run, AFileThatTheProgramClosesIsClosed) {
  EXPECT_EQ(stopped_at_fault("sh -c 'exec 3>&-; read line < go' 3> closed & "
                             "timeout 5 cat closed; echo closed: $?; echo > go; wait",
                             "mkfifo closed go;")
                .out,
            "closed: 0\n");
}
TEST(Run, TheFolderStaysWhileAThreadRuns) {
  std::ofstream(testing::TempDir() + "watch_threads.py")
      << "import ctypes, os, threading, time\n"
         "folder = os.path.dirname(os.environ['CUDA_COREDUMP_FILE'])\n"
         "def late():\n"
         "    time.sleep(0.5)\n"
         "    os._exit(40 + os.path.isdir(folder))\n"
         "threading.Thread(target=late).start()\n"
         "ctypes.CDLL(None).pthread_exit(None)\n";
  const std::string program = WATCH_PYTHON " " + testing::TempDir() + "watch_threads.py";
  EXPECT_EQ(WEXITSTATUS(stopped_at_fault(program).status), 41);
}
TEST(Run, StopAtFaultSaysWhereItCannotReport) {
  EXPECT_THAT(stopped_at_fault("true", "mkdir 50%p; TMPDIR=50%p").out, HasSubstr("without %"));
  const std::string as_first = "unshare --user --map-root-user --pid --fork";
  if (shell(as_first + " true").status == 0) {
    EXPECT_THAT(stopped_at_fault("true", as_first).out, HasSubstr("docker run --init"));
  }
}
TEST(Run, StopAtFaultWatchesNothingElse) {
  EXPECT_THAT(watched("--stop-at-fault --races", "good").out, HasSubstr("leave out --races"));
  EXPECT_THAT(watched("--journal /tmp/j --stop-at-fault", "good").out,
              HasSubstr("leave out --journal"));
  EXPECT_THAT(watched("--stop-at-fault", "good", "TMPDIR=/none/there").out,
              HasSubstr("set TMPDIR"));
  EXPECT_THAT(watched("--stop-at-fault", "good", "CUDA_ENABLE_COREDUMP_ON_EXCEPTION=1").out,
              HasSubstr("unset this variable"));
}

// To watch each launch costs a training step more than its records.
TEST(Run, RanksAloneWatchNoLaunches) {
  const auto run = [](const std::string& options) {
    return shell(WATCH_RUN " --ranks /tmp/r " + options +
                 " sh -c 'echo [$CUDA_INJECTION64_PATH] $LD_PRELOAD'")
        .out;
  };
  EXPECT_THAT(run("--quiet"), testing::MatchesRegex("\\[\\] .*libwarpsafe_ranks_nccl.so.*"));
  EXPECT_THAT(run("--checksums"), testing::MatchesRegex("\\[\\] .*libwarpsafe_ranks_nccl.so.*"));
  EXPECT_THAT(run("--cuda"), HasSubstr("libwarpsafe_watch_cuda.so] "));
  EXPECT_THAT(run("--timeout 5"), HasSubstr("libwarpsafe_watch_cuda.so] "));
}

TEST(Run, ChecksumsNeedRanks) {
  EXPECT_THAT(shell(WATCH_RUN " --checksums true").out,
              HasSubstr("--checksums needs --ranks FOLDER"));
  EXPECT_EQ(
      shell(WATCH_RUN " --ranks /tmp/r --checksums sh -c 'echo $WARPSAFE_RANKS_CHECKSUMS'").out,
      "1\n");
}

TEST(Run, AProgramMayLaunchWhileItExits) {
  const std::string path = testing::TempDir() + "watch_exit.json";
  for (int i = 0; i < 3; ++i) {
    const Ran ran = watched("--timeline " + path, "good launch_at_exit");
    EXPECT_EQ(ran.status, 0);
    EXPECT_THAT(ran.out, HasSubstr("launch_at_exit: 0\n"));
    EXPECT_THAT(ran.out, HasSubstr(" 0 refused"));
  }
}

TEST(Run, TheEnvironmentIsReadAtTheStart) {
  const std::string path = testing::TempDir() + "watch_environment.json";
  const Ran ran = watched("--timeline " + path, "clear_environment good out_of_bounds sync",
                          "WARPSAFE_SYNC=out_of_bounds");
  EXPECT_EQ(ran.status, 0);
  EXPECT_THAT(ran.out,
              HasSubstr("Device synchronization failed after kernel 'demo::out_of_bounds'"));
  EXPECT_THAT(file(path), HasSubstr("demo::axpy"));
}

TEST(Run, ALongWaitSaysWhatIsInFlight) {
  const Ran ran = watched("--quiet --timeout 0.1", "good wait", "STAND_IN_SLOW=400");
  EXPECT_THAT(ran.out, HasSubstr("warpsafe: a wait has lasted 0.1 s (WARPSAFE_TIMEOUT): "
                                 "cuStreamSynchronize of stream 0x"));
  EXPECT_THAT(ran.out, HasSubstr("\n    #1 'demo::axpy'"));
  EXPECT_THAT(ran.out, HasSubstr("warpsafe: that wait has ended after 4"));
}

TEST(Run, ALibraryOnAnotherStreamThanItsDataIsSuspected) {
  const Ran ran = watched("", "library sync");
  EXPECT_EQ(ran.status, 0);
  EXPECT_THAT(ran.out, HasSubstr("  suspicion: nothing orders cuMemsetD32Async of 4096 bytes on "
                                 "stream 0x"));
  EXPECT_THAT(ran.out,
              HasSubstr(" before 'demo::tile<float>' of libcublas on the legacy default stream: "
                        "the first operation writes memory that is passed to the second; record "
                        "an event after the first operation and make the stream of the second "
                        "wait for it, or set the libcublas handle to the stream of the first\n"));
  EXPECT_THAT(watched("--quiet", "library sync").out, Not(HasSubstr("suspicion")));
}

TEST(Run, ASuspicionSaysWhoseCallsTheyAre) {
  const Ran ran = watched("", "library_fills sync");
  EXPECT_THAT(ran.out,
              HasSubstr("set the libcublas handle to the stream of the first; a later call like "
                        "the first comes from stand_in_fill of libcublas.so.13\n"));
  EXPECT_THAT(ran.out, HasSubstr("the second operation writes memory that is passed to the first"));
  EXPECT_THAT(ran.out, HasSubstr("; the second comes from stand_in_fill of libcublas.so.13\n"));
}

TEST(Run, ALibraryThatWaitsForItsDataIsNot) {
  const Ran ran = watched("", "library_waits sync");
  EXPECT_THAT(ran.out, HasSubstr("1 launch of 1 kernel,"));
  EXPECT_THAT(ran.out, Not(HasSubstr("suspicion")));
  EXPECT_THAT(watched("", "library_own sync").out, Not(HasSubstr("suspicion")));
  EXPECT_THAT(watched("", "fill_other sync").out, Not(HasSubstr("suspicion")));
}

TEST(Run, TheLegacyStreamAndElementsTakenForBytesAreSuspected) {
  EXPECT_THAT(watched("", "good library_waits sync").out,
              HasSubstr("suspicion: 1 launch on the legacy default stream while other streams "
                        "were in use, first 'demo::tile<float>'"));
  EXPECT_THAT(watched("", "good elements_as_bytes").out,
              HasSubstr("suspicion: 1 allocation of which only the first 1/4 was ever copied "
                        "(1024 of 4096 bytes): was a number of elements passed as bytes?"));
}

// cuMemcpyHtoDAsync of ordinary memory returns when the host may change it.
TEST(Run, ACopyOfOrdinaryMemoryOrdersTheHostsMemoryOnly) {
  EXPECT_THAT(
      watched("", "library_copies sync").out,
      HasSubstr("  suspicion: nothing orders cuMemcpyHtoDAsync of 4096 bytes on stream 0x"));
  EXPECT_THAT(watched("", "library_copies_waits sync").out, Not(HasSubstr("suspicion: nothing")));
}

TEST(Run, AFillOfTheWholeMemoryIsSuspectedBesideAnyKernelThatReceivesIt) {
  EXPECT_THAT(watched("--races", "fill_swapped").out,
              AllOf(HasSubstr("nothing orders cuMemsetD32Async of 4096 bytes on stream 0x"),
                    HasSubstr(" before 'demo::swap' on the legacy default stream: the first "
                              "operation writes memory that is passed to the second")));
  EXPECT_THAT(watched("--races", "fill_part_swapped").out, Not(HasSubstr("nothing orders")));
  EXPECT_THAT(watched("", "fill_swapped").out, Not(HasSubstr("nothing orders")));
}

TEST(Run, MemoryOfAPoolThatIsUsedAfterItsFreeIsSuspected) {
  EXPECT_THAT(watched("", "freed_in_order").out,
              AllOf(HasSubstr("freed_in_order: 0\n"),
                    HasSubstr("suspicion: cuMemcpyDtoHAsync of 4096 bytes on stream 0x"),
                    HasSubstr(" uses memory of 4096 bytes that cuMemFreeAsync freed before")));
  EXPECT_THAT(watched("", "freed_after_use").out, Not(HasSubstr("suspicion")));
}

TEST(Run, AResultThatNothingWaitsForIsSuspected) {
  EXPECT_THAT(
      watched("", "unawaited").out,
      AllOf(HasSubstr("unawaited: 0\n"),
            HasSubstr("suspicion: the program never waits for cuMemcpyDtoHAsync of 1024 bytes "
                      "on stream 0x"),
            HasSubstr(" to pinned host memory, and frees that memory")));
  EXPECT_THAT(watched("", "awaited").out, Not(HasSubstr("suspicion")));
  // A program that crashes had no time to wait.
  EXPECT_THAT(watched("", "good unawaited left crash").out,
              AllOf(HasSubstr("and frees that memory"), Not(HasSubstr("and ends"))));
  EXPECT_THAT(watched("", "left").out, HasSubstr("to pinned host memory, and ends"));
}

TEST(Run, AFillOfRowsOrdersItsStreamAlone) {
  EXPECT_THAT(watched("", "library_copies_rows").out, HasSubstr("nothing orders"));
  EXPECT_THAT(watched("", "library_copies_rows_here").out, Not(HasSubstr("nothing orders")));
}
TEST(Run, AGraphsOwnMemoryIsNotFreed) {
  for (const std::string one : {"graph_memory", "graph_memory_freed_late"}) {
    EXPECT_THAT(watched("", one).out, AllOf(HasSubstr(one + ": 0\n"), Not(HasSubstr("suspicion"))));
  }
}
TEST(Run, TheEndOfMemoryIsNotTheFreedMemoryBehindIt) {
  EXPECT_THAT(watched("", "graph_end_pointer").out,
              AllOf(HasSubstr("graph_end_pointer: 0\n"), Not(HasSubstr("suspicion"))));
  // The graph does not use the memory that ends there.
  EXPECT_THAT(watched("", "graph_freed_pointer").out,
              HasSubstr("in it is device memory 0x7f0000000200 of 512 bytes"));
}
TEST(Run, AnAddressThatTheHostHasAgainIsNoFreedMemory) {
  EXPECT_THAT(watched("", "graph_host_again").out,
              AllOf(HasSubstr("graph_host_again: 0\n"), Not(HasSubstr("suspicion"))));
  EXPECT_THAT(watched("", "graph_host_gone").out,
              AllOf(HasSubstr("graph_host_gone: 0\n"), HasSubstr("in it is pinned host memory")));
}
TEST(Run, ANodeThatIsOffUsesNoMemory) {
  EXPECT_THAT(watched("", "graph_node_off").out,
              AllOf(HasSubstr("graph_node_off: 0\n"), Not(HasSubstr("suspicion"))));
}
TEST(Run, TheHostMayLearnOfACopyWithoutAWait) {
  for (const std::string one : {"told_by_graph", "told_by_graph_kernel", "told_by_kernel",
                                "told_by_kernel_often", "told_by_kernel_late", "told_by_stream"}) {
    EXPECT_THAT(watched("", one).out, AllOf(HasSubstr(one + ": 0\n"), Not(HasSubstr("suspicion"))));
  }
  for (const std::string one : {"not_told_by_graph", "not_told_by_kernel"}) {
    EXPECT_THAT(watched("", one).out,
                AllOf(HasSubstr(one + ": 0\n"), HasSubstr("never waits for cuMemcpyDtoHAsync")));
  }
}
TEST(Run, TheEndOfAKernelsMemoryIsNotTheMemoryBehindIt) {
  EXPECT_THAT(watched("--races", "fill_behind").out,
              AllOf(HasSubstr("fill_behind: 0\n"), Not(HasSubstr("suspicion"))));
  EXPECT_THAT(watched("--races", "fill_received").out, HasSubstr("suspicion: nothing orders"));
}
TEST(Run, AWordInPinnedMemoryMayTellTheHost) {
  EXPECT_THAT(watched("--races", "fill_after_flag").out,
              AllOf(HasSubstr("fill_after_flag: 0\n"), Not(HasSubstr("suspicion"))));
  EXPECT_THAT(watched("--races", "fill_without_flag").out, HasSubstr("suspicion: nothing orders"));
  EXPECT_THAT(watched("--races", "fill_after_graph").out,
              AllOf(HasSubstr("fill_after_graph: 0\n"), Not(HasSubstr("suspicion"))));
  EXPECT_THAT(watched("--races", "fill_beside_graph").out, HasSubstr("suspicion: nothing orders"));
}
TEST(Run, MemoryOfAPoolThatAnotherThreadFreesIsNotSuspected) {
  EXPECT_THAT(watched("", "pool_threads").out,
              AllOf(HasSubstr("pool_threads: 0\n"), Not(HasSubstr("suspicion"))));
}

TEST(Run, APoolIsNoSuspicion) {
  EXPECT_THAT(watched("", "good parts").out, Not(HasSubstr("suspicion")));
  EXPECT_THAT(watched("", "good pool").out, Not(HasSubstr("suspicion")));
}

TEST(Run, OneKindOfRefusalIsToldTenTimes) {
  const Ran ran = watched("", "many");
  std::size_t reported = 0;
  for (std::size_t at = 0; (at = ran.out.find("not launched", at)) != std::string::npos; ++at)
    ++reported;
  EXPECT_EQ(reported, 10U);
  EXPECT_THAT(ran.out, HasSubstr("further refusals of this kind are only counted"));
  EXPECT_THAT(ran.out,
              HasSubstr("refused: 'demo::axpy', 100 of 100 launches: a grid axis is over"));
}

TEST(Run, OneKernelAlone) {
  const Ran ran = watched("--quiet --kernel bounded", "grid_y bounds");
  EXPECT_THAT(ran.out, HasSubstr("'demo::bounded' not launched"));
  EXPECT_THAT(ran.out, Not(HasSubstr("'demo::axpy'")));
}

TEST(Run, StopsAtTheFirstError) {
  const Ran ran = watched("--stop-on-error", "good grid_y good");
  EXPECT_EQ(WEXITSTATUS(ran.status), 99);
  EXPECT_THAT(ran.out, HasSubstr("stopped at the first error (--stop-on-error)"));
  EXPECT_THAT(ran.out, HasSubstr("2 launches of 1 kernel, 1 refused"));
  EXPECT_THAT(ran.out, Not(HasSubstr("grid_y:")));
}

TEST(Run, StopsWhileAThreadReads) {
  const Ran ran = shell("sleep 3 | timeout 2 env LD_LIBRARY_PATH=" WATCH_STAND_IN " " WATCH_RUN
                        " --cuda --stop-on-error " WATCH_PROGRAM " read grid_y; echo status: $?");
  EXPECT_THAT(ran.out, HasSubstr("status: 99\n"));
}

TEST(Run, StopsOnceAndCompletely) {
  for (int i = 0; i < 20; ++i) {
    const Ran ran = watched("--stop-on-error", "good threads_refused");
    EXPECT_EQ(WEXITSTATUS(ran.status), 99);
    EXPECT_THAT(ran.out, testing::ContainsRegex("warpsafe: process [0-9]+: .*\n  refused:"));
    const std::size_t first = ran.out.find("stopped at the first error");
    EXPECT_EQ(ran.out.find("stopped at the first error", first + 1), std::string::npos);
  }
}

TEST(Run, TheJournalIsOnDiskAfterACrash) {
  const std::string path = testing::TempDir() + "watch_crash.jsonl";
  const Ran ran = watched("--journal " + path, "good grid_y crash");
  EXPECT_NE(ran.status, 0);
  const std::string journal = file(path);
  EXPECT_THAT(journal, HasSubstr("\"name\":\"NVIDIA H200\""));
  EXPECT_THAT(journal, HasSubstr("\"launch\":1,\"kernel\":\"demo::axpy\""));
  EXPECT_THAT(journal, HasSubstr("\"state\":\"refused\""));
  EXPECT_THAT(journal, HasSubstr("\"error\":\"a grid axis is over its limit\""));
}

TEST(Run, WhatTheProgramPutsInPlaceOfOurDescriptorsIsItsOwn) {
  const std::string path = testing::TempDir() + "watch_reuse.jsonl";
  const std::string data = testing::TempDir() + "watch_reuse.data";
  const Ran ran =
      watched("--journal " + path, "good reuse_descriptors grid_y", "WATCH_DATA=" + data);
  EXPECT_EQ(ran.status, 0);
  EXPECT_THAT(ran.out, HasSubstr("reuse_descriptors: 2\ngrid_y: 1\n"));
  EXPECT_EQ(file(data), "");
  EXPECT_THAT(file(path), HasSubstr("\"state\":\"refused\""));
}

/// Runs `command` with standard error in a pipe to `reader`, and standard output in ours. Its
/// status comes last.
Ran with_reader(const std::string& command, const std::string& reader) {
  return shell("{ { " + command + "; echo \"status: $?\" >&3; } 2>&1 >&3 | " + reader + "; } 3>&1");
}
std::string command_of(const std::string& arguments) {
  return "env LD_LIBRARY_PATH=" WATCH_STAND_IN " " WATCH_RUN " --cuda " WATCH_PROGRAM " " +
         arguments;
}

TEST(Run, AReaderThatEndsDoesNotEndTheProgram) {
  EXPECT_EQ(with_reader(command_of("good pause grid_y"), "true").out,
            "good: 0\npause: 0\ngrid_y: 1\nstatus: 0\n");
}

TEST(Run, AReaderThatNeverReadsDoesNotHoldTheProgram) {
  EXPECT_EQ(
      with_reader("timeout 2 " + command_of("timer fill_stderr grid_y grid_y"), "sleep 3").out,
      "timer: 0\nfill_stderr: 0\ngrid_y: 1\ngrid_y: 1\nstatus: 0\n");
}

TEST(Run, AFullDiskIsSaidAndDoesNotEndTheProgram) {
  const Ran full = watched("--journal /dev/full", "good grid_y");
  EXPECT_EQ(full.status, 0);
  EXPECT_THAT(full.out, HasSubstr("the journal /dev/full is incomplete: No space left on device"));
  const std::string path = testing::TempDir() + "watch_limit.jsonl";
  const Ran limited =
      shell("ulimit -f 1; env LD_LIBRARY_PATH=" WATCH_STAND_IN " " WATCH_RUN " --cuda --journal " +
            path + " " WATCH_PROGRAM " many good");
  EXPECT_EQ(limited.status, 0);
  EXPECT_THAT(limited.out, HasSubstr("good: 0\n"));
  EXPECT_THAT(limited.out, HasSubstr("is incomplete: File too large"));
}

TEST(Run, TheProgramKeepsItsErrnoAndItsCancellationPoints) {
  const std::string path = testing::TempDir() + "watch_cancel.jsonl";
  EXPECT_THAT(watched("", "errno").out, HasSubstr("errno: 4321\n"));
  EXPECT_THAT(watched("--journal " + path, "good cancel good").out,
              HasSubstr("cancel: 1\ngood: 0\n"));
}

TEST(Run, AProgramThatRunsLongDoesNotGrow) {
  EXPECT_THAT(watched("", "good grow").out, testing::ContainsRegex("grow: [01]\n"));
}

// Threads and fibres of some programs have 16 KiB of stack, which the runtime needs as well.
TEST(Run, ALaunchNeedsLittleStack) {
  const std::vector<std::string> whats = {"stack_good",    "library",         "stack_memory",
                                          "stack_new",     "stack_long_name", "stack_good",
                                          "stack_refused", "out_of_bounds",   "stack_fault"};
  std::string all;
  for (const std::string& what : whats) all += what + ' ';
  const std::string path = testing::TempDir() + "watch_stack.jsonl";
  const auto numbers = [](const std::string& out) {
    std::vector<int> found;
    for (std::size_t at = 0; (at = out.find("stack_", at)) != std::string::npos; ++at) {
      at = out.find(": ", at) + 2;
      found.push_back(std::stoi(out.substr(at)));
    }
    return found;
  };
  const std::vector<int> alone =
      numbers(shell("env LD_LIBRARY_PATH=" WATCH_STAND_IN " " WATCH_PROGRAM " " + all).out);
  ASSERT_EQ(alone.size(), 7U);
  for (const std::string options : {"", "--quiet", "--log debug"}) {
    SCOPED_TRACE(options);
    const std::vector<int> used = numbers(watched("--journal " + path + " " + options, all).out);
    ASSERT_EQ(used.size(), alone.size());
    for (std::size_t i = 0; i < used.size(); ++i) EXPECT_LT(used[i], alone[i] + 6000) << i;
  }
}

TEST(Run, OurThreadTakesNoSignalOfTheProgram) {
  EXPECT_THAT(watched("--timeout 10", "good signal").out, HasSubstr("signal: 0\n"));
}

TEST(Run, AKernelThatIsNeverLaunchedIsSaid) {
  const std::string said =
      "warpsafe: --kernel axpi selected no launch: no kernel of that name was launched; the most "
      "similar is 'axpy'\n";
  EXPECT_EQ(watched("--quiet --kernel axpi", "good").out, "good: 0\n" + said);
  EXPECT_THAT(watched("--kernel axpi", "good").out, HasSubstr(said));
  EXPECT_EQ(watched("--quiet --kernel axpy", "good").out, "good: 0\n");
}

TEST(Run, ATimelineAtTheEnd) {
  const std::string path = testing::TempDir() + "watch_timeline.json";
  EXPECT_EQ(watched("--timeline " + path, "good sync").status, 0);
  EXPECT_THAT(file(path), HasSubstr("demo::axpy"));
}

TEST(Run, TheLogShowsEachLaunch) {
  EXPECT_THAT(
      watched("--quiet --log debug", "good").out,
      HasSubstr("Launch: kernel=demo::axpy, grid=(4,1,1), block=(256,1,1), shared=0 bytes"));
}

TEST(Run, AChildOfAForkSaysNothing) {
  const Ran ran = watched("", "good fork sync");
  EXPECT_THAT(ran.out, HasSubstr("fork: 0\n"));
  const std::size_t first = ran.out.find("warpsafe: process");
  ASSERT_NE(first, std::string::npos);
  EXPECT_EQ(ran.out.find("warpsafe: process", first + 1), std::string::npos);
}

TEST(Run, AChildOfAForkThatLaunchesIsToldWhy) {
  const Ran ran = watched("--quiet", "good fork_launch good");
  EXPECT_EQ(
      ran.out,
      "good: 0\nwarpsafe: this process was forked after its parent used the GPU, so it cannot "
      "use the GPU and is not watched; start workers by exec (Python: "
      "multiprocessing.set_start_method('spawn'))\nfork_launch: 6\ngood: 0\n");
}

TEST(Run, AChildOfAForkWritesNothingIntoItsParentsJournal) {
  const std::string path = testing::TempDir() + "watch_fork.jsonl";
  EXPECT_EQ(watched("--quiet --journal " + path, "good fork_launch good").status, 0);
  const std::string journal = file(path);
  EXPECT_THAT(journal, HasSubstr("\"launch\":2"));
  EXPECT_THAT(journal, Not(HasSubstr("refused")));
}

// Another thread may hold a lock of the watch at the fork.
TEST(Run, AChildOfAForkNeverWaitsForItsParentsLocks) {
  EXPECT_THAT(watched("", "fork_busy").out, HasSubstr("fork_busy: 0\n"));
}

// A program that ignores an error must run on under warpsafe-run.
TEST(Run, AFunctionThatIsNoKernelDoesNotEndTheProgram) {
  for (const char* const mode : {"text_as_function", "wild_name", "endless_name", "binary_name",
                                 "host_function", "null_function"}) {
    SCOPED_TRACE(mode);
    const Ran ran = watched("", std::string("good ") + mode + " good");
    EXPECT_EQ(ran.status, 0);
    EXPECT_THAT(ran.out, HasSubstr(std::string(mode) + ": 400\ngood: 0\n"));
    EXPECT_THAT(ran.out, HasSubstr("3 launches of 2 kernels, 1 refused"));
    EXPECT_THAT(ran.out, Not(HasSubstr("\x1b")));
  }
}

TEST(Run, AFunctionThatIsNoKernelIsNamed) {
  const std::string exported = watched("--quiet", "host_function").out;
  EXPECT_THAT(exported, HasSubstr("Kernel 'plain_function' launch failed"));
  EXPECT_THAT(exported, HasSubstr("the runtime does not know this function as a kernel"));
  EXPECT_THAT(watched("--quiet", "text_as_function").out,
              HasSubstr("Kernel 'watch_driver_program+0x"));
}

// The driver reads none of it before it accepts or refuses the call.
TEST(Run, GarbageInALaunchDoesNotEndTheProgram) {
  const Ran ran =
      watched("", "garbage_parameters garbage_attributes garbage_node_function garbage_node good");
  EXPECT_EQ(ran.status, 0);
  EXPECT_THAT(ran.out, HasSubstr("garbage_parameters: 0\n"));
  EXPECT_THAT(ran.out, HasSubstr("garbage_attributes: 2\n"));
  EXPECT_THAT(ran.out, HasSubstr("garbage_node: 1\ngood: 0\n"));
}

TEST(Run, AGraphThatIsNullIsRefusedAsAGraph) {
  const Ran ran = watched("--quiet", "null_graph good");
  EXPECT_EQ(ran.status, 0);
  EXPECT_THAT(ran.out, HasSubstr("Kernel 'graph' launch failed: CUDA_ERROR_INVALID_VALUE"));
}

TEST(Run, TheDriversLogStandsBesideTheReason) {
  const std::string reason =
      "\n  the driver's log: Grid Dimension Y of 70000 exceeds maximum value of 65535\n";
  const std::string logged = watched("--quiet", "shared grid_y").out;
  EXPECT_THAT(logged, HasSubstr("(invalid argument)" + reason));
  // The first launch failed as well, and the driver gave no reason.
  EXPECT_EQ(logged.find("the driver's log"), logged.find(reason) + 3);
  EXPECT_THAT(logged, Not(HasSubstr("another thread")));
  EXPECT_THAT(watched("--quiet", "grid_y", "STAND_IN_NO_LOG=1").out,
              Not(HasSubstr("driver's log")));
}

TEST(Run, AChildThatIsNoCudaProgramRunsAsItDoes) {
  EXPECT_THAT(watched("--quiet", "exec").out, HasSubstr("from a child\nexec: 0\n"));
  const Ran ran = shell(WATCH_RUN " --cuda sh -c 'echo alone; exit 3'");
  EXPECT_EQ(ran.out, "alone\n");
  EXPECT_EQ(WEXITSTATUS(ran.status), 3);
}

TEST(Run, WhereCuptiHearsNothingTheProgramRuns) {
  const Ran ran = shell("env LD_LIBRARY_PATH=" WATCH_DRIVER_ALONE " " WATCH_RUN
                        " --cuda " WATCH_PROGRAM " good");
  EXPECT_EQ(ran.status, 0);
  EXPECT_THAT(ran.out, HasSubstr("good: 0\n"));
}

TEST(Run, CuptiIsTheProgramsThenTheNamedFiles) {
  const std::string named =
      shell("env LD_LIBRARY_PATH=" WATCH_DRIVER_ALONE " " WATCH_RUN
            " --cuda --cupti /none/libcupti.so.13 --cupti " WATCH_CUPTI " " WATCH_PROGRAM " good")
          .out;
  EXPECT_THAT(named, HasSubstr("1 launch of 1 kernel, 0 refused"));
  // The named file is no CUPTI, and would be used if the program had not loaded its own.
  const std::string loaded =
      shell("env LD_LIBRARY_PATH=" WATCH_STAND_IN " LD_PRELOAD=" WATCH_CUPTI " " WATCH_RUN
            " --cuda --cupti " WATCH_DRIVER " " WATCH_PROGRAM " good")
          .out;
  EXPECT_THAT(loaded, HasSubstr("1 launch of 1 kernel, 0 refused"));
}

TEST(Run, WhereCuptiServesAnotherToolThatIsSaid) {
  const Ran ran = watched("", "good", "STAND_IN_TAKEN='CUPTI for demo'");
  EXPECT_EQ(ran.status, 0);
  EXPECT_THAT(ran.out,
              HasSubstr("warpsafe: not watched: CUPTI returned "
                        "CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED; it serves only one "
                        "tool in a process: CUPTI for demo\n"));
  EXPECT_THAT(ran.out, HasSubstr("good: 0\n"));
  // A tool without a name, as CUPTI 13.0 reports it, and without any report.
  for (const char* nameless : {"STAND_IN_TAKEN='CUPTI for <not provided>'", "STAND_IN_TAKEN="}) {
    EXPECT_THAT(watched("", "good", nameless).out, HasSubstr("in a process: perhaps a profiler\n"));
  }
}

TEST(Run, SharesCuptiWhereItIsAskedTo) {
  const std::string seen = "1 launch of 1 kernel, 0 refused";
  const Ran shared = watched("--share-cupti", "good", "STAND_IN_SHARES=yes");
  EXPECT_THAT(shared.out, HasSubstr(seen));
  EXPECT_THAT(shared.out, HasSubstr("stand-in: CUPTI is shared\n"));
  EXPECT_THAT(shared.out, Not(HasSubstr("warpsafe: CUPTI")));
  // Shared, CUPTI refuses the activity calls that older profilers make, so this is not the default.
  EXPECT_THAT(watched("", "good", "STAND_IN_SHARES=yes").out, Not(HasSubstr("is shared")));
  // An older CUPTI, or an older driver.
  const Ran alone = watched("--share-cupti", "good");
  EXPECT_THAT(alone.out, HasSubstr(seen));
  EXPECT_THAT(alone.out, HasSubstr("warpsafe: CUPTI serves no other tool beside warpsafe-run: it "
                                   "returned CUPTI_ERROR_NOT_SUPPORTED; --share-cupti needs "
                                   "CUPTI 13.3 and driver 610, or newer ones\n"));
  EXPECT_THAT(watched("--share-cupti", "good", "STAND_IN_SHARES='old driver'").out,
              AllOf(HasSubstr(seen), HasSubstr("returned CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT")));
  // A tool that came first and shares needs no option; one that does not share is told.
  const Ran second = watched("", "good", "STAND_IN_SHARES=taken");
  EXPECT_THAT(second.out, HasSubstr(seen));
  EXPECT_THAT(second.out, Not(HasSubstr("not watched")));
  EXPECT_THAT(watched("--share-cupti", "good", "STAND_IN_TAKEN=demo").out,
              HasSubstr("not watched: CUPTI returned"));
}

TEST(Run, WhereCuptiDoesNotFitTheDriverThatIsSaid) {
  const Ran ran = watched("", "good", "STAND_IN_TOO_NEW=yes");
  EXPECT_THAT(ran.out,
              HasSubstr("warpsafe: not watched: CUPTI returned CUPTI_ERROR_NOT_COMPATIBLE; "
                        "if it is newer than the driver, name an older one"));
  EXPECT_THAT(ran.out, HasSubstr("good: 0\n"));
}

TEST(Run, TheProgramHasItsOwnVariables) {
  const std::string names = "options cuda hip here libraries found newline";
  std::string set;
  std::string printed;
  for (const char* name : {"options", "cuda", "hip", "here", "libraries", "found", "newline"}) {
    set += std::string(name) + "=mine ";
    printed += "mine\n";
  }
  EXPECT_EQ(shell("env " + set + WATCH_RUN " --cuda printenv " + names).out, printed);
}

TEST(Run, ItIsFoundThroughALinkAndWithCdpath) {
  const std::string link = testing::TempDir() + "warpsafe-run-link";
  EXPECT_EQ(shell("ln -sf " WATCH_RUN " " + link + "; " + link + " --cuda echo fine").out,
            "fine\n");
  EXPECT_EQ(shell("cd $(dirname " WATCH_RUN ")/..; export CDPATH=.:/tmp; run/warpsafe-run --cuda "
                  "echo fine")
                .out,
            "fine\n");
}

TEST(Run, TheProgramsStatusAndInputAreItsOwn) {
  const auto status = [](const std::string& program) {
    return shell(WATCH_RUN " --cuda -- " + program + " >/dev/null; exit $?").status;
  };
  EXPECT_EQ(WEXITSTATUS(status("sh -c 'exit 41'")), 41);
  EXPECT_EQ(WEXITSTATUS(status("sh -c 'kill -TERM $$'")), 128 + SIGTERM);
  EXPECT_EQ(WEXITSTATUS(status("/none/there")), 127);
  EXPECT_EQ(WEXITSTATUS(status("/etc/passwd")), 126);
  EXPECT_EQ(WEXITSTATUS(status("/tmp")), 126);
  EXPECT_EQ(shell("echo line | " WATCH_RUN " --cuda cat").out, "line\n");
  const std::string script = testing::TempDir() + "watch_no_interpreter";
  EXPECT_EQ(shell("echo 'echo script $1' > " + script + "; chmod +x " + script +
                  "; " WATCH_RUN " --cuda " + script + " 'a  b'")
                .out,
            "script a b\n");
}

TEST(Run, ItsOwnMistakesAreSaid) {
  for (const std::string wrong :
       {"--journal ''", "--kernel ''", "--timeout", "--kernel 'a\nquiet'", "''"}) {
    EXPECT_EQ(WEXITSTATUS(shell(WATCH_RUN " " + wrong + " true").status), 2) << wrong;
  }
  EXPECT_THAT(shell(WATCH_RUN " --journal '' true").out, HasSubstr("--journal needs a value"));
  EXPECT_EQ(WEXITSTATUS(shell(WATCH_RUN " --loud true").status), 2);
  EXPECT_THAT(shell(WATCH_RUN " --loud true").out, HasSubstr("unknown option --loud"));
  EXPECT_EQ(WEXITSTATUS(shell(WATCH_RUN).status), 2);
  EXPECT_THAT(shell(WATCH_RUN " --help").out, HasSubstr("usage: warpsafe-run"));
  const Ran full = shell("(" WATCH_RUN " --help >/dev/full)");
  EXPECT_EQ(WEXITSTATUS(full.status), 2);
  EXPECT_EQ(std::count(full.out.begin(), full.out.end(), '\n'), 1) << full.out;
}

}  // namespace
