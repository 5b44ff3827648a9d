// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// Every failure once. Each program runs without a failure, which counts the occurrences of each
// kind. Then it runs once for each occurrence, which fails, and once more, which must succeed. A
// child process runs them, so that a crash costs one occurrence; the next child continues after it.
// Before that, each program runs again and again, and must give its memory back.
//   failures [STEP]   every STEP-th occurrence; 1 without an argument

#include "injector.hpp"
#include "programs.hpp"
#include <warpsafe/backend/host/control.hpp>
#include <warpsafe/error/message.hpp>

#include <malloc.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <new>

namespace {

using namespace failures;
using warpsafe::host_backend;
using warpsafe::host::Call;
using warpsafe::host::call_of;

/// The calls of the host backend that the programs make.
struct HostCalls {
  Call list[128];
  int count;
};
/// In memory that parent and children share.
HostCalls* host_calls = nullptr;
constexpr unsigned seconds_of_a_run = 20;

/// What a child tells its parent, also by ending.
struct Progress {
  std::uint64_t next;
  std::uint64_t count;
  std::uint64_t failed;
  std::uint64_t violations;
  bool ended;
};

[[nodiscard]] const char* name_of_kind(int kind) {
  constexpr auto first = static_cast<int>(std::size(kinds));
  return kind < first ? name_of(kinds[kind]) : host_calls->list[kind - first].name();
}
void begin(int kind, std::uint64_t nth) {
  constexpr auto first = static_cast<int>(std::size(kinds));
  if (kind < first) return arm(kinds[kind], nth);
  if (nth != 0) {
    warpsafe::host::fail_next(host_calls->list[kind - first], static_cast<unsigned>(nth),
                              warpsafe::host::HostStatus::out_of_memory);
  }
}
/// A library's destructor drops the status of the call that releases, as its comment says.
[[nodiscard]] bool releases(int kind) {
  constexpr auto first = static_cast<int>(std::size(kinds));
  static constexpr Call releasing[] = {
      call_of<&host_backend::stream_destroy>,     call_of<&host_backend::event_destroy>,
      call_of<&host_backend::deallocate>,         call_of<&host_backend::deallocate_unordered>,
      call_of<&host_backend::host_deallocate>,    call_of<&host_backend::graph_destroy>,
      call_of<&host_backend::graph_exec_destroy>,
      call_of<&host_backend::current_device>,      // of the device on which memory is freed
      call_of<&host_backend::set_device>,          // the same; a guard's end
      call_of<&host_backend::event_synchronize>,   // the device may still write: never freed
      call_of<&host_backend::event_query>,         // the same, if a timeout watches the wait
      call_of<&host_backend::stream_synchronize>,  // the same
      call_of<&host_backend::stream_query>,        // the same, if a timeout watches the wait
      call_of<&host_backend::capture_end>,         // the model's streams still capture
  };
  if (kind < first) return false;
  for (const Call& call : releasing) {
    if (call == host_calls->list[kind - first]) return true;
  }
  return false;
}

/// Finds the calls that the programs make. In a child.
void find_calls() {
  prepare();
  for (const Program& program : programs()) static_cast<void>(program.run());
  for (const auto& count : warpsafe::host::Runtime::get().book.counts()) {
    if (host_calls->count == static_cast<int>(std::size(host_calls->list))) std::abort();
    host_calls->list[host_calls->count++] = count.call;
  }
}

/// The bytes that malloc has given and not got back; 0 if a sanitizer has replaced it.
[[nodiscard]] std::size_t bytes_in_use() {
  static_cast<void>(held());  // waits for what the streams' threads still give back
  const auto now = ::mallinfo2();
  return now.uordblks + now.hblkhd;
}
/// Runs the program again and again, without a failure. Returns whether each run leaves memory.
/// In a child.
[[nodiscard]] bool grows(const Program& program) {
  constexpr int batches = 5;
  constexpr int runs = 64;
  if (program.guard != nullptr) setenv("WARPSAFE_GUARD", program.guard, 1);
  prepare();
  // A list that finds no more room grows in one batch, and what is lost at each run in all of them.
  std::int64_t least = INT64_MAX;
  std::size_t before = 0;
  for (int batch = 0; batch < batches; ++batch) {
    alarm(seconds_of_a_run);
    for (int i = 0; i < runs; ++i) static_cast<void>(program.run());
    const std::size_t now = bytes_in_use();
    const auto more = static_cast<std::int64_t>(now) - static_cast<std::int64_t>(before);
    if (batch != 0 && more < least) least = more;
    before = now;
  }
  const bool grown = least >= static_cast<std::int64_t>(runs * (program.keeps + 16));
  if (grown) {
    std::printf("VIOLATION: %s: each run leaves %lld bytes\n", program.name,
                static_cast<long long>(least / runs));
  }
  return grown;
}

/// Runs all occurrences from `progress.next` on. In a child.
void run_all(const Program& program, int kind, std::uint64_t step, Progress& progress) {
  constexpr auto first = static_cast<int>(std::size(kinds));
  const auto complain = [&](std::uint64_t nth, const char* what, const char* detail) {
    const Own not_counted;
    std::printf("VIOLATION: %s, %s %llu: %s %s\n", program.name, name_of_kind(kind),
                static_cast<unsigned long long>(nth), what, detail);
    std::fflush(stdout);
    if (kind < first) print_failed_stack();
    ++progress.violations;
  };
  const auto right = [&](std::uint64_t nth, bool alone) {
    try {
      const auto done = program.run();
      disarm();
      if (!done.has_value()) {
        if (alone) complain(nth, "then fails", warpsafe::message(done.error()).c_str());
      } else if (!alone && kind < first && kinds[kind] == Kind::file &&
                 failed_function() != nullptr && program.tells_files) {
        complain(nth, "succeeds without", failed_function());
      } else if (!done.value()) {
        complain(nth, alone ? "then is wrong" : "succeeds and is wrong", "");
      }
    } catch (const std::exception& exception) {
      disarm();
      const bool said = program.may_throw && failed_function() != nullptr && !alone;
      if (!said) complain(nth, "throws", exception.what());
    }
  };
  // What is made once in a process is made here, unless the first run fails in it.
  alarm(seconds_of_a_run);
  {
    const Own not_counted;
    if (program.guard != nullptr) setenv("WARPSAFE_GUARD", program.guard, 1);
    prepare();
  }
  if (progress.next > 1) right(0, true);
  const Held before = held();
  if (progress.count == 0) {
    const std::uint64_t calls =
        kind < first ? 0 : warpsafe::host::calls_made(host_calls->list[kind - first]);
    begin(kind, 0);
    right(0, true);
    progress.count =
        kind < first ? 0 : warpsafe::host::calls_made(host_calls->list[kind - first]) - calls;
    if (kind < first) {
      // Counted a second time, when nothing is made once in a process.
      begin(kind, 0);
      try {
        static_cast<void>(program.run());
      } catch (const std::exception&) {
      }
      progress.count = disarm();
    }
  }
  for (; progress.next <= progress.count; progress.next += step) {
    const std::uint64_t nth = progress.next;
    alarm(seconds_of_a_run);
    begin(kind, nth);
    right(nth, false);
    ++progress.failed;
    disarm();
    warpsafe::host::Runtime::get().book = warpsafe::host::CallBook{};
    if (!(held() == before) && !releases(kind) && !failed_in_release()) {
      const Held now = held();
      char text[200];
      std::snprintf(text, sizeof text, "streams %zu, events %zu, graphs %zu, bytes %zu",
                    now.streams - before.streams, now.events - before.events,
                    now.graphs - before.graphs, now.bytes - before.bytes);
      complain(nth, "leaks in the model:", text);
      progress.next += step;
      return;  // the next child begins afresh
    }
    if (!(held() == before)) {  // the next child begins afresh
      progress.next += step;
      return;
    }
    right(nth, true);
  }
  progress.ended = true;
}

}  // namespace

int main(int argc, char** argv) {
  const std::uint64_t step = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 1;
  auto* const progress = static_cast<Progress*>(
      mmap(nullptr, sizeof(Progress), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0));
  host_calls = static_cast<HostCalls*>(
      mmap(nullptr, sizeof(HostCalls), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0));
  std::fflush(stdout);
  const pid_t finder = fork();
  if (finder == 0) {
    find_calls();
    std::_Exit(0);
  }
  int found = 0;
  waitpid(finder, &found, 0);
  // The programs make most of the backend's calls: too few would test too little.
  std::uint64_t violations = found != 0 || host_calls->count < 40 ? 1 : 0;
  std::printf("%d calls of the host backend, child status %#x\n", host_calls->count, found);
  for (const Program& program : programs()) {
    std::fflush(stdout);
    const pid_t child = fork();
    if (child == 0) {
      const bool grown = grows(program);
      std::fflush(stdout);
      std::_Exit(grown ? 1 : 0);
    }
    int status = 0;
    waitpid(child, &status, 0);
    if (status != 0) {
      ++violations;
      std::printf("VIOLATION: %s, again and again: status %#x\n", program.name, status);
    }
  }
  const int all_kinds = static_cast<int>(std::size(kinds)) + host_calls->count;
  for (int kind = 0; kind < all_kinds; ++kind) {
    std::uint64_t count = 0;
    std::uint64_t failed = 0;
    for (const Program& program : programs()) {
      *progress = {1, 0, 0, 0, false};
      for (int crashes = 0; !progress->ended && crashes < 40; ++crashes) {
        std::fflush(stdout);
        const pid_t child = fork();
        if (child == 0) {
          run_all(program, kind, step, *progress);
          std::exit(0);  // with the check for leaks, where a sanitizer makes one
        }
        int status = 0;
        waitpid(child, &status, 0);
        if (status == 0) continue;
        ++progress->violations;
        std::printf("VIOLATION: %s, %s %llu: the process ends with status %#x\n", program.name,
                    name_of_kind(kind), static_cast<unsigned long long>(progress->next), status);
        if (!progress->ended) progress->next += step;
        if (progress->count == 0) break;
      }
      count += progress->count;
      failed += progress->failed;
      violations += progress->violations;
    }
    if (count != 0) {
      std::printf("%-16s %6llu occurrences, %6llu failed\n", name_of_kind(kind),
                  static_cast<unsigned long long>(count), static_cast<unsigned long long>(failed));
    }
  }
  std::printf("%llu violations\n", static_cast<unsigned long long>(violations));
  return violations == 0 ? 0 : 1;
}
