// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include "../kernel/kernel_table.hpp"
#include "../output/command_line.hpp"
#include "../output/file_name.hpp"
#include "finding.hpp"
#include "findings.hpp"
#include <warpsafe/error/errc.hpp>
#include <warpsafe/error/message.hpp>

#include <sys/types.h>
#include <unistd.h>

#include <cstdint>
#include <string>
#include <vector>

namespace warpsafe::watch {

/// One kernel in the report of a run.
struct ReportedKernel {
  std::string name;
  std::uint64_t launches = 0;  ///< including refused launches
  std::uint64_t refused = 0;
  std::uint64_t suspect = 0;   ///< faults of running work that it may have caused
  std::string last_refusal{};  ///< empty: none
};

/// What the watch knows about a process when the process ends.
struct RunReport {
  pid_t process = 0;
  std::string command{};  ///< the program and its arguments
  std::string host{};
  std::string rank{};                     ///< empty: none
  std::string end = "exit";               ///< "exit", "_exit", "stopped", or a signal's name
  std::vector<ReportedKernel> kernels{};  ///< those that were launched, by name
  std::uint64_t faults = 0;               ///< of running work
  std::uint64_t failed_calls = 0;         ///< other than launches
  std::uint64_t notes = 0;
  std::vector<Finding> findings{};
  std::uint64_t findings_left_out = 0;
  std::vector<std::string> suspicions{};  ///< each begins with "suspicion: "
  std::string missing{};                  ///< a line about incomplete files; empty: none

  [[nodiscard]] std::uint64_t launches() const noexcept {
    std::uint64_t sum = 0;
    for (const ReportedKernel& one : kernels) sum += one.launches;
    return sum;
  }
  [[nodiscard]] std::uint64_t refused() const noexcept {
    std::uint64_t sum = 0;
    for (const ReportedKernel& one : kernels) sum += one.refused;
    return sum;
  }
  [[nodiscard]] std::uint64_t errors() const noexcept { return refused() + faults + failed_calls; }

  /// Returns the report of this process. May throw std::bad_alloc.
  [[nodiscard]] static RunReport of(KernelTable& table, std::uint64_t faults, Findings& findings) {
    RunReport made;
    made.process = ::getpid();
    made.command = command_line();
    made.host = host_name();
    table.each([&](const Kernel& one) {
      const std::uint64_t count = __atomic_load_n(&one.launches, __ATOMIC_RELAXED);
      if (count == 0) return;
      const std::uint32_t code = __atomic_load_n(&one.last_code, __ATOMIC_RELAXED);
      made.kernels.push_back({one.name, count, __atomic_load_n(&one.refused, __ATOMIC_RELAXED),
                              __atomic_load_n(&one.suspect, __ATOMIC_RELAXED),
                              code == 0 ? std::string() : describe(static_cast<Errc>(code))});
    });
    made.faults = faults;
    made.failed_calls = findings.failed_calls();
    made.notes = findings.notes();
    made.findings = findings.all();
    made.findings_left_out = findings.left_out();
    return made;
  }
};

}  // namespace warpsafe::watch
