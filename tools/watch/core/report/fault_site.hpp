// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include "../kernel/kernel_name.hpp"
#include "finding.hpp"
#include <warpsafe/core/detail/text.hpp>
#include <warpsafe/debug/journal/journal_reader.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace warpsafe::watch {

/// Where a kernel faulted, as far as it is known.
struct FaultSite {
  std::string what;          ///< "illegal address"; empty: not known
  std::string kernel;        ///< mangled; empty: not known
  std::string function;      ///< of the instruction, mangled
  std::uint64_t offset = 0;  ///< of the instruction in the function, in bytes
  std::string file;          ///< empty: compiled without -lineinfo
  std::uint64_t line = 0;
  std::size_t threads = 0;       ///< how many have the fault; 0: thread and block are not known
  std::uint32_t thread[3] = {};  ///< of the first one
  std::uint32_t block[3] = {};
  std::uint32_t grid_dims[3] = {};  ///< 0: not known
  std::uint32_t block_dims[3] = {};
  std::vector<std::string> running;  ///< mangled kernels, one of which has the fault

  [[nodiscard]] bool is_known() const noexcept { return !kernel.empty(); }
};

/// The finding for a fault. May throw std::bad_alloc.
[[nodiscard]] inline Finding fault_finding(const FaultSite& site) {
  const auto triple = [](const std::uint32_t(&of)[3]) {
    return '(' + std::to_string(of[0]) + ',' + std::to_string(of[1]) + ',' + std::to_string(of[2]) +
           ')';
  };
  Finding made;
  made.kind = Finding::Kind::fault;
  const std::string what = site.what.empty() ? "fault" : site.what;
  if (!site.is_known()) {
    made.subject = "a kernel";
    made.title = "A kernel was stopped by a fault on the device: " + what;
    std::string names;
    for (const std::string& one : site.running) {
      const std::string name = '\'' + kernel_name(one.c_str()) + '\'';
      if (names.find(name) == std::string::npos) names += (names.empty() ? "" : ", ") + name;
    }
    if (!names.empty()) made.details += "\n  running then, as far as the driver says: " + names;
    return made;
  }
  made.subject = kernel_name(site.kernel.c_str());
  made.title = "Kernel '" + made.subject + "' faulted: " + what;
  if (site.line != 0)
    made.title += ", at " + single_line(site.file) + ':' + std::to_string(site.line);
  if (site.threads != 0) {
    made.details += "\n  thread " + triple(site.thread) + " of block " + triple(site.block);
    if (site.threads > 1)
      made.details += " and " + std::to_string(site.threads - 1) + " other threads";
  } else {
    made.details += "\n  thread and block are not known: the warp had ended when the fault arrived";
  }
  if (site.grid_dims[0] != 0) {
    made.details += "\n  grid=" + triple(site.grid_dims) + ", block=" + triple(site.block_dims);
  }
  char offset[64];
  warpsafe::detail::TextBuffer out(offset, sizeof offset);
  out << "\n  instruction at byte " << site.offset << " of ";
  made.details += offset;
  made.details += site.function == site.kernel ? "the kernel"
                                               : '\'' + kernel_name(site.function.c_str()) + '\'';
  if (site.line == 0) made.remedy = "compile with nvcc -lineinfo: the report then names the line";
  return made;
}

}  // namespace warpsafe::watch
