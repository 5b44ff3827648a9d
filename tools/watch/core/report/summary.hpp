// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include "../kernel/kernel_table.hpp"
#include "counted.hpp"
#include <warpsafe/error/message.hpp>

#include <sys/types.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace warpsafe::watch {

/// The process's totals, for the summary.
struct Totals {
  std::uint64_t launches = 0;  ///< including refused launches
  std::uint64_t refused = 0;
  std::uint64_t faults = 0;  ///< faults of running work

  /// Sums up the kernels.
  [[nodiscard]] static Totals of(KernelTable& kernels, std::uint64_t faults) {
    Totals all;
    kernels.each([&](const Kernel& one) {
      all.launches += __atomic_load_n(&one.launches, __ATOMIC_RELAXED);
      all.refused += __atomic_load_n(&one.refused, __ATOMIC_RELAXED);
    });
    all.faults = faults;
    return all;
  }
};

/// Returns the first lines of the summary: the totals and the notable kernels. `suspected` contains
/// further lines with suspicions. Returns "" if there is nothing to report.
[[nodiscard]] inline std::string summary_text(pid_t process, KernelTable& kernels,
                                              const Totals& all, const std::string& suspected) {
  if (all.launches == 0 && all.faults == 0 && suspected.empty()) return {};
  std::vector<const Kernel*> used;
  kernels.each([&](const Kernel& one) {
    if (one.launches != 0) used.push_back(&one);
  });
  std::string text = "warpsafe: process " + std::to_string(process) + ": " +
                     counted(all.launches, "launch", "launches") + " of " +
                     counted(used.size(), "kernel", "kernels") + ", " +
                     std::to_string(all.refused) + " refused, " +
                     counted(all.faults, "fault", "faults") + " of running work\n";
  const auto list = [&](std::uint64_t Kernel::*count, const auto& line) {
    std::stable_sort(used.begin(), used.end(),
                     [&](const Kernel* a, const Kernel* b) { return a->*count > b->*count; });
    for (std::size_t i = 0; i < used.size() && i < 5 && used[i]->*count != 0; ++i) {
      text += "  " + line(*used[i]) + '\n';
    }
  };
  list(&Kernel::refused, [](const Kernel& one) {
    return "refused: '" + one.name + "', " + std::to_string(one.refused) + " of " +
           counted(one.launches, "launch", "launches") +
           (one.last_code == 0 ? std::string()
                               : std::string(": ") + describe(static_cast<Errc>(one.last_code)));
  });
  list(&Kernel::suspect,
       [](const Kernel& one) { return "suspect of a fault: '" + one.name + "'"; });
  list(&Kernel::launches, [](const Kernel& one) {
    return "launched: '" + one.name + "', " + counted(one.launches, "time", "times");
  });
  text += suspected;
  return text;
}

}  // namespace warpsafe::watch
