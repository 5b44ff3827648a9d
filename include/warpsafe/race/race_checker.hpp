// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/backend/memory_access.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <span>
#include <vector>

namespace warpsafe::debug {

/// A sequence of ordered actions: a stream, or a thread of the host.
using Strand = std::uint32_t;
/// One action on a strand. Points are numbered in the order in which they are added.
using Point = std::uint32_t;
inline constexpr Point no_point = ~Point{0};

/// The order of a program's points that holds for any timing: the closure of the order along each
/// strand and of the edges between strands. It uses vector clocks (Fidge, "Timestamps in
/// message-passing systems that preserve the partial ordering", 1988). Edges lead from earlier to
/// later added points, like the edges of a running program.
class HappensBefore {
 public:
  /// Adds a strand without points.
  Strand add_strand() {
    last_.push_back(no_point);
    return static_cast<Strand>(last_.size() - 1);
  }
  /// Adds the next point of `strand`. It comes after all earlier points of the strand and after
  /// each of `after`, which may lie on any strand. no_point means no point.
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
    // If the later point's clock has no entry for a strand, the strand did not exist then.
    const std::size_t place = points_[later].clock + at.strand;
    return place < end_of(later) && clocks_[place] >= at.tick;
  }
  /// The newest point of `strand`, or no_point.
  [[nodiscard]] Point last(Strand strand) const noexcept { return last_[strand]; }
  /// The number of points.
  [[nodiscard]] std::size_t size() const noexcept { return points_.size(); }

  /// Removes all points and strands; keeps the memory.
  void clear() noexcept {
    last_.clear();
    points_.clear();
    clocks_.clear();
  }

 private:
  struct At {
    Strand strand;
    std::uint32_t tick;  // the number of the strand's points so far, including this one
    std::size_t clock;   // where its clock begins in clocks_; it ends where the next one begins
  };

  [[nodiscard]] std::size_t end_of(Point point) const noexcept {
    return point + 1 < points_.size() ? points_[point + 1].clock : clocks_.size();
  }
  /// Raises the newest clock, which begins at `clock`, to that of `earlier`, which has at most as
  /// many entries.
  void join(std::size_t clock, Point earlier) noexcept {
    if (earlier == no_point) return;
    for (std::size_t from = points_[earlier].clock; from < end_of(earlier); ++from, ++clock) {
      if (clocks_[clock] < clocks_[from]) clocks_[clock] = clocks_[from];
    }
  }

  std::vector<Point> last_;  // by strand
  std::vector<At> points_;
  std::vector<std::uint32_t> clocks_;  // of all points, one after another
};

/// Two unordered accesses to the same bytes, not both reads; or an access to memory that was freed
/// before.
struct Race {
  Point first;  ///< added first; in a run, either may come first
  Point second;
  MemoryAccess first_access;  ///< `whole_allocation` resolved
  MemoryAccess second_access;
  std::uintptr_t allocation;  ///< where the memory begins; 0 if it was not allocated here
  Point allocated;            ///< the point of the allocation; no_point if there is none
  bool ordered;               ///< the second comes after the first, which freed the memory
};

/// Finds the races of a program. It takes the program's points in the order in which the host
/// submitted them, each with the points that it waits for and its memory accesses. The source does
/// not matter: it may be the run of a modelled GPU or the record of a real one. It finds a race
/// whether or not the accesses collided.
class RaceChecker {
 public:
  [[nodiscard]] const HappensBefore& order() const noexcept { return order_; }
  Strand add_strand() { return order_.add_strand(); }

  /// Adds a point on `strand`, after `after`, with its accesses. For work that the host submits to
  /// a stream, `after` contains the host's newest point. Appends the new point's races with earlier
  /// points to `races`: one for each earlier point and allocation.
  Point add(Strand strand, std::span<const Point> after, std::span<const MemoryAccess> accesses,
            std::vector<Race>& races) {
    const Point point = order_.add(strand, after);
    const std::size_t older = races.size();
    for (MemoryAccess access : accesses) {
      if (access.kind == AccessKind::allocate) make_region(access, point);
      Region* const found = region_of(access.begin);
      Region& region = found == nullptr ? elsewhere_ : *found;
      if (access.bytes == MemoryAccess::whole_allocation) {
        // Of memory that was not allocated here, only the first byte is known to exist.
        access.bytes = found == nullptr ? 1 : region.bytes;
        if (found != nullptr) access.begin = region.begin;
      }
      compare(region, point, access, races, older);
      if (region.touches.size() >= prune_at) prune(region, point, access);
      region.touches.push_back({access, point});
    }
    return point;
  }
  /// Removes everything, including the strands.
  void clear() noexcept {
    order_.clear();
    regions_.clear();
    elsewhere_.touches.clear();
  }

 private:
  struct Touch {
    MemoryAccess access;
    Point point;
  };
  struct Region {
    std::uintptr_t begin = 0;
    std::size_t bytes = 0;
    Point allocated = no_point;
    std::vector<Touch> touches{};
  };
  // From this length on, searching a list for superfluous entries pays off.
  static constexpr std::size_t prune_at = 64;

  /// Memory that is allocated again begins a new life. The allocator has ordered it after the old
  /// one.
  void make_region(const MemoryAccess& access, Point point) {
    // Regions do not overlap, so those that the new one replaces are adjacent.
    auto from = after(access.begin);
    if (from != regions_.begin() &&
        std::prev(from)->begin + std::prev(from)->bytes > access.begin) {
      --from;
    }
    auto to = from;
    while (to != regions_.end() && to->begin < access.end()) ++to;
    from = regions_.erase(from, to);
    regions_.insert(from, Region{access.begin, access.bytes, point});
  }
  /// The first region that begins above `address`.
  [[nodiscard]] std::vector<Region>::iterator after(std::uintptr_t address) {
    return std::upper_bound(
        regions_.begin(), regions_.end(), address,
        [](std::uintptr_t wanted, const Region& region) { return wanted < region.begin; });
  }
  /// The allocation that contains `address`, freed or not, or nullptr.
  [[nodiscard]] Region* region_of(std::uintptr_t address) {
    const auto next = after(address);
    if (next == regions_.begin()) return nullptr;
    Region& region = *std::prev(next);
    return address - region.begin < region.bytes ? &region : nullptr;
  }

  void compare(const Region& region, Point point, const MemoryAccess& access,
               std::vector<Race>& races, std::size_t older) const {
    for (const Touch& touch : region.touches) {
      if (touch.point == point || !touch.access.overlaps(access)) continue;
      if (touch.access.kind == AccessKind::read && access.kind == AccessKind::read) continue;
      const bool ordered = order_.before(touch.point, point);
      if (ordered && touch.access.kind != AccessKind::release) continue;
      const auto same = [&](const Race& race) {
        return race.first == touch.point && race.allocation == region.begin;
      };
      const auto begin = races.begin() + static_cast<std::ptrdiff_t>(older);
      if (std::any_of(begin, races.end(), same)) continue;
      races.push_back(
          {touch.point, point, touch.access, access, region.begin, region.allocated, ordered});
    }
  }
  /// Removes accesses that `point` comes after and covers. A later unordered access that conflicts
  /// with one of them also conflicts with `point`, and is not ordered with it either, because no
  /// edge leads back. So every race still has a report, though no longer with each of its partners.
  void prune(Region& region, Point point, const MemoryAccess& access) {
    if (access.rows > 1) return;
    std::erase_if(region.touches, [&](const Touch& touch) {
      const bool stands_for_it =
          access.kind != AccessKind::read || touch.access.kind == AccessKind::read;
      return stands_for_it && touch.access.kind != AccessKind::release &&
             access.begin <= touch.access.begin && touch.access.end() <= access.end() &&
             order_.before(touch.point, point);
    });
  }

  HappensBefore order_;
  std::vector<Region> regions_;  // by address
  Region elsewhere_;             // memory that was not allocated here
};

}  // namespace warpsafe::debug
