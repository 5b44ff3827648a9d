// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/race/stream_history.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace warpsafe::debug {

/// The moments of a run as a table: time goes down, one column for the host and one for each
/// stream. `marked` actions get a star; of a long run only what is near them is shown.
[[nodiscard]] inline std::string timeline(const StreamHistory& history,
                                          std::span<const Point> marked) {
  constexpr std::size_t context = 12;
  constexpr std::size_t short_run = 60;
  const auto is_marked = [&](Point point) {
    return std::find(marked.begin(), marked.end(), point) != marked.end();
  };
  // What stands in each moment's line, and in which column.
  struct Line {
    std::uint32_t column;
    std::string text;
    bool shown;
  };
  std::vector<Line> lines;
  for (const Moment& moment : history.moments) {
    const Action& action = history.actions[moment.action];
    std::string text = is_marked(moment.action) ? "* " : "  ";
    text += detail::number_of(moment.action) + ' ' + action_text(action);
    if (moment.handed_over) text += " -> " + column_name(history, action.column);
    const std::string site = detail::short_site(action.site);
    const bool asked_here = moment.handed_over || action.column == 0;
    if (asked_here && !site.empty()) text += "  (" + site + ')';
    const bool all = history.moments.size() <= short_run;
    lines.push_back({moment.handed_over ? 0 : action.column, std::move(text), all});
  }
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (!is_marked(history.moments[i].action)) continue;
    for (std::size_t j = i > context ? i - context : 0; j < lines.size() && j <= i + context; ++j) {
      lines[j].shown = true;
    }
  }
  std::vector<std::size_t> widths;
  for (std::uint32_t column = 0; column < history.is_default.size(); ++column) {
    widths.push_back(column_name(history, column).size() + 2);
  }
  for (const Line& line : lines) {
    std::size_t& width = widths[line.column];
    if (line.shown && line.text.size() > width) width = line.text.size();
  }
  const auto row = [&](std::uint32_t column, const std::string& text) {
    std::string padded = "  ";
    for (std::uint32_t i = 0; i < column; ++i) padded += std::string(widths[i] + 2, ' ');
    return padded + text + '\n';
  };
  std::string table = "  ";
  for (std::uint32_t column = 0; column < widths.size(); ++column) {
    const std::string name = "  " + column_name(history, column);
    const bool last = column + 1 == widths.size();
    table += last ? name + '\n' : name + std::string(widths[column] + 2 - name.size(), ' ');
  }
  bool gap = false;
  for (const Line& line : lines) {
    if (!line.shown) {
      if (!gap) table += "    ...\n";
      gap = true;
      continue;
    }
    gap = false;
    table += row(line.column, line.text);
  }
  return table;
}

}  // namespace warpsafe::debug
