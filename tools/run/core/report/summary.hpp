// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include "counted.hpp"
#include "run_report.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace warpsafe::watch {

/// Returns the summary for standard error: the totals, the notable kernels and the suspicions. May
/// throw std::bad_alloc.
[[nodiscard]] inline std::string summary_text(const RunReport& run) {
  std::string failed;
  if (run.failed_calls != 0) {
    failed = ", " + counted(run.failed_calls, "other failed call", "other failed calls");
  }
  if (run.notes != 0) failed += ", " + counted(run.notes, "note", "notes");
  const std::uint64_t launches = run.launches();
  std::string text = "warpsafe: process " + std::to_string(run.process) + ": ";
  if (launches == 0 && run.faults == 0) {
    text += "watched, and it launched nothing" + failed + '\n';
  } else {
    text += counted(launches, "launch", "launches") + " of " +
            counted(run.kernels.size(), "kernel", "kernels") + ", " +
            std::to_string(run.refused()) + " refused, " + counted(run.faults, "fault", "faults") +
            " of running work" + failed + '\n';
  }
  std::vector<ReportedKernel> used = run.kernels;
  const auto list = [&](std::uint64_t ReportedKernel::*count, const auto& line) {
    std::stable_sort(used.begin(), used.end(),
                     [&](const auto& a, const auto& b) { return a.*count > b.*count; });
    for (std::size_t i = 0; i < used.size() && i < 5 && used[i].*count != 0; ++i) {
      text += "  " + line(used[i]) + '\n';
    }
  };
  list(&ReportedKernel::refused, [](const ReportedKernel& one) {
    return "refused: '" + one.name + "', " + std::to_string(one.refused) + " of " +
           counted(one.launches, "launch", "launches") + (one.last_refusal.empty() ? "" : ": ") +
           one.last_refusal;
  });
  list(&ReportedKernel::suspect,
       [](const ReportedKernel& one) { return "suspect of a fault: '" + one.name + "'"; });
  list(&ReportedKernel::launches, [](const ReportedKernel& one) {
    return "launched: '" + one.name + "', " + counted(one.launches, "time", "times");
  });
  for (const std::string& one : run.suspicions) text += "  " + one + '\n';
  return text + run.missing;
}

}  // namespace warpsafe::watch
