// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/race/race_checker.hpp>
#include <warpsafe/race/stream_history.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <ostream>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace warpsafe::inline WARPSAFE_DETAIL_VERSION::debug {

/// The moments of a run as a table. Time goes down; the host and each stream have a column. A star
/// marks the actions in `marked`; of a long run only their surroundings are shown, and of many
/// streams only those that have something there.
[[nodiscard]] inline std::string timeline(const StreamHistory& history,
                                          std::span<const Point> marked) {
  constexpr std::size_t short_run = 60;
  constexpr std::size_t few_columns = 64;
  const auto moments = history.moments();
  const auto is_marked = [&](Point point) {
    return std::find(marked.begin(), marked.end(), point) != marked.end();
  };
  std::vector<bool> shown(moments.size(), history.happened() <= short_run);
  for (std::size_t i = 0; i < moments.size(); ++i) {
    if (!is_marked(moments[i].moment.action)) continue;
    const std::uint64_t here = moments[i].number;
    const auto is_close = [&](std::size_t j) {
      return here <= moments[j].number + history.context &&
             moments[j].number <= here + history.context;
    };
    for (std::size_t j = i; j-- != 0 && is_close(j);) shown[j] = true;
    for (std::size_t j = i; j < moments.size() && is_close(j); ++j) shown[j] = true;
  }
  // The text of each shown moment's line, and its column.
  struct Line {
    std::uint32_t column;
    std::string text;
    std::uint64_t number;
  };
  const std::size_t columns = history.is_default.size();
  std::vector<std::size_t> widths(columns, 0);
  std::vector<Line> lines;
  for (std::size_t i = 0; i < moments.size(); ++i) {
    if (!shown[i]) continue;
    const Moment& moment = moments[i].moment;
    const Action& action = history[moment.action];
    std::string text = is_marked(moment.action) ? "* " : "  ";
    text += detail::number_of(moment.action) + ' ' + action_text(action);
    if (moment.handed_over) text += " -> " + column_name(history, action.column);
    const std::string site = detail::short_site(action.site);
    const bool asked_here = moment.handed_over || action.column == 0;
    if (asked_here && !site.empty()) text += "  (" + site + ')';
    const std::uint32_t column = moment.handed_over ? 0 : action.column;
    if (widths[column] < text.size()) widths[column] = text.size();
    lines.push_back({column, std::move(text), moments[i].number});
  }
  // Where each column begins, and the heading.
  std::vector<std::size_t> begins(columns, 2);
  std::string table;
  std::size_t begin = 2;
  for (std::uint32_t column = 0; column < columns; ++column) {
    begins[column] = begin;
    if (column != 0 && columns > few_columns && widths[column] == 0) continue;
    const std::string name = "  " + column_name(history, column);
    table += std::string(begin - table.size(), ' ') + name;
    begin += 2 + (widths[column] > name.size() ? widths[column] : name.size());
  }
  table += '\n';
  std::uint64_t next = 0;
  for (const Line& line : lines) {
    if (line.number != next) table += "    ...\n";
    next = line.number + 1;
    table += std::string(begins[line.column], ' ') + line.text + '\n';
  }
  return next == history.happened() ? table : table + "    ...\n";
}

enum class Mistake : std::uint8_t {
  race,               ///< nothing orders two accesses
  use_after_release,  ///< of memory: ordered, but too late
  use_after_destroy,  ///< of a stream that was destroyed
  missing_wait,       ///< a dependent launch of a kernel that does not wait for its predecessor
  failure,            ///< work failed on the device, or the program returned an error
  different_result,   ///< another seed returned another value
  unwritten_read,     ///< a copy to the host, or atomic_add, of memory that nothing has written
  unseen_memory,      ///< a kernel's parameter hides an address, so its accesses are not known
};

/// One side of a finding.
struct Party {
  Action action;
  AccessKind access;
};

/// One mistake. `failure`, `different_result` and `unseen_memory` have no meaningful `first` and
/// `second`.
struct Finding {
  Mistake mistake;
  Party first;
  Party second;
  std::string text;
};

/// The result of a run of the race detector.
struct RaceReport {
  std::vector<Finding> findings;
  std::uint64_t seeds_run = 0;
  std::uint64_t seed = 0;     ///< the seed with findings, if there are any
  std::string timeline_text;  ///< the run of that seed

  [[nodiscard]] bool clean() const noexcept { return findings.empty(); }
  /// The findings as text, with the run that led to them. Ends with a newline.
  [[nodiscard]] std::string text() const {
    if (clean()) return "no race in " + std::to_string(seeds_run) + " seeds\n";
    std::string all;
    for (const Finding& finding : findings) all += finding.text;
    // What no seed could show has no run that led to it.
    if (seeds_run == 0 || findings.front().mistake == Mistake::unseen_memory) return all;
    const std::string number = std::to_string(seed);
    return "seed " + number + " of this program:\n" + all + "As it ran with seed " + number +
           ":\n" + timeline_text;
  }
  friend std::ostream& operator<<(std::ostream& out, const RaceReport& report) {
    return out << report.text();
  }
};

namespace detail {

[[nodiscard]] inline const char* access_text(AccessKind kind) noexcept {
  switch (kind) {
    case AccessKind::read:
      return "reads";
    case AccessKind::write:
      return "writes";
    case AccessKind::allocate:
      return "allocates";
    case AccessKind::release:
      return "frees";
  }
  return "";
}
/// The advice against a race.
[[nodiscard]] inline std::string remedy(const StreamHistory& history, const Race& race) {
  const Action& first = history[race.first];
  const Action& second = history[race.second];
  const std::string a = column_name(history, first.column);
  const std::string b = column_name(history, second.column);
  // No stream can wait inside a graph for outside work: the graph's launch stands for its nodes.
  const Point whole_first = first.graph == no_point ? race.first : first.graph;
  const Point whole_second = second.graph == no_point ? race.second : second.graph;
  const bool second_frees = race.second_access.kind == AccessKind::release;
  if (race.ordered) return "free it after its last use";
  if (race.overlap.exists && !race.overlap.after_wait) {
    return "call wait_for_predecessor() in " + action_text(second) +
           " before this access: in each thread, or in one thread and then sync_block() in all";
  }
  if (race.overlap.exists) {
    const Point through = race.overlap.through;
    const std::string between = through == no_point
                                    ? "a kernel between them"
                                    : "between them, " + describe(history, through) + ",";
    return "the wait of " + number_of(race.second) + " does not cover " + number_of(race.first) +
           ": " + between + " never waits; call wait_for_predecessor() there";
  }
  if (first.graph != no_point && first.graph == second.graph)
    return "inside a graph: capture one after the other";
  // A buffer's free waits for the streams that it was told of.
  const std::string told = second_frees ? "call used_on of the buffer with " + a + " after " +
                                              number_of(whole_first) + ", or "
                                        : "";
  if (second.column == 0)
    return told + "wait for " + a + ", or for an event after " + number_of(whole_first);
  if (first.column == 0)
    return "let the host access the memory before it submits " + number_of(whole_second);
  return told + "record an event on " + a + " after " + number_of(whole_first) + " and let " + b +
         " wait for it before " + number_of(whole_second);
}

}  // namespace detail

/// A use of a destroyed stream as text.
[[nodiscard]] inline Finding finding_of(const StreamHistory& history, Point destruction,
                                        Point use) {
  std::string text = "Use of a destroyed stream: another stream may already have its address\n";
  for (const Point point : {destruction, use}) text += "  " + describe(history, point) + '\n';
  text += "  keep the stream alive as long as anything that is bound to it\n";
  return {Mistake::use_after_destroy,
          {history[destruction], AccessKind::release},
          {history[use], AccessKind::read},
          std::move(text)};
}
/// A dependent launch of a kernel that did not wait, as text.
[[nodiscard]] inline Finding missing_wait(const StreamHistory& history, Point kernel) {
  std::string text =
      "Missing wait: no thread of this kernel waited for its predecessor\n  " +
      describe(history, kernel) +
      ", with dependent_launch\n"
      "  call wait_for_predecessor() in the kernel before it uses what an earlier kernel writes, or "
      "launch it without dependent_launch\n";
  const Party waits{history[kernel], AccessKind::read};
  return {Mistake::missing_wait, waits, waits, std::move(text)};
}
/// A copy to the host, or an atomic addition, of memory that nothing has written, as text.
[[nodiscard]] inline Finding unwritten_read(const StreamHistory& history, Point work) {
  const Party reader{history[work], AccessKind::read};
  const bool is_copy = reader.action.kind == ActionKind::copy;
  std::string text =
      "Read of memory that nothing has written\n  " + describe(history, work) +
      (is_copy ? ", from a device\n  its bytes are those of new memory, a NaN: no work "
                 "has written them, or a kernel computed with them (x[i] += y)"
               : ", adds to it by atomic_add") +
      "\n  write the memory first, on this stream or before it: "
      "zero(stream), a copy or a kernel\n";
  return {Mistake::unwritten_read, reader, reader, std::move(text)};
}
/// A finding without two sides.
[[nodiscard]] inline Finding finding_of(Mistake mistake, std::string text) {
  const Action none{ActionKind::not_done, 0, no_point, {nullptr, nullptr, 0}, {nullptr, 0}, 0};
  return {mistake, {none, AccessKind::read}, {none, AccessKind::read}, std::move(text)};
}

/// A kernel that got an address in a type that hides it, or in elements, as text. `parameter`: from
/// 1.
[[nodiscard]] inline Finding unseen_memory(Name kernel, std::uint32_t parameter) {
  std::string text =
      "Not checked: the detector found no race, but it cannot see all memory\n  kernel '";
  text.append(kernel.data, kernel.size);
  text +=
      "', parameter " + std::to_string(parameter) +
      ", holds an address of device memory that its type hides, or leads to a table of "
      "addresses\n  make the type a structure of numbers and DeviceSpans (all public, without a constructor, the spans before long "
      "arrays), or pass the view as a parameter\n";
  return finding_of(Mistake::unseen_memory, std::move(text));
}

/// A race as text: its kind, both sides with their lines, the memory, and the advice.
[[nodiscard]] inline Finding finding_of(const StreamHistory& history, const Race& race) {
  const Mistake mistake = race.ordered ? Mistake::use_after_release : Mistake::race;
  std::string text = race.ordered          ? "Use after free: the first of these frees the memory\n"
                     : race.overlap.exists ? "Race: a dependent launch lets these two overlap\n"
                                           : "Race: nothing orders these two\n";
  const auto side = [&](const MemoryAccess& access, Point point) {
    text += "  " + describe(history, point) + ", " + detail::access_text(access.kind);
    const bool second_early = race.overlap.exists && point == race.second;
    if (!second_early) text += ' ' + std::to_string(access.extent()) + " bytes";
    if (second_early) text += race.overlap.after_wait ? " after its wait" : " before its wait";
    const std::string wait = detail::short_site(race.overlap.wait);
    if (second_early && !wait.empty()) text += " at " + wait;
    text += '\n';
  };
  side(race.first_access, race.first);
  side(race.second_access, race.second);
  // Not std::max and std::min: widely used headers define macros of those names.
  const MemoryAccess& one = race.first_access;
  const MemoryAccess& other = race.second_access;
  const std::uintptr_t begin = one.begin > other.begin ? one.begin : other.begin;
  const std::uintptr_t end = one.end() < other.end() ? one.end() : other.end();
  if (race.allocated == no_point) {
    text += "  of memory that was not allocated here\n";
  } else {
    text += "  bytes " + std::to_string(begin - race.allocation) + " to " +
            std::to_string(end - race.allocation - 1) + " of " + describe(history, race.allocated) +
            '\n';
  }
  if (race.freed_before != no_point) {
    text += "  freed earlier by " + describe(history, race.freed_before) +
            ", and allocated again: one of the two may be meant for the earlier allocation\n";
  }
  text += "  " + detail::remedy(history, race) + '\n';
  return {mistake,
          {history[race.first], race.first_access.kind},
          {history[race.second], race.second_access.kind},
          std::move(text)};
}

/// Adds the races of a run, and the uses of destroyed streams, as text and with the timeline around
/// them. Omits a race with an allocation if work after the allocation raced with the same partner:
/// waiting for that work orders both.
inline void add_findings(RaceReport& report, const StreamHistory& history,
                         std::span<const Race> races,
                         std::span<const std::pair<Point, Point>> uses_after_destroy,
                         std::span<const std::pair<Point, Mistake>> remarks = {}) {
  std::vector<Point> marked;
  const auto is_redundant = [&](const Race& race) {
    if (race.first_access.kind != AccessKind::allocate) return false;
    return std::any_of(races.begin(), races.end(), [&](const Race& other) {
      return other.second == race.second && other.allocation == race.allocation &&
             other.first_access.kind != AccessKind::allocate;
    });
  };
  for (const Race& race : races) {
    if (is_redundant(race)) continue;
    report.findings.push_back(finding_of(history, race));
    marked.insert(marked.end(), {race.first, race.second});
  }
  for (const auto& [destruction, use] : uses_after_destroy) {
    report.findings.push_back(finding_of(history, destruction, use));
    marked.insert(marked.end(), {destruction, use});
  }
  const auto is_in_race = [&](Point point) {
    return std::any_of(races.begin(), races.end(), [point](const Race& race) {
      return race.first == point || race.second == point;
    });
  };
  for (const auto& [point, mistake] : remarks) {
    // The work that writes the memory may only have come later.
    if (mistake == Mistake::unwritten_read && is_in_race(point)) continue;
    report.findings.push_back(mistake == Mistake::missing_wait ? missing_wait(history, point)
                                                               : unwritten_read(history, point));
    marked.push_back(point);
  }
  if (!report.clean()) report.timeline_text = timeline(history, marked);
}

}  // namespace warpsafe::inline WARPSAFE_DETAIL_VERSION::debug
