// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include "../core/kernel/kernel_name.hpp"
#include "../core/report/finding.hpp"

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
};

/// What the number of an exception means (cudadebugger.h of cuda-gdb 13).
[[nodiscard]] inline std::string fault_name(std::uint32_t exception) {
  switch (exception) {
    case 1:
    case 10:
    case 14:
    case 30:
      return "illegal address";
    case 2:
    case 9:
    case 33:
    case 35:
      return "stack overflow";
    case 4:
      return "illegal instruction";
    case 5:
      return "address out of range";
    case 6:
    case 11:
      return "misaligned address";
    case 7:
      return "address in a memory space that the instruction does not allow";
    case 8:
      return "jump to an address without code";
    case 12:
      return "assertion failed";
    case 17:
      return "address out of range in another block of the cluster";
    case 18:
    case 34:
      return "access to a block of the cluster that has ended";
    case 31:
      return "wrong use of an mbarrier";
    default:
      return "exception " + std::to_string(exception) + " of cudadebugger.h";
  }
}

/// The finding for a fault. May throw std::bad_alloc.
[[nodiscard]] inline Finding fault_finding(const FaultSite& site) {
  const auto triple = [](const std::uint32_t(&of)[3]) {
    return '(' + std::to_string(of[0]) + ',' + std::to_string(of[1]) + ',' + std::to_string(of[2]) +
           ')';
  };
  Finding made;
  made.kind = Finding::Kind::fault;
  const std::string what = site.what.empty() ? "fault" : site.what;
  made.subject = site.kernel.empty() ? "a kernel" : kernel_name(site.kernel.c_str());
  const std::string function = '\'' + kernel_name(site.function.c_str()) + '\'';
  if (!site.kernel.empty()) {
    made.title = "Kernel '" + made.subject + "' faulted: " + what;
  } else if (!site.function.empty()) {
    made.title = "A kernel faulted in its function " + function + ": " + what;
  } else {
    made.title = "A kernel was stopped by a fault on the device: " + what;
  }
  if (site.line != 0)
    made.title += ", at " + single_line(site.file) + ':' + std::to_string(site.line);
  if (site.threads != 0) {
    made.details += "\n  thread " + triple(site.thread) + " of block " + triple(site.block);
    if (site.threads > 1)
      made.details += " and " + std::to_string(site.threads - 1) + " other threads";
  } else if (!site.function.empty()) {
    made.details +=
        "\n  thread and block are not known: the warp had ended or gone on when the fault arrived";
  }
  if (site.grid_dims[0] != 0) {
    made.details += "\n  grid=" + triple(site.grid_dims) + ", block=" + triple(site.block_dims);
  }
  if (!site.function.empty()) {
    made.details += "\n  instruction at byte " + std::to_string(site.offset) + " of ";
    made.details += site.function == site.kernel ? "the kernel" : function;
    if (site.line == 0) made.remedy = "compile with nvcc -lineinfo: the report then names the line";
  }
  std::string names;
  for (const std::string& one : site.running) {
    const std::string name = '\'' + kernel_name(one.c_str()) + '\'';
    if (names.find(name) == std::string::npos) names += (names.empty() ? "" : ", ") + name;
  }
  if (!names.empty()) made.details += "\n  running then, as far as the driver says: " + names;
  return made;
}

}  // namespace warpsafe::watch
