// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/race/detail/clock.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <set>
#include <span>
#include <utility>
#include <vector>

namespace warpsafe::inline WARPSAFE_DETAIL_VERSION::debug {

/// One action on a strand. Points are numbered in the order in which they are added.
using Point = std::uint32_t;
inline constexpr Point no_point = ~Point{0};

/// The order of a program's points that holds for any timing: the closure of the order along each
/// strand and of the edges between strands. It uses vector clocks (Fidge, "Timestamps in
/// message-passing systems that preserve the partial ordering", 1988), and asks a clock for one
/// epoch (Flanagan and Freund, "FastTrack", 2009). Edges lead from earlier to later added points,
/// like the edges of a running program.
class HappensBefore {
 public:
  /// Adds a strand without points. It may get the number of a strand that was forgotten.
  Strand add_strand() {
    if (free_.empty()) {
      strands_.push_back({});
      return static_cast<Strand>(strands_.size() - 1);
    }
    const Strand strand = free_.back();
    free_.pop_back();
    // The ticks go on: what a clock knows of the old strand is below every point of the new one.
    strands_[strand] = {no_point, strands_[strand].ticks, false};
    return strand;
  }
  /// The strand gets no further points. Its points remain until they are forgotten.
  void end_strand(Strand strand) noexcept { strands_[strand].ended = true; }

  /// Adds the next point of `strand`. It comes after all earlier points of the strand and after
  /// each of `after`, which may lie on any strand. no_point means no point. @pre none of `after` is
  /// forgotten
  Point add(Strand strand, std::span<const Point> after = {}) {
    const auto point = static_cast<Point>(size());
    State& own = strands_[strand];
    const At* top = find(own.last);  // the point that knows all that the new point knows so far
    At added{{strand, own.ticks + 1}, top == nullptr ? Clock() : top->clock, {}};
    bool one = true;
    Clock joined;
    for (const Point earlier : after) {
      const At* const at = find(earlier);
      if (at == nullptr || knows(added, at->epoch)) continue;
      if (one && (top == nullptr || knows(*at, top->epoch))) {
        added.clock = closed(*at);
        top = at;
        continue;
      }
      one = false;
      // Nodes of a graph often share all that they know.
      if (!joined.same(at->clock)) added.clock.raise(at->clock);
      joined = at->clock;
      added.clock.raise(at->epoch);
    }
    recent_.push_back(std::move(added));
    ++own.ticks;
    own.last = point;
    return point;
  }
  /// Whether `earlier` comes before `later` in every run. No point comes before itself or no_point.
  /// @pre neither is forgotten
  [[nodiscard]] bool before(Point earlier, Point later) const noexcept {
    return earlier != later && knows(later, epoch(earlier));
  }
  /// Whether the point at `epoch` is `later` or comes before it. @pre its strand is not forgotten
  [[nodiscard]] bool knows(Point later, const Epoch& epoch) const noexcept {
    const At* const at = find(later);
    return at != nullptr && knows(*at, epoch);
  }
  /// @pre the point is not forgotten
  [[nodiscard]] Epoch epoch(Point point) const noexcept {
    const At* const at = find(point);
    return at != nullptr ? at->epoch : Epoch{};
  }
  /// The newest point of `strand`, or no_point.
  [[nodiscard]] Point last(Strand strand) const noexcept { return strands_[strand].last; }
  /// The number of points, with the forgotten ones.
  [[nodiscard]] std::size_t size() const noexcept { return first_ + recent_.size(); }

  /// Forgets all points but `kept` and the newest of each strand that has not ended. An ended
  /// strand is forgotten too if none of its points is kept and it is not `used`, by its number.
  void forget(std::vector<Point> kept, std::vector<bool> used) {
    for (const State& one : strands_) kept.push_back(one.ended ? no_point : one.last);
    std::sort(kept.begin(), kept.end());
    used.resize(strands_.size());
    std::vector<std::pair<Point, At>> still;
    for (const Point point : kept) {
      const At* const at = find(point);
      if (at == nullptr || (!still.empty() && still.back().first == point)) continue;
      used[at->epoch.strand] = true;
      still.emplace_back(point, *at);
    }
    first_ = size();
    kept_ = std::move(still);
    recent_.clear();
    free_.clear();
    for (Strand strand = 0; strand < strands_.size(); ++strand) {
      if (strands_[strand].ended && !used[strand]) free_.push_back(strand);
    }
  }
  /// Removes all points and strands.
  void clear() noexcept {
    strands_.clear();
    free_.clear();
    kept_.clear();
    recent_.clear();
    first_ = 0;
  }
  /// What is in memory. The strands' numbers are below `strands_held`.
  [[nodiscard]] std::size_t points_held() const noexcept { return kept_.size() + recent_.size(); }
  [[nodiscard]] std::size_t strands_held() const noexcept { return strands_.size(); }
  [[nodiscard]] std::size_t clock_parts_held() const {
    std::set<const void*> parts;
    const auto add = [&](const At& at) {
      at.clock.collect_parts(parts);
      at.whole.collect_parts(parts);
    };
    for (const auto& [point, at] : kept_) add(at);
    for (const At& at : recent_) add(at);
    return parts.size();
  }

 private:
  struct At {
    Epoch epoch;
    Clock clock;          ///< of the other strands
    mutable Clock whole;  ///< with the epoch; made when something waits for the point
  };
  struct State {
    Point last = no_point;
    std::uint32_t ticks = 0;
    bool ended = false;
  };

  [[nodiscard]] const At* find(Point point) const noexcept {
    if (point >= first_)
      return point - first_ < recent_.size() ? &recent_[point - first_] : nullptr;
    const auto found =
        std::lower_bound(kept_.begin(), kept_.end(), point,
                         [](const auto& held, Point wanted) { return held.first < wanted; });
    return found != kept_.end() && found->first == point ? &found->second : nullptr;
  }
  [[nodiscard]] static bool knows(const At& at, const Epoch& epoch) noexcept {
    return at.epoch.strand == epoch.strand ? at.epoch.tick >= epoch.tick : at.clock.knows(epoch);
  }
  [[nodiscard]] static const Clock& closed(const At& at) {
    if (!at.whole.knows(at.epoch)) {
      at.whole = at.clock;
      at.whole.raise(at.epoch);
    }
    return at.whole;
  }

  std::vector<State> strands_;
  std::vector<Strand> free_;
  std::vector<std::pair<Point, At>> kept_;  // by point; older than first_
  std::vector<At> recent_;                  // all points from first_ on
  std::size_t first_ = 0;
};

}  // namespace warpsafe::inline WARPSAFE_DETAIL_VERSION::debug
