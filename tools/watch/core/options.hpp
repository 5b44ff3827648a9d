// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <cstddef>
#include <cstring>
#include <string>

namespace warpsafe::watch {

/// What `warpsafe-run` asks of the watch: it sets one variable, WARPSAFE_RUN, with a line
/// "name=value" or "name" for each option. That is between the two of them; what is set by hand are
/// the options of warpsafe-run and the library's own switches (WARPSAFE_LOG, WARPSAFE_TIMEOUT, …).
struct Options {
  bool quiet = false;          ///< errors only: no suspicions, no summary
  bool stop_on_error = false;  ///< the process ends at the first error, with `stopped_status`
  std::string kernels;         ///< names as debug::is_listed takes them; empty: all
  std::string journal;         ///< a file that each launch is written to at once; empty: none
  std::string timeline;        ///< a file for a timeline viewer, written at exit; empty: none
  std::string unknown;         ///< the first line that is none of these

  /// The exit status of a process that --stop-on-error has ended.
  static constexpr int stopped_status = 99;

  /// Reads the variable's value; nullptr: nothing is asked for.
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
    } else if (name == "kernel") {
      kernels = kernels.empty() ? value : kernels + ',' + value;
    } else if (name == "journal") {
      journal = value;
    } else if (name == "timeline") {
      timeline = value;
    } else if (unknown.empty()) {
      unknown = line;
    }
  }
};

}  // namespace warpsafe::watch
