// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// Tests what warpsafe-run prints when a program ends by a signal or by _exit, and that the program
// ends as it does alone.

#include "shell.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <pty.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstddef>
#include <cstdlib>
#include <string>

namespace {

using testing::AllOf;
using testing::ContainsRegex;
using testing::HasSubstr;
using testing::Not;

const std::string environment = "env LD_LIBRARY_PATH=" WATCH_STAND_IN " ";
/// Runs a command, and returns its standard output with its status; `said` is its standard error.
Ran run(const std::string& command, std::string& said) {
  const std::string path = testing::TempDir() + "watch_ends.txt";
  const Ran ran =
      shell(environment + R"(sh -c 'said=$1; shift; "$@" 2>"$said"; echo "status: $?"' sh )" +
            path + ' ' + command);
  said = shell("cat " + path).out;
  return ran;
}
Ran alone(const std::string& what) {
  std::string said;
  return run(WATCH_ENDS " " + what, said);
}
Ran watched(const std::string& what, std::string* said = nullptr, const std::string& options = "") {
  std::string text;
  const Ran ran = run(WATCH_RUN " --cuda " + options + " " WATCH_ENDS " " + what, text);
  if (said != nullptr) *said = text;
  return ran;
}

TEST(Ends, ASignalEndsTheProgramWithItsSummary) {
  struct Row {
    const char* what;
    const char* name;
    int signal;
  };
  for (const Row& row : {Row{"segv", "SIGSEGV", SIGSEGV}, Row{"abort", "SIGABRT", SIGABRT},
                         Row{"int", "SIGINT", SIGINT}, Row{"term", "SIGTERM", SIGTERM},
                         Row{"quit", "SIGQUIT", SIGQUIT}, Row{"sent_segv", "SIGSEGV", SIGSEGV},
                         Row{"other_thread", "SIGSEGV", SIGSEGV}}) {
    SCOPED_TRACE(row.what);
    std::string said;
    const std::string what = std::string("launch refused ") + row.what;
    const Ran ran = watched(what, &said);
    EXPECT_EQ(ran.out, alone(what).out);
    EXPECT_THAT(ran.out, HasSubstr("status: " + std::to_string(128 + row.signal)));
    EXPECT_THAT(said, ContainsRegex(std::string(": ") + row.name + " ends process [0-9]+\n  in "));
    EXPECT_THAT(said, testing::ContainsRegex("\n  in .*(ends.cpp:[0-9]|of watch_ends[+])"));
    EXPECT_THAT(said,
                HasSubstr("\n  in flight (not known to have ended), by stream, oldest first:"));
    EXPECT_THAT(said, HasSubstr("#1 'demo::axpy'"));
    EXPECT_THAT(said, HasSubstr(": 2 launches of 1 kernel, 1 refused, 0 faults of running work\n"));
  }
}

TEST(Ends, ExitWithoutHandlersHasASummaryToo) {
  for (const char* const what : {"launch _exit", "launch _Exit"}) {
    std::string said;
    EXPECT_EQ(watched(what, &said).out, alone(what).out);
    EXPECT_THAT(said, ContainsRegex(": _exit ends process [0-9]+\n  in "));
    EXPECT_THAT(said, HasSubstr(": 1 launch of 1 kernel, 0 refused"));
  }
}

TEST(Ends, TheSignalsPlaceIsTheProgramsLine) {
  std::string said;
  static_cast<void>(watched("launch segv", &said));
  if (shell("command -v addr2line || command -v llvm-addr2line").status != 0) GTEST_SKIP();
  EXPECT_THAT(said, HasSubstr("write_to_nothing at "));
  EXPECT_THAT(said, HasSubstr("ends.cpp:"));
}

TEST(Ends, ADestroyedHandleIsNamedWhereTheDriverCrashes) {
  const std::string likely = "\n  likely cause: the call uses ";
  std::string said;
  const auto crashes = [&](const std::string& what) {
    return run("env STAND_IN_CRASHES=yes " WATCH_RUN " --cuda " WATCH_ENDS " " + what, said);
  };
  EXPECT_THAT(crashes("launch stream launch destroyed launch").out, HasSubstr("status: 139"));
  EXPECT_THAT(said, ContainsRegex(likely + "stream 0x[0-9a-f]+, which cuStreamDestroy has "
                                           "destroyed in .*act"));
  static_cast<void>(crashes("launch event destroyed_event wait_event"));
  EXPECT_THAT(said,
              ContainsRegex(likely + "event 0x[0-9a-f]+, which cuEventDestroy has destroyed"));
  // The program's own fault, while it has destroyed handles.
  static_cast<void>(crashes("launch stream destroyed event destroyed_event segv"));
  EXPECT_THAT(said, HasSubstr("SIGSEGV"));
  EXPECT_THAT(said, Not(HasSubstr("likely cause")));
}

TEST(Ends, AHostThatAccessesDeviceMemoryIsToldSo) {
  std::string said;
  EXPECT_THAT(watched("reads_device", &said).out, HasSubstr("status: 139"));
  EXPECT_THAT(said, ContainsRegex(": SIGSEGV ends process [0-9]+\n  in .*act"));
  EXPECT_THAT(said, ContainsRegex("\n  likely cause: the host accessed device memory 0x[0-9a-f]+, "
                                  "8 bytes into an allocation of 4096 bytes, allocated by "
                                  "cuMemAlloc in .*act.*, which only the device can access: copy "
                                  "the data to the host first\n"));
}

TEST(Ends, CtrlCDuringAHangNamesTheWait) {
  const Ran ran = shell(environment + "STAND_IN_SLOW=20000 timeout -s INT 1 " WATCH_RUN
                                      " --cuda " WATCH_ENDS " launch wait");
  EXPECT_THAT(ran.out, ContainsRegex(": SIGINT ends process [0-9]+\n  in "));
  EXPECT_THAT(ran.out, HasSubstr("\n  the host waits: cuStreamSynchronize of stream 0x"));
  EXPECT_THAT(ran.out, HasSubstr("#1 'demo::axpy'"));
}

// The terminal's driver sends the signal, with another code than a process does.
TEST(Ends, CtrlCAtATerminalEndsTheProgram) {
  int terminal = -1;
  const pid_t child = ::forkpty(&terminal, nullptr, nullptr, nullptr);
  ASSERT_GE(child, 0);
  if (child == 0) {
    ::setenv("LD_LIBRARY_PATH", WATCH_STAND_IN, 1);
    ::setenv("STAND_IN_SLOW", "60000", 1);
    ::execl(WATCH_RUN, WATCH_RUN, "--cuda", WATCH_ENDS, "launch", "wait", nullptr);
    ::_exit(127);
  }
  std::string out;
  char part[4096];
  bool sent = false;
  ssize_t read = 0;
  while ((read = ::read(terminal, part, sizeof part)) > 0) {
    out.append(part, static_cast<std::size_t>(read));
    if (sent || out.find("launch: 0") == std::string::npos) continue;
    sent = ::write(terminal, "\x03", 1) == 1;
  }
  ::close(terminal);
  int status = 0;
  ::waitpid(child, &status, 0);
  EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGINT) << status << out;
  EXPECT_THAT(out, HasSubstr(": SIGINT ends process "));
}

TEST(Ends, TheProgramsOwnHandlersAreItsOwn) {
  for (const char* const what :
       {"launch own_int int", "launch own_returns term launch", "launch chain segv",
        "early launch term", "ignored launch int launch"}) {
    SCOPED_TRACE(what);
    EXPECT_EQ(watched(what).out, alone(what).out);
  }
  std::string said;
  EXPECT_THAT(watched("launch own_int int", &said).out, HasSubstr("own\nstatus: 9"));
  EXPECT_THAT(said, HasSubstr("_exit ends process "));
  EXPECT_THAT(watched("launch chain segv", &said).out, HasSubstr("mine\n"));
  EXPECT_THAT(said, HasSubstr("SIGSEGV ends process "));
  EXPECT_THAT(watched("ignored launch int launch", &said).out, HasSubstr("launch: 0\nstatus: 0"));
  EXPECT_THAT(said, Not(HasSubstr("ends process")));
}

TEST(Ends, ChildrenEndAsTheyDo) {
  std::string said;
  EXPECT_EQ(watched("launch children launch", &said).out, alone("launch children launch").out);
  EXPECT_THAT(said, Not(HasSubstr("ends process")));
  EXPECT_THAT(said, HasSubstr(": 2 launches of 1 kernel"));
  EXPECT_THAT(watched("sees_children").out, HasSubstr("sees_children: 0\n"));
}

// A signal may arrive while the thread holds the lock of malloc or of the watch.
TEST(Ends, ABusyProgramEnds) {
  for (int i = 0; i < 5; ++i) {
    std::string said;
    EXPECT_EQ(watched("busy_term", &said).out, alone("busy_term").out);
    EXPECT_THAT(said, HasSubstr("SIGTERM ends process "));
    EXPECT_EQ(watched("launch busy_threads segv").out, alone("launch busy_threads segv").out);
    EXPECT_EQ(watched("launch busy_threads _exit").out, alone("launch busy_threads _exit").out);
  }
}

// CUDA's own threads keep a process from its first use of the device on; the watch's may not.
TEST(Ends, TheLastThreadOfTheProgramEndsIt) {
  const Ran ran = shell(environment + "timeout 20 " WATCH_RUN " --cuda " WATCH_ENDS " main_leaves");
  EXPECT_EQ(ran.status, 0);
  EXPECT_THAT(ran.out, HasSubstr("watched, and it launched nothing"));
}

TEST(Ends, WithoutAnOutputTheProgramEnds) {
  for (const char* const what : {"launch close_stderr segv", "launch close_stderr _exit"}) {
    EXPECT_EQ(watched(what).out, alone(what).out);
  }
}

TEST(Ends, WithoutHandlersNothingIsSaid) {
  std::string said;
  EXPECT_EQ(watched("launch segv", &said, "--no-handlers").out, alone("launch segv").out);
  EXPECT_THAT(said, Not(HasSubstr("warpsafe")));
  EXPECT_EQ(watched("launch _exit", &said, "--no-handlers").out, alone("launch _exit").out);
  EXPECT_EQ(said, "");
}

TEST(Ends, AProgramThatLaunchesNothingIsToldSo) {
  std::string said;
  EXPECT_THAT(watched("", &said).out, HasSubstr("status: 0"));
  EXPECT_THAT(
      said, testing::MatchesRegex("warpsafe: process [0-9]+: watched, and it launched nothing\n"));
  static_cast<void>(watched("", &said, "--quiet"));
  EXPECT_EQ(said, "");
}

TEST(Ends, WithoutADriverOneLineSaysThatNothingIsWatched) {
  const std::string line =
      "warpsafe: nothing will be watched: no CUDA driver (libcuda.so.1) is here";
  // A loader that knows no driver, whatever this machine has.
  const std::string folder = testing::TempDir() + "watch_no_driver";
  shell("mkdir -p " + folder + "; printf '#!/bin/sh\\necho nothing\\n' > " + folder +
        "/ldconfig; chmod +x " + folder + "/ldconfig");
  const std::string path = "env PATH=" + folder + ":$PATH ";
  // The loader ends the program, because it finds no libcuda.so.1 either.
  const Ran ran = shell(path + WATCH_RUN " --cuda " WATCH_ENDS);
  EXPECT_THAT(ran.out, HasSubstr(line));
  EXPECT_EQ(shell(path + WATCH_RUN " --cuda sh -c 'echo alone'").out, "alone\n");
  EXPECT_THAT(
      shell(path + "LD_LIBRARY_PATH=" WATCH_STAND_IN " " WATCH_RUN " --cuda " WATCH_ENDS).out,
      Not(HasSubstr(line)));
}

TEST(Ends, WhatCannotBeWrittenDoesNotKeepTheProgramFromRunning) {
  // Neither a driver nor python3.
  const std::string folder = testing::TempDir() + "watch_full_disk";
  shell("rm -rf " + folder + "; mkdir " + folder + "; printf '#!/bin/sh\\n' > " + folder +
        "/ldconfig; chmod +x " + folder +
        "/ldconfig; for tool in env sh readlink dirname; do ln -s $(command -v $tool) " + folder +
        "/$tool; done");
  const std::string command = "env PATH=" + folder +
                              " CUDA_INJECTION64_PATH=/none " WATCH_RUN " --cuda --report " +
                              folder + "/page.html " WATCH_PYTHON " -c 'exit(7)'";
  EXPECT_THAT(shell(command).out, AllOf(HasSubstr("nothing will be watched"),
                                        HasSubstr("is replaced"), HasSubstr("does not run here")));
  for (const std::string to : {"2>/dev/full", "2>&-"}) {
    EXPECT_EQ(WEXITSTATUS(shell("{ " + command + " " + to + "; }").status), 7) << to;
    EXPECT_EQ(WEXITSTATUS(shell("{ " WATCH_RUN " --loud true " + to + "; }").status), 2) << to;
  }
}

}  // namespace
