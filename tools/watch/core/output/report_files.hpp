// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include "../options.hpp"
#include "../report/held_signals.hpp"
#include "html_report.hpp"
#include "json_report.hpp"
#include "sarif_report.hpp"
#include <warpsafe/debug/detail/output_file.hpp>
#include <warpsafe/debug/log.hpp>

#include <cstdio>
#include <string>
#include <string_view>

namespace warpsafe::watch {

namespace detail {

[[nodiscard]] inline bool ends_with(std::string_view text, std::string_view end) noexcept {
  return text.size() >= end.size() && text.substr(text.size() - end.size()) == end;
}

}  // namespace detail

/// Writes the report files. The ending of a file's name selects its format: ".html", ".sarif", or
/// JSON for any other. Says which files could not be written. May throw std::bad_alloc.
inline void write_reports(const Options& options, const RunReport& run) {
  for (const std::string& file : options.reports) {
    const std::string text = detail::ends_with(file, ".html")    ? HtmlReport(run).text()
                             : detail::ends_with(file, ".sarif") ? sarif_report(run)
                                                                 : json_report(run);
    const HeldSignals held;
    const int failed = debug::detail::write_to(file.c_str(), [&](std::FILE* to) {
      debug::detail::OutputFile out(to);
      out.write(text.data(), text.size());
      return out.finish();
    });
    if (failed == 0) continue;
    debug::detail::log_line(debug::LogLevel::error, "warpsafe: cannot write the report %s: %s",
                            debug::detail::Shown(file.c_str()).c_str(),
                            debug::detail::file_problem(failed));
  }
}

}  // namespace warpsafe::watch
