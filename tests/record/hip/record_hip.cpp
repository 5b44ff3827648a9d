// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// Asks HIP's runtime a fixed list of questions and writes a line for each. A test compares the
// stand-in with these answers of AMD's own runtime. A line is
//
//   <question>: <status>, <more>...
//
// with no address in it. Each question has a process of its own, because some end it: the line then
// ends with the signal, or says that the call did not return. "last" is hipGetLastError after the
// call, "then" a second one. A packet has threads and work-group as the device receives them, and
// the bytes of the group segment. Nothing of warpsafe is used here. To build and run it, with
// libhsa-runtime64.so.1 of a software agent in FOLDER or on a device:
//
//   hipcc -std=c++20 --offload-arch=gfx90a -I tests/stand_in/include
//   tests/record/hip/record_hip.cpp -o record_hip -ldl hipcc -std=c++20 --offload-arch=gfx90a -I
//   tests/stand_in/include --genco tests/record/hip/record_hip.cpp -o record_hip.hsaco
//   LD_LIBRARY_PATH=FOLDER ./record_hip FILE "the package's name and version"
#include "capture_calls.hpp"
#include "captures.hpp"
#include "devices.hpp"
#include "events.hpp"
#include "functions.hpp"
#include "graphs.hpp"
#include "last_error.hpp"
#include "launches.hpp"
#include "memory.hpp"
#include "modules.hpp"
#include "streams.hpp"

#include <sys/wait.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <span>
#include <string>

namespace record {
namespace {

struct Section {
  const char* name;
  std::span<const Question> questions;
};

const Section sections[] = {
    {"devices", devices},
    {"sizes of launches", sizes},
    {"forms of launches", forms},
    {"cooperative launches", cooperatives},
    {"modules", modules},
    {"functions", functions},
    {"calls during a capture", calls_during_a_capture},
    {"captures", captures},
    {"graphs", graphs},
    {"streams", streams},
    {"a destroyed stream", dead_streams},
    {"an invalid stream", invalid_streams},
    {"events", events},
    {"allocations", allocations},
    {"copies", copies},
    {"last error", last_error},
    {"error table", error_table},
};

constexpr unsigned limit = 20;  // seconds for a question

const char* asked = "";

/// Ends the line of a call that did not come back, and the process.
void stop(int signal) {
  say(signal == SIGALRM ? "does not return"
                        : "ends the process, SIG" + std::string(sigabbrev_np(signal)));
  end_line(asked);
  _exit(0);
}

int answer(const Question& question) {
  asked = question.name;
  arrange(std::strstr(question.name, "gfx908") != nullptr);
  for (const int signal : {SIGSEGV, SIGABRT, SIGALRM, SIGFPE, SIGBUS, SIGILL}) {
    std::signal(signal, stop);
  }
  alarm(limit);
  if (hipMalloc(&memory, 1 << 20) != hipSuccess) {
    std::fprintf(stderr, "no device memory\n");
    return 1;
  }
  question.ask();
  if (!text.empty()) end_line(question.name);
  std::fflush(stdout);
  _exit(0);  // without the runtime's own end, which is not asked about
}

/// Asks in a process of its own, which writes to the file. @return whether it wrote a line
bool ask_apart(std::FILE* file, const std::string& section, const std::string& question) {
  std::fflush(file);
  const pid_t child = fork();
  if (child == 0) {
    if (dup2(fileno(file), STDOUT_FILENO) < 0) _exit(126);
    execl("/proc/self/exe", "record_hip", "--ask", section.c_str(), question.c_str(), nullptr);
    _exit(127);
  }
  int ended = 0;
  const bool waited = child > 0 && waitpid(child, &ended, 0) == child;
  return waited && WIFEXITED(ended) && WEXITSTATUS(ended) == 0;
}

int write(std::FILE* file, const char* package) {
  char date[32] = "";
  const std::time_t now = std::time(nullptr);
  std::strftime(date, sizeof date, "%Y-%m-%d", std::gmtime(&now));
  std::fprintf(file, "# What HIP's runtime answered to tests/record/hip/record_hip.cpp\n");
  std::fprintf(file, "# recorded: %s, %s\n", package, date);
  bool whole = true;
  for (const Section& section : sections) {
    std::fprintf(file, "\n[%s]\n", section.name);
    for (const Question& question : section.questions) {
      if (ask_apart(file, section.name, question.name)) continue;
      std::fprintf(file, "# no answer: %s\n", question.name);
      whole = false;
    }
  }
  std::fprintf(file, "# %s\n", whole ? "end" : "end: not every question has an answer");
  return std::fclose(file) == 0 && whole ? 0 : 1;
}

}  // namespace
}  // namespace record

int main(int count, char** arguments) {
  using namespace record;
  if (count == 4 && std::strcmp(arguments[1], "--ask") == 0) {
    for (const Section& section : sections) {
      if (std::strcmp(section.name, arguments[2]) != 0) continue;
      for (const Question& question : section.questions) {
        if (std::strcmp(question.name, arguments[3]) == 0) return answer(question);
      }
    }
    return 2;
  }
  if (count != 2 && count != 3) {
    std::fprintf(stderr, "usage: %s FILE [PACKAGE]\n", arguments[0]);
    return 2;
  }
  std::FILE* const file = std::fopen(arguments[1], "w");
  if (file == nullptr) {
    std::perror(arguments[1]);
    return 2;
  }
  return write(file, count == 3 ? arguments[2] : "a runtime that was not named");
}
