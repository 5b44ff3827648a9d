// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/core/call_site.hpp>
#include <warpsafe/core/name.hpp>
#include <warpsafe/race/race_checker.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace warpsafe::debug {

enum class ActionKind : std::uint8_t {
  kernel,
  graph,
  copy,
  fill,
  allocate,
  release,
  record,
  wait,
  host_read,
  host_write,
  host_allocate,
  host_release,
  synchronize,  ///< the host learns that `after` is done
  not_done,     ///< the host learns that some work is not done
  empty_wait,   ///< for an event that was never recorded
  destroy_stream,
  use_after_destroy,
};

/// One action of a program. Its number is its point in the order of actions.
struct Action {
  ActionKind kind;
  std::uint32_t column;    ///< 0: the host; n: the nth stream
  Point after;             ///< the point of another column that it waits for, or no_point
  call_site site;          ///< without a file if it is not known
  Name what;               ///< the kernel's name
  std::size_t bytes;       ///< 0 if it has no meaning
  Point graph = no_point;  ///< the launch of the graph that it is a node of
};

/// The time of an action. Work of a stream has two: its submission and its run.
struct Moment {
  Point action;
  bool handed_over;
};

/// The actions of a program on its streams in their order, for reports.
struct StreamHistory {
  std::vector<Action> actions;
  std::vector<Moment> moments;
  std::vector<bool> is_default{true};  ///< by column: whether it is a default stream

  void clear() {
    actions.clear();
    moments.clear();
    is_default.resize(1);
  }
};

namespace detail {

/// The file without its folders, and the line; empty if they are not known.
[[nodiscard]] inline std::string short_site(const call_site& site) {
  if (site.file == nullptr) return {};
  const std::string file = site.file;
  return file.substr(file.find_last_of('/') + 1) + ':' + std::to_string(site.line);
}
[[nodiscard]] inline std::string number_of(Point point) { return '#' + std::to_string(point + 1); }

}  // namespace detail

/// A column's name: "host", "stream 2", "default stream".
[[nodiscard]] inline std::string column_name(const StreamHistory& history, std::uint32_t column) {
  if (column == 0) return "host";
  return history.is_default[column] ? "default stream" : "stream " + std::to_string(column);
}

/// An action in a few words: "kernel 'axpy'", "copy of 64 bytes".
[[nodiscard]] inline std::string action_text(const Action& action) {
  const auto sized = [&](const char* text) {
    const std::string bytes = std::to_string(action.bytes) + " bytes";
    return action.bytes == 0 ? std::string(text) : std::string(text) + " of " + bytes;
  };
  const auto after = [&](const char* text) {
    return action.after == no_point ? std::string(text)
                                    : text + (" for " + detail::number_of(action.after));
  };
  switch (action.kind) {
    case ActionKind::kernel:
      return action.what.empty()
                 ? "kernel"
                 : "kernel '" + std::string(action.what.data, action.what.size) + "'";
    case ActionKind::graph:
      return "graph";
    case ActionKind::copy:
      return sized("copy");
    case ActionKind::fill:
      return sized("fill");
    case ActionKind::allocate:
    case ActionKind::host_allocate:
      return sized("allocation");
    case ActionKind::release:
    case ActionKind::host_release:
      return sized("free");
    case ActionKind::record:
      return "event record";
    case ActionKind::wait:
      return after("wait");
    case ActionKind::host_read:
      return sized("read");
    case ActionKind::host_write:
      return sized("write");
    case ActionKind::synchronize:
      return action.after == no_point ? "synchronize"
                                      : "knows done: " + detail::number_of(action.after);
    case ActionKind::not_done:
      return "query: not done";
    case ActionKind::empty_wait:
      return "wait for an event never recorded";
    case ActionKind::destroy_stream:
      return "destroys the stream";
    case ActionKind::use_after_destroy:
      return "uses the destroyed stream";
  }
  return {};
}

/// An action with its column and its source line.
[[nodiscard]] inline std::string describe(const StreamHistory& history, Point point) {
  const Action& action = history.actions[point];
  std::string text = detail::number_of(point) + ' ' + action_text(action);
  if (action.graph != no_point) text += " in graph " + detail::number_of(action.graph);
  text += action.column == 0 ? " by the host" : " on " + column_name(history, action.column);
  const std::string site = detail::short_site(action.site);
  return site.empty() ? text + ", from an unknown line" : text + ", at " + site;
}

}  // namespace warpsafe::debug
