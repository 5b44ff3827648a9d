// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace warpsafe::debug {

/// What runs in order: a stream, or a thread of the host.
using Strand = std::uint32_t;
/// One thing that happened on a strand. Points are numbered in the order in which they are added.
using Point = std::uint32_t;
inline constexpr Point no_point = ~Point{0};

/// Which of a program's points come before which, whatever the timing: the closure of the order
/// along each strand and of the edges between strands, as vector clocks (Fidge, "Timestamps in
/// message-passing systems that preserve the partial ordering", 1988). Edges lead from points that
/// were added earlier to points that were added later, as the edges of a program that runs do.
class HappensBefore {
 public:
  /// A strand without points.
  Strand add_strand() {
    last_.push_back(no_point);
    return static_cast<Strand>(last_.size() - 1);
  }
  /// The next point of `strand`, which comes after all that was added to the strand before, and
  /// after each of `after`, of any strand; no_point stands for nothing.
  Point add(Strand strand, std::span<const Point> after = {}) {
    const auto point = static_cast<Point>(points_.size());
    const std::size_t clock = clocks_.size();
    points_.push_back({strand, 0, clock});
    clocks_.resize(clock + last_.size(), 0);
    join(clock, last_[strand]);
    for (const Point earlier : after) join(clock, earlier);
    points_[point].tick = ++clocks_[clock + strand];
    last_[strand] = point;
    return point;
  }
  /// Whether `earlier` comes before `later` in every run. No point comes before itself.
  [[nodiscard]] bool before(Point earlier, Point later) const noexcept {
    if (earlier == later) return false;
    const At& at = points_[earlier];
    // A strand that the later point's clock has no room for was unknown then.
    const std::size_t place = points_[later].clock + at.strand;
    return place < end_of(later) && clocks_[place] >= at.tick;
  }
  /// The newest point of `strand`, or no_point.
  [[nodiscard]] Point last(Strand strand) const noexcept { return last_[strand]; }
  [[nodiscard]] Strand strand_of(Point point) const noexcept { return points_[point].strand; }
  /// Points so far.
  [[nodiscard]] std::size_t size() const noexcept { return points_.size(); }

  /// Forgets everything, the strands too; keeps the memory.
  void clear() noexcept {
    last_.clear();
    points_.clear();
    clocks_.clear();
  }

 private:
  struct At {
    Strand strand;
    std::uint32_t tick;  // how many points the strand had, this one included
    std::size_t clock;   // where its clock begins in clocks_; it ends where the next one begins
  };

  [[nodiscard]] std::size_t end_of(Point point) const noexcept {
    return point + 1 < points_.size() ? points_[point + 1].clock : clocks_.size();
  }
  /// Raises the newest clock, which begins at `clock`, to that of `earlier`, which knows as many
  /// strands or fewer.
  void join(std::size_t clock, Point earlier) noexcept {
    if (earlier == no_point) return;
    for (std::size_t from = points_[earlier].clock; from < end_of(earlier); ++from, ++clock) {
      if (clocks_[clock] < clocks_[from]) clocks_[clock] = clocks_[from];
    }
  }

  std::vector<Point> last_;  // by strand
  std::vector<At> points_;
  std::vector<std::uint32_t> clocks_;  // of all points, one after the other
};

}  // namespace warpsafe::debug
