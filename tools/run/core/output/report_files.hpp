// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include "../../../common/held_signals.hpp"
#include "../hidden_process.hpp"
#include "../options.hpp"
#include "json_report.hpp"
#include <warpsafe/debug/log.hpp>
#include <warpsafe/tool_api.hpp>

#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>

namespace warpsafe::watch {

namespace detail {

/// The option of warpsafe-run-report that makes a file of this name; null: it is a JSON file.
[[nodiscard]] inline const char* report_format(std::string_view file) noexcept {
  if (file.ends_with(".html")) return "--html";
  return file.ends_with(".sarif") ? "--sarif" : nullptr;
}
/// What warpsafe-run-report makes of a report; "": it cannot run here.
[[nodiscard]] inline std::string converted(const Options& options, const char* format,
                                           const std::string& json) {
  if (options.python.empty() || options.report_writer.empty()) return {};
  const HeldSignals held;  // a limit of a file's size counts here too
  // The wheel is built for a glibc that is older than its function memfd_create.
  const int input = static_cast<int>(::syscall(SYS_memfd_create, "warpsafe-report", MFD_CLOEXEC));
  if (input < 0) return {};
  std::string text;
  std::size_t done = 0;
  while (done < json.size()) {
    const ssize_t written = ::write(input, json.data() + done, json.size() - done);
    if (written <= 0) break;
    done += static_cast<std::size_t>(written);
  }
  if (done == json.size() && ::lseek(input, 0, SEEK_SET) == 0) {
    // Isolated from the program's variables and packages.
    constexpr std::uint64_t patience = 30'000'000'000;
    text =
        HiddenProcess::output({options.python, "-I", "-S", options.report_writer, format, "-", "-"},
                              input, patience, std::size_t{1} << 28);
  }
  ::close(input);
  return text;
}
/// Writes a file, or says why it cannot be written.
inline void write_report(const std::string& file, const std::string& text) {
  const HeldSignals held;
  const int failed = tool::write_to(file.c_str(), [&](std::FILE* to) {
    tool::OutputFile out(to);
    out.write(text.data(), text.size());
    return out.finish();
  });
  if (failed == 0) return;
  tool::log_line(debug::LogLevel::error, "warpsafe: cannot write the report %s: %s",
                 tool::Shown(file.c_str()).c_str(), tool::file_problem(failed));
}

}  // namespace detail

/// Writes the report files: JSON, and what warpsafe-run-report makes of it for names that end with
/// ".html" or ".sarif". Says which files could not be written. May throw std::bad_alloc.
inline void write_reports(const Options& options, const RunReport& run) {
  if (options.reports.empty()) return;
  const std::string json = json_report(run);
  for (const std::string& file : options.reports) {
    const char* const format = detail::report_format(file);
    std::string text = format == nullptr ? json : detail::converted(options, format, json);
    if (!text.empty()) {
      detail::write_report(file, text);
      continue;
    }
    const std::string instead = file + ".json";
    tool::log_line(debug::LogLevel::error,
                   "warpsafe: python3 did not make %s, so the report is in %s; "
                   "warpsafe-run-report makes the file of it",
                   tool::Shown(file.c_str()).c_str(), tool::Shown(instead.c_str()).c_str());
    detail::write_report(instead, json);
  }
}

}  // namespace warpsafe::watch
