// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include "../guard/memory_guard.hpp"
#include "../kernel/kernel_name.hpp"
#include "../kernel/kernel_table.hpp"
#include "../place/source_places.hpp"
#include "../rerun/culprit.hpp"
#include "../rerun/rerun.hpp"
#include "../stream/known_streams.hpp"
#include "findings.hpp"
#include "standard_error.hpp"
#include <warpsafe/debug.hpp>
#include <warpsafe/error/error.hpp>
#include <warpsafe/error/format.hpp>
#include <warpsafe/tool_api.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace warpsafe::watch {

/// Prints errors: up to ten refusals of each kind and kernel, and each fault once. A later run of
/// --rerun prints only the culprits of faults. Thread-safe.
class ErrorReporter {
 public:
  ErrorReporter(KernelTable& kernels, KnownStreams& streams, SourcePlaces& places,
                Findings& findings, Rerun& rerun)
      : kernels_(kernels), streams_(streams), places_(places), findings_(findings), rerun_(rerun) {}

  /// Reports a launch that the runtime refused, unless it refused it because of an earlier fault.
  /// `log` is the reason that the runtime's own log gives, `hint` a further line of the report.
  void refused(Kernel& kernel, const LaunchError& error, const std::string& log,
               const std::string& hint, const HostStack& stack) noexcept {
    __atomic_add_fetch(&refused_, 1, __ATOMIC_RELAXED);
    const auto code = static_cast<std::uint32_t>(error.code);
    if (__atomic_exchange_n(&kernel.last_code, code, __ATOMIC_RELAXED) != code) {
      __atomic_store_n(&kernel.reported, 0, __ATOMIC_RELAXED);
    }
    const std::uint64_t reported = __atomic_add_fetch(&kernel.reported, 1, __ATOMIC_RELAXED);
    say(error, Finding::Kind::launch, log, hint, stack, reported);
  }
  /// Reports a fault of running work, each fault once: after it, every later call of a lost context
  /// repeats it. Returns whether the fault is new.
  bool fault(const LaunchError& error, std::int32_t device, const HostStack& stack,
             const std::string& causes) noexcept {
    std::uint64_t before = __atomic_load_n(&last_incident_, __ATOMIC_RELAXED);
    do {
      if (error.incident <= before) return false;
    } while (!__atomic_compare_exchange_n(&last_incident_, &before, error.incident, false,
                                          __ATOMIC_RELAXED, __ATOMIC_RELAXED));
    if (rerun_.waits()) {
      culprit(single_line({error.raw_text.data, error.raw_text.size}),
              single_line({error.raw_name.data, error.raw_name.size}), causes, device, stack);
    } else {
      say(error, Finding::Kind::fault, {}, causes, stack, 0);
      suspected(error);
    }
    count_fault(error);
    return true;
  }
  /// Reports the launch for which a run of --rerun waits, and which has faulted. If others ran at
  /// the same time, only the last run reports them. `stack` is that of the call that noticed it.
  void culprit(const std::string& fault, const std::string& status, const std::string& causes,
               std::int32_t device, const HostStack& stack) noexcept {
    try {
      const std::vector<OpenLaunch> open = rerun_.open(device);
      const bool has_company = open.size() == 1 && open.front().has_company;
      const bool is_exact = open.size() == 1 && !has_company && !rerun_.others_run(open, device);
      rerun_.found(open, is_exact);
      if (!is_exact && !rerun_.is_last()) return;
      Finding made = open.empty()       ? other_work_finding(fault, status)
                     : open.size() == 1 ? culprit_finding(open.front(), fault, status)
                                        : culprits_finding(open, fault, status);
      if (has_company) {
        made.details +=
            "\n  a stream's work had not ended before this launch, and may have run at the same time";
      } else if (open.size() == 1 && !is_exact) {
        made.details +=
            "\n  launches of other threads, or on destroyed streams, may have run at the same time";
      }
      if (!open.empty()) made.details += causes;
      if (open.size() < 2) {
        made.places =
            callers_of(made.subject, places_.find(open.empty() ? stack : open.front().stack));
      }
      if (!debug::Environment::get().silent) StandardError::line("warpsafe: " + made.text());
      findings_.add(std::move(made));
    } catch (...) {  // out of memory: the first run's suspects stay
      return;
    }
  }
  /// Reports what the memory guard has found, as a fault of running work.
  void overrun(const GuardReport& of) noexcept {
    __atomic_add_fetch(&faults_, 1, __ATOMIC_RELAXED);
    try {
      Finding made;
      made.kind = Finding::Kind::fault;
      made.subject = "memory guard";
      made.title = of.title();
      made.details = "\n  allocated by " + std::string(of.made_by.data, of.made_by.size);
      const std::vector<SourcePlace> places = places_.find(of.made_at);
      if (!places.empty()) made.details += " in " + places.front().text();
      std::string names;
      for (const Name& one : of.launched) {
        names += (names.empty() ? "'" : ", '") + std::string(one.data, one.size) + '\'';
      }
      if (!names.empty()) made.details += "\n  launched since the last check: " + names;
      made.remedy = "compute-sanitizer --tool memcheck may name the access";
      if (!rerun_.waits()) {
        const std::string text = "warpsafe: " + made.text();
        tool::write_log(debug::LogLevel::error, text.data(), text.size());
      }
      findings_.add(std::move(made));
    } catch (...) {  // out of memory: it is only counted
      return;
    }
  }
  /// Counts a fault that is already in the log.
  void count_fault(const LaunchError& error) noexcept {
    __atomic_add_fetch(&faults_, 1, __ATOMIC_RELAXED);
    LaunchRecord suspects[16];
    const std::size_t found = debug::suspects(error, suspects, 16);
    try {
      kernels_.each([&](Kernel& one) {
        for (std::size_t i = 0; i < found && i < 16; ++i) {
          if (suspects[i].kernel.data != one.name.data()) continue;
          __atomic_add_fetch(&one.suspect, 1, __ATOMIC_RELAXED);
          return;
        }
      });
    } catch (...) {  // out of memory: the summary names no suspects
      return;
    }
  }
  /// Returns the number of refused launches and faults.
  [[nodiscard]] std::uint64_t count() const noexcept {
    return faults() + __atomic_load_n(&refused_, __ATOMIC_RELAXED);
  }
  /// Returns the number of faults.
  [[nodiscard]] std::uint64_t faults() const noexcept {
    return __atomic_load_n(&faults_, __ATOMIC_RELAXED);
  }

 private:
  static constexpr std::uint64_t most_reported = 10;

  /// Prints the error, with the runtime's own answer, and keeps it as a finding. `number` counts
  /// the errors of one kind; only the first ten are printed.
  void say(const LaunchError& error, Finding::Kind kind, const std::string& log,
           const std::string& hint, const HostStack& stack, std::uint64_t number) noexcept {
    try {
      Finding made = finding(error, kind, log, hint);
      made.places = callers_of(made.subject, places_.find(stack));
      if (number <= most_reported && !debug::Environment::get().silent && !rerun_.waits()) {
        std::string text = "warpsafe: " + made.text();
        if (number == most_reported) text += "\n  further refusals of this kind are only counted";
        tool::write_log(debug::LogLevel::error, text.data(), text.size());
      }
      findings_.add(std::move(made));
    } catch (...) {  // out of memory: the text alone
      if (number <= most_reported && !debug::Environment::get().silent) {
        tool::log_error(debug::LogLevel::error, error, "");
      }
    }
  }
  /// Leaves out the functions that the compiler makes for `<<<>>>`: the kernel's own function of
  /// the host and its stub. The program's line is that of their caller.
  [[nodiscard]] static std::vector<SourcePlace> callers_of(const std::string& kernel,
                                                           std::vector<SourcePlace> places) {
    const auto caller = std::find_if_not(places.begin(), places.end(), [&](const SourcePlace& one) {
      return one.function == kernel || one.is_stub();
    });
    if (caller != places.end()) places.erase(places.begin(), caller);
    return places;
  }
  [[nodiscard]] Finding finding(const LaunchError& error, Finding::Kind kind,
                                const std::string& log, const std::string& hint) {
    char text[4096];
    const std::string whole(text, format_error(error, text, sizeof text));
    Finding made;
    made.kind = kind;
    made.subject = std::string(error.kernel.data, error.kernel.size);
    if (made.subject.empty())
      made.subject = std::string(error.operation.data, error.operation.size);
    made.code = single_line({error.raw_name.data, error.raw_name.size});
    made.title = whole.substr(0, whole.find('\n'));
    made.details = whole.substr(made.title.size());
    if (error.stage == Stage::validation && error.raw != 0) {
      made.details += "\n  the runtime's own answer: " + made.code + " (" +
                      single_line({error.raw_text.data, error.raw_text.size}) + ')';
    }
    if (error.code == Errc::shared_too_large || error.code == Errc::shared_not_opted_in) {
      if (const void* const stream = streams_.stream_passed_as_bytes(error.dynamic_shared)) {
        char line[160];
        tool::TextBuffer out(line, sizeof line);
        out << "\n  that number is the handle of stream " << stream
            << "; in <<<grid, block, bytes, stream>>> the stream is the fourth argument";
        made.details += line;
      }
    }
    if (kind == Finding::Kind::fault && !rerun_.on()) {
      made.remedy =
          error.vendor == Vendor::nvidia
              ? "run warpsafe-run --stop-at-fault to get the kernel, its line and thread, or "
                "--rerun to get the launch"
              : "run warpsafe-run --rerun to get the launch that faults";
    }
    // Causes of a fault are lines already.
    if (!hint.empty()) made.details += (hint.front() == '\n' ? "" : "\n  ") + hint;
    made.log = single_line(log);
    return made;
  }

  /// Writes a fault's suspects for the next run of --rerun.
  void suspected(const LaunchError& error) noexcept {
    if (!rerun_.on()) return;
    try {
      std::vector<LaunchRecord> found(debug::Journal::capacity);
      found.resize(debug::suspects(error, found.data(), found.size()));
      rerun_.suspected(found);
    } catch (...) {  // out of memory: the program runs once
      return;
    }
  }

  KernelTable& kernels_;
  KnownStreams& streams_;
  SourcePlaces& places_;
  Findings& findings_;
  Rerun& rerun_;
  std::uint64_t last_incident_ = 0;
  std::uint64_t faults_ = 0;
  std::uint64_t refused_ = 0;
};

}  // namespace warpsafe::watch
