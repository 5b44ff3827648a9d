// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include "json_report.hpp"

#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

namespace warpsafe::watch {

namespace detail {

[[nodiscard]] inline const char* sarif_rule(Finding::Kind kind) noexcept {
  return kind == Finding::Kind::launch  ? "refused-launch"
         : kind == Finding::Kind::fault ? "fault"
         : kind == Finding::Kind::call  ? "failed-call"
                                        : "note";
}
/// Returns a path as a URI reference (RFC 3986): absolute paths with the scheme "file".
[[nodiscard]] inline std::string sarif_uri(const std::string& path) {
  std::string made = !path.empty() && path.front() == '/' ? "file://" : "";
  for (const char letter : path) {
    const bool plain = (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z') ||
                       (letter >= '0' && letter <= '9') || letter == '/' || letter == '.' ||
                       letter == '-' || letter == '_' || letter == '~';
    if (plain) {
      made += letter;
      continue;
    }
    char escaped[8];
    std::snprintf(escaped, sizeof escaped, "%%%02X",
                  static_cast<unsigned>(static_cast<unsigned char>(letter)));
    made += escaped;
  }
  return made;
}
[[nodiscard]] inline std::string sarif_location(const SourcePlace& one) {
  debug::JsonObject artifact;
  artifact.add("uri", sarif_uri(one.file));
  debug::JsonObject region;
  region.add("startLine", one.line);
  debug::JsonObject physical;
  physical.add("artifactLocation", artifact);
  physical.add("region", region);
  debug::JsonObject made;
  made.add("physicalLocation", physical);
  if (!one.function.empty()) {
    debug::JsonObject logical;
    logical.add("fullyQualifiedName", one.function);
    made.raw("logicalLocations", '[' + logical.text() + ']');
  }
  return made.text();
}
[[nodiscard]] inline std::string sarif_message(const std::string& text) {
  return debug::JsonObject().add("text", text).text();
}
[[nodiscard]] inline std::string sarif_result(const Finding& one) {
  debug::JsonObject made;
  made.add("ruleId", sarif_rule(one.kind));
  made.add("level", one.is_error() ? "error" : "note");
  made.raw("message", sarif_message(one.text()));
  made.add("occurrenceCount", one.count);
  // The innermost place in the source. Code scanners show that one.
  std::vector<SourcePlace> in_source;
  for (const SourcePlace& place : one.places) {
    if (place.line != 0) in_source.push_back(place);
  }
  const std::vector<SourcePlace> first(in_source.begin(),
                                       in_source.begin() + (in_source.empty() ? 0 : 1));
  made.raw("locations", json_array(first, &sarif_location));
  if (in_source.size() > 1) {
    const auto frame = [](const SourcePlace& place) {
      return debug::JsonObject().raw("location", sarif_location(place)).text();
    };
    debug::JsonObject stack;
    stack.raw("frames", json_array(in_source, frame));
    made.raw("stacks", '[' + stack.text() + ']');
  }
  return made.text();
}

}  // namespace detail

/// Returns the findings that have a place in the source as SARIF 2.1.0 (OASIS, "Static Analysis
/// Results Interchange Format"). May throw std::bad_alloc.
[[nodiscard]] inline std::string sarif_report(const RunReport& run) {
  std::vector<Finding> placed;
  for (const Finding& one : run.findings) {
    for (const SourcePlace& place : one.places) {
      if (place.line == 0) continue;
      placed.push_back(one);
      break;
    }
  }
  struct Rule {
    const char* name;
    const char* text;
  };
  const std::vector<Rule> rules = {{"refused-launch", "The runtime refused a launch."},
                                   {"fault", "Work on the device failed."},
                                   {"failed-call", "A call of the runtime or of a library failed."},
                                   {"note", "A call failed, which the program may expect."}};
  debug::JsonObject driver;
  driver.add("name", "warpsafe-run");
  driver.add("version", detail::version());
  driver.raw("rules", detail::json_array(rules, [](const Rule& one) {
               debug::JsonObject made;
               made.add("id", one.name);
               made.raw("shortDescription", detail::sarif_message(one.text));
               return made.text();
             }));
  debug::JsonObject tool;
  tool.add("driver", driver);
  debug::JsonObject once;
  once.add("tool", tool);
  once.raw("results", detail::json_array(placed, &detail::sarif_result));
  debug::JsonObject made;
  made.add("$schema", "https://json.schemastore.org/sarif-2.1.0.json");
  made.add("version", "2.1.0");
  made.raw("runs", '[' + once.text() + ']');
  return made.text() + '\n';
}

}  // namespace warpsafe::watch
