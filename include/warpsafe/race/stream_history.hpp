// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/core/name.hpp>
#include <warpsafe/race/race_checker.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace warpsafe::inline WARPSAFE_DETAIL_VERSION::debug {

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
class StreamHistory {
 public:
  /// A moment, and its number in the order of time.
  struct Numbered {
    std::uint64_t number;
    Moment moment;
  };
  /// Before and after an action that a report marks, this many moments are shown.
  static constexpr std::size_t context = 12;

  std::vector<bool> is_default{true};  ///< by column: whether it is a default stream

  /// Gets the memory for the next action, so that its `add` cannot fail.
  void make_room() {
    if (actions_.size() == actions_.capacity()) actions_.reserve(2 * actions_.size() + 1);
  }
  /// Adds the next action. Returns its point.
  Point add(const Action& action) {
    actions_.emplace_back(size_, action);
    return size_++;
  }
  void happens(Point action, bool handed_over) {
    moments_.push_back({happened_++, {action, handed_over}});
  }
  /// @pre the action is not forgotten
  [[nodiscard]] const Action& operator[](Point point) const noexcept {
    const auto later = [](const auto& one, Point wanted) { return one.first < wanted; };
    return std::lower_bound(actions_.begin(), actions_.end(), point, later)->second;
  }
  /// The numbers of all actions and moments, with the forgotten ones.
  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  [[nodiscard]] std::uint64_t happened() const noexcept { return happened_; }
  /// The number of actions in memory.
  [[nodiscard]] std::size_t held() const noexcept { return actions_.size(); }
  /// The moments in memory: those around what is not forgotten, and the newest.
  [[nodiscard]] std::span<const Numbered> moments() const noexcept { return moments_; }

  /// Forgets what no later report shows. A later report marks actions of `marked` or newer ones,
  /// and names actions of `named`.
  void forget(std::vector<Point> marked, std::vector<Point> named) {
    std::sort(marked.begin(), marked.end());
    std::vector<bool> kept(moments_.size());
    const auto index_of = [&](const Numbered& one) {
      return static_cast<std::size_t>(&one - moments_.data());
    };
    std::uint64_t closest = ~std::uint64_t{0};
    const auto look_at = [&](const Numbered& one) {
      if (std::binary_search(marked.begin(), marked.end(), one.moment.action)) closest = one.number;
      const std::uint64_t apart =
          closest > one.number ? closest - one.number : one.number - closest;
      if (apart <= context) kept[index_of(one)] = true;
    };
    std::for_each(moments_.begin(), moments_.end(), look_at);
    closest = happened_;  // the next moment may be that of a marked action
    std::for_each(moments_.rbegin(), moments_.rend(), look_at);
    named.insert(named.end(), marked.begin(), marked.end());
    std::sort(named.begin(), named.end());
    const std::size_t asked = named.size();
    const auto is_kept = [&](const Numbered& one) {
      const auto end = named.begin() + static_cast<std::ptrdiff_t>(asked);
      return kept[index_of(one)] || std::binary_search(named.begin(), end, one.moment.action);
    };
    std::vector<Numbered> still;
    for (const Numbered& one : moments_) {
      if (!is_kept(one)) continue;
      still.push_back(one);
      named.push_back(one.moment.action);
    }
    moments_ = std::move(still);
    std::sort(named.begin(), named.end());
    std::erase_if(actions_, [&](const auto& one) {
      return !std::binary_search(named.begin(), named.end(), one.first);
    });
    actions_.shrink_to_fit();
  }
  void clear() {
    actions_.clear();
    moments_.clear();
    is_default.resize(1);
    size_ = 0;
    happened_ = 0;
  }

 private:
  std::vector<std::pair<Point, Action>> actions_;  // by point
  std::vector<Numbered> moments_;
  Point size_ = 0;
  std::uint64_t happened_ = 0;
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
  const Action& action = history[point];
  std::string text = detail::number_of(point) + ' ' + action_text(action);
  if (action.graph != no_point) text += " in graph " + detail::number_of(action.graph);
  text += action.column == 0 ? " by the host" : " on " + column_name(history, action.column);
  const std::string site = detail::short_site(action.site);
  return site.empty() ? text + ", from an unknown line" : text + ", at " + site;
}

}  // namespace warpsafe::inline WARPSAFE_DETAIL_VERSION::debug
