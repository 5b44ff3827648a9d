// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include "../report/counted.hpp"
#include "../report/run_report.hpp"
#include "html_style.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace warpsafe::watch {

/// Writes the report as one HTML page, which needs no other file and no network.
class HtmlReport {
 public:
  explicit HtmlReport(const RunReport& run) : run_(run) {}

  /// May throw std::bad_alloc.
  [[nodiscard]] std::string text() {
    page_ =
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
        "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
        "style-src 'unsafe-inline'; img-src data:\">\n"
        "<link rel=\"icon\" href=\"data:,\">\n<title>warpsafe-run: ";
    page_ +=
        escaped(run_.command) + "</title>\n<style>" + html_style + "</style>\n</head>\n<body>\n";
    head();
    page_ += "<main>\n";
    findings("Errors", true);
    suspicions();
    findings("Notes", false);
    kernels();
    page_ += "</main>\n</body>\n</html>\n";
    return page_;
  }
  /// Replaces the letters that HTML reserves.
  [[nodiscard]] static std::string escaped(std::string_view text) {
    std::string made;
    for (const char letter : text) {
      switch (letter) {
        case '&':
          made += "&amp;";
          break;
        case '<':
          made += "&lt;";
          break;
        case '>':
          made += "&gt;";
          break;
        case '"':
          made += "&quot;";
          break;
        default:
          made += letter;
      }
    }
    return made;
  }

 private:
  static constexpr std::size_t most_kernels = 500;

  void head() {
    const std::uint64_t errors = run_.errors();
    page_ += "<header class=\"" + std::string(errors == 0 ? "good" : "bad") +
             "\">\n<p class=\"state\">" +
             (errors == 0 ? "No errors" : counted(errors, "error", "errors")) + "</p>\n<h1><code>" +
             escaped(run_.command) + "</code></h1>\n<p>Process " + std::to_string(run_.process) +
             " on " + escaped(run_.host) +
             (run_.rank.empty() ? "" : ", rank " + escaped(run_.rank)) + ", ended by " +
             escaped(run_.end) + "</p>\n<dl>\n";
    tile("launches", run_.launches());
    tile("kernels", run_.kernels.size());
    tile("refused launches", run_.refused());
    tile("faults", run_.faults);
    tile("other failed calls", run_.failed_calls);
    tile("notes", run_.notes);
    page_ += "</dl>\n";
    if (!run_.missing.empty()) page_ += "<p>" + escaped(run_.missing) + "</p>\n";
    page_ += "</header>\n";
  }
  void tile(const char* name, std::uint64_t number) {
    page_ +=
        "<div><dt>" + std::string(name) + "</dt><dd>" + std::to_string(number) + "</dd></div>\n";
  }
  void findings(const char* title, bool errors) {
    std::vector<const Finding*> shown;
    for (const Finding& one : run_.findings) {
      if (one.is_error() == errors) shown.push_back(&one);
    }
    if (shown.empty()) return;
    page_ += "<section><h2>" + std::string(title) + "</h2>\n";
    for (const Finding* one : shown) finding(*one);
    if (errors && run_.findings_left_out != 0) {
      page_ += "<p>" + std::to_string(run_.findings_left_out) +
               " further findings are only counted.</p>\n";
    }
    page_ += "</section>\n";
  }
  void finding(const Finding& one) {
    page_ += "<article class=\"" + std::string(one.is_error() ? "error" : "note") +
             "\">\n<p class=\"kind\">" + Finding::name(one.kind) +
             (one.count == 1 ? "" : ", " + std::to_string(one.count) + " times") + "</p>\n<h3>" +
             escaped(one.title) + "</h3>\n";
    lines(one.details);
    if (!one.log.empty()) {
      page_ += "<p><b>The driver's log:</b> " + escaped(one.log) + "</p>\n";
    }
    if (!one.remedy.empty()) page_ += "<p class=\"remedy\">" + escaped(one.remedy) + "</p>\n";
    if (!one.places.empty()) {
      page_ += "<ol class=\"places\">\n";
      for (const SourcePlace& place : one.places) {
        page_ += "<li><code>" + escaped(place.text()) + "</code></li>\n";
      }
      page_ += "</ol>\n";
    }
    page_ += "</article>\n";
  }
  /// `text` has lines, each after "\n  ".
  void lines(std::string_view text) {
    if (text.empty()) return;
    page_ += "<ul>\n";
    while (!text.empty()) {
      text.remove_prefix(std::min(text.size(), text.find_first_not_of("\n ")));
      const std::string_view line = text.substr(0, text.find('\n'));
      const char* const kind = line.substr(0, 4) == "try " ? "<li class=\"remedy\">" : "<li>";
      if (!line.empty()) page_ += kind + escaped(line) + "</li>\n";
      text.remove_prefix(line.size());
    }
    page_ += "</ul>\n";
  }
  void suspicions() {
    if (run_.suspicions.empty()) return;
    page_ += "<section><h2>Suspicions</h2>\n";
    for (const std::string& one : run_.suspicions) {
      constexpr std::string_view prefix = "suspicion: ";
      std::string_view text = one;
      if (text.substr(0, prefix.size()) == prefix) text.remove_prefix(prefix.size());
      page_ += "<article class=\"suspicion\"><p>" + escaped(text) + "</p></article>\n";
    }
    page_ += "</section>\n";
  }
  void kernels() {
    if (run_.kernels.empty()) return;
    std::vector<ReportedKernel> all = run_.kernels;
    std::stable_sort(all.begin(), all.end(),
                     [](const auto& a, const auto& b) { return a.launches > b.launches; });
    const double most = static_cast<double>(all.front().launches);
    page_ +=
        "<section><h2>Kernels</h2>\n<div class=\"wide\"><table>\n<thead><tr><th>Kernel</th>"
        "<th class=\"number\">Launches</th><th class=\"bars\" aria-hidden=\"true\"></th>"
        "<th class=\"number\">Refused</th><th class=\"number\">Suspect of faults</th></tr></thead>\n"
        "<tbody>\n";
    for (std::size_t i = 0; i < all.size() && i < most_kernels; ++i) {
      const ReportedKernel& one = all[i];
      const auto percent = [&](std::uint64_t count) {
        return std::to_string(static_cast<int>(100 * static_cast<double>(count) / most + 0.5));
      };
      page_ += "<tr><td><code>" + escaped(one.name) + "</code></td><td class=\"number\">" +
               std::to_string(one.launches) +
               "</td><td class=\"bars\" aria-hidden=\"true\"><i class=\"fine\" style=\"width:" +
               percent(one.launches - one.refused) +
               "%\"></i><i class=\"refused\" style=\"width:" + percent(one.refused) +
               "%\"></i></td><td class=\"number\">" + none(one.refused) +
               "</td><td class=\"number\">" + none(one.suspect) + "</td></tr>\n";
    }
    page_ += "</tbody>\n</table></div>\n";
    if (all.size() > most_kernels) {
      page_ += "<p>and " + std::to_string(all.size() - most_kernels) + " more</p>\n";
    }
    page_ += "</section>\n";
  }
  [[nodiscard]] static std::string none(std::uint64_t number) {
    return number == 0 ? "–" : "<b>" + std::to_string(number) + "</b>";
  }

  const RunReport& run_;
  std::string page_;
};

}  // namespace warpsafe::watch
