// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include "../kernel/kernel_name.hpp"
#include "../report/finding.hpp"
#include "rerun.hpp"
#include <warpsafe/debug/journal/launch_text.hpp>
#include <warpsafe/tool_api.hpp>

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace warpsafe::watch {

namespace detail {

/// "launch 3 of this kernel, #17 of the process: grid=(4,1,1), …, stream 0x55d0c8 of device 0".
[[nodiscard]] inline std::string open_launch_text(const OpenLaunch& one) {
  char text[512];
  tool::TextBuffer out(text, sizeof text);
  out << "launch " << one.ordinal << " of this " << (one.is_graph ? "graph" : "kernel") << ", #"
      << one.sequence << " of the process: ";
  if (!one.is_graph) {
    out << "grid=" << one.record.grid << ", block=" << one.record.block
        << ", shared=" << one.record.dynamic_shared << " bytes, ";
  }
  out << "stream " << one.record.stream << " of device " << one.record.device;
  return text;
}

}  // namespace detail

/// Returns the finding for the one launch that can have caused a fault, without its places. `fault`
/// is the fault in the runtime's words, `status` its name. May throw std::bad_alloc.
[[nodiscard]] inline Finding culprit_finding(const OpenLaunch& one, const std::string& fault,
                                             const std::string& status) {
  const std::string name = single_line({one.record.kernel.data, one.record.kernel.size});
  Finding made;
  made.kind = Finding::Kind::fault;
  made.subject = name;
  made.code = status;
  if (!one.node.empty()) {
    made.title = one.node + " faulted: " + fault;
    if (!one.node_shape.empty()) made.details = "\n  " + one.node_shape;
    made.details += "\n  in the graph '" + name + '\'';
  } else {
    made.title = std::string(one.is_graph ? "Graph '" : "Kernel '") + name + "' faulted: " + fault;
  }
  made.details += "\n  " + detail::open_launch_text(one);
  if (!one.why.empty()) made.details += "\n  its nodes were not launched one by one: " + one.why;
  made.details += "\n  found by running the program again, with a wait after this launch (--rerun)";
  return made;
}

/// The same for several launches that ran at the same time.
[[nodiscard]] inline Finding culprits_finding(const std::vector<OpenLaunch>& all,
                                              const std::string& fault, const std::string& status) {
  Finding made;
  made.kind = Finding::Kind::fault;
  made.subject = "one of " + std::to_string(all.size()) + " launches";
  made.code = status;
  made.title = "One of " + std::to_string(all.size()) + " launches faulted: " + fault;
  for (const OpenLaunch& one : all) {
    made.details += "\n  '" + single_line({one.record.kernel.data, one.record.kernel.size}) +
                    "', " + detail::open_launch_text(one);
  }
  made.details += "\n  several threads launched at the same time, or these did not end in time";
  return made;
}

/// The same for a fault while no launch can run.
[[nodiscard]] inline Finding other_work_finding(const std::string& fault,
                                                const std::string& status) {
  Finding made;
  made.kind = Finding::Kind::fault;
  made.subject = "work other than launches";
  made.code = status;
  made.title = "Work other than a launch faulted: " + fault;
  made.details =
      "\n  all launches until then, " + std::to_string(debug::Journal::get().last()) +
      ", have ended without a fault: look at copies, fills, and code that is not watched\n  found "
      "by running the program again, with a wait after each launch (--rerun)";
  return made;
}

}  // namespace warpsafe::watch
