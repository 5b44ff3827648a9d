// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include "../report/run_report.hpp"
#include <warpsafe/core/config.hpp>
#include <warpsafe/tool_api.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace warpsafe::watch {

namespace detail {

[[nodiscard]] inline std::string version() {
  return std::to_string(WARPSAFE_VERSION_MAJOR) + '.' + std::to_string(WARPSAFE_VERSION_MINOR) +
         '.' + std::to_string(WARPSAFE_VERSION_PATCH);
}
/// Returns a JSON array of what `text` makes of each element.
template <class Element, class Text>
[[nodiscard]] std::string json_array(const std::vector<Element>& all, const Text& text) {
  std::string made = "[";
  for (const Element& one : all) {
    if (made.size() > 1) made += ',';
    made += text(one);
  }
  return made + ']';
}
/// Returns a text as JSON.
[[nodiscard]] inline std::string json_text(const std::string& text) {
  const std::string object = debug::JsonObject().add("", text).text();
  return object.substr(4, object.size() - 5);  // without {"": and }
}
[[nodiscard]] inline std::string json_place(const SourcePlace& one) {
  debug::JsonObject made;
  made.add("function", one.function);
  made.add("file", one.file);
  made.add("line", one.line);
  made.add("object", one.object);
  made.add("offset", one.offset);
  return made.text();
}
[[nodiscard]] inline std::string json_finding(const Finding& one) {
  debug::JsonObject made;
  made.add("kind", Finding::name(one.kind));
  made.add("subject", one.subject);
  made.add("code", one.code);
  made.add("count", one.count);
  made.add("message", one.title + one.details);
  made.add("remedy", one.remedy);
  made.add("driver_log", one.log);
  made.raw("places", json_array(one.places, &json_place));
  return made.text();
}
[[nodiscard]] inline std::string json_kernel(const ReportedKernel& one) {
  debug::JsonObject made;
  made.add("name", one.name);
  made.add("launches", one.launches);
  made.add("refused", one.refused);
  made.add("suspect_of_faults", one.suspect);
  made.add("last_refusal", one.last_refusal);
  return made.text();
}

}  // namespace detail

/// Returns the report as JSON (tools/run/report.schema.json, tools/run/docs/report.md). May
/// throw std::bad_alloc.
[[nodiscard]] inline std::string json_report(const RunReport& run) {
  debug::JsonObject made;
  made.add("format", "warpsafe-run report");
  made.add("version", std::uint32_t{1});
  made.add("warpsafe", detail::version());
  made.add("command", run.command);
  made.add("process", static_cast<std::uint64_t>(run.process));
  made.add("host", run.host);
  made.add("rank", run.rank);
  made.add("end", run.end);
  debug::JsonObject totals;
  totals.add("launches", run.launches());
  totals.add("refused", run.refused());
  totals.add("faults", run.faults);
  totals.add("failed_calls", run.failed_calls);
  totals.add("notes", run.notes);
  totals.add("errors", run.errors());
  made.add("totals", totals);
  made.raw("findings", detail::json_array(run.findings, &detail::json_finding));
  made.add("findings_left_out", run.findings_left_out);
  made.raw("kernels", detail::json_array(run.kernels, &detail::json_kernel));
  made.raw("suspicions", detail::json_array(run.suspicions, &detail::json_text));
  made.add("incomplete", run.missing);
  return made.text() + '\n';
}

}  // namespace warpsafe::watch
