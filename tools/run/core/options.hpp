// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include "output/file_name.hpp"

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

namespace warpsafe::watch {

/// The options of `warpsafe-run`, passed in the variable WARPSAFE_RUN with one line "name=value" or
/// "name" for each option. The variable is an internal interface. Users set the options of
/// warpsafe-run, and the library's own switches (WARPSAFE_LOG, WARPSAFE_TIMEOUT, …).
struct Options {
  bool quiet = false;                ///< errors only: no suspicions, no summary
  bool stop_on_error = false;        ///< end the process at the first error, with `stopped_status`
  bool races = false;                ///< suspect the program's own kernels, frees and copies too
  std::uint64_t guard = 0;           ///< guard one allocation in so many; 0: none
  bool arguments = false;            ///< keep the pointers of each launch, for reports of faults
  bool no_libraries = false;         ///< the statuses that libraries return are not read
  bool no_handlers = false;          ///< the end of the process by a signal or _exit goes unnoticed
  std::string kernels;               ///< names in the syntax of debug::is_listed; empty: all
  std::string journal;               ///< file to which each launch is written at once; empty: none
  std::vector<std::string> reports;  ///< files of the run's report, written at exit
  std::string python;                ///< runs `report_writer`; empty: there is none
  std::string report_writer;         ///< path of warpsafe-run-report
  int error_status = -1;             ///< exit status after an error; -1: the program's own
  std::string timeline;              ///< timeline file, written at exit; empty: none
  std::vector<std::string> cupti;    ///< files of CUPTI, in the order in which to try them
  bool share_cupti = false;          ///< ask CUPTI to serve other tools in the process too
  std::string lines_tool;            ///< path of addr2line; empty: no source lines
  int rerun = 0;             ///< the number of this run under --rerun, from 1; 0: no --rerun
  std::string rerun_folder;  ///< where the runs of --rerun keep their suspects
  std::string unknown;       ///< the first unknown line

  /// Exit status of a process that --stop-on-error has ended.
  static constexpr int stopped_status = 99;

  /// Reads the variable's value; nullptr: no options.
  [[nodiscard]] static Options parse(const char* text) {
    Options found;
    while (text != nullptr && *text != '\0') {
      const char* const end = std::strchr(text, '\n');
      const std::size_t size =
          end != nullptr ? static_cast<std::size_t>(end - text) : std::strlen(text);
      found.take(std::string(text, size));
      text += size;
      if (*text == '\n') ++text;
    }
    return found;
  }

 private:
  void take(const std::string& line) {
    if (line.empty()) return;
    const std::size_t equals = line.find('=');
    const std::string name = line.substr(0, equals);
    const std::string value = equals == std::string::npos ? "" : line.substr(equals + 1);
    if (name == "quiet") {
      quiet = true;
    } else if (name == "stop-on-error") {
      stop_on_error = true;
    } else if (name == "races") {
      races = true;
    } else if (name == "guard") {
      guard = std::strtoull(value.c_str(), nullptr, 10);
    } else if (name == "arguments") {
      arguments = true;
    } else if (name == "no-libraries") {
      no_libraries = true;
    } else if (name == "no-handlers") {
      no_handlers = true;
    } else if (name == "share-cupti") {
      share_cupti = true;
    } else if (name == "kernel") {
      kernels = kernels.empty() ? value : kernels + ',' + value;
    } else if (name == "journal") {
      journal = expand_file_name(value);
    } else if (name == "timeline") {
      timeline = expand_file_name(value);
    } else if (name == "report") {
      reports.push_back(expand_file_name(value));
    } else if (name == "python") {
      python = value;
    } else if (name == "report-writer") {
      report_writer = value;
    } else if (name == "error-exitcode") {
      error_status = std::atoi(value.c_str());
    } else if (name == "rerun") {
      rerun = std::atoi(value.c_str());
    } else if (name == "rerun-folder") {
      rerun_folder = value;
    } else if (name == "addr2line") {
      lines_tool = value;
    } else if (name == "cupti") {
      cupti.push_back(value);
    } else if (unknown.empty()) {
      unknown = line;
    }
  }
};

}  // namespace warpsafe::watch
