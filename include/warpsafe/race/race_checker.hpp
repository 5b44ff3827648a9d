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

/// Two accesses to the same bytes, not both reads, that nothing orders; or one to memory that was
/// given back before.
struct Race {
  Point first;  ///< added first: in a run, either may come first
  Point second;
  MemoryAccess first_access;  ///< `whole_allocation` resolved
  MemoryAccess second_access;
  std::uintptr_t allocation;  ///< where the memory begins; 0 if nobody allocated it
  Point allocated;            ///< by which point; no_point if nobody did
  bool ordered;               ///< the second comes after the first, which gave the memory back
};

/// Finds the races of a program from what it did, in the order in which the host asked for it: each
/// point with the points that it waits for, and what it does to memory. It knows nothing of where
/// that comes from, a modelled GPU's run or a real one's journal, and finds a race whether or not
/// the two went wrong this time.
class RaceChecker {
 public:
  [[nodiscard]] const HappensBefore& order() const noexcept { return order_; }
  Strand add_strand() { return order_.add_strand(); }

  /// A point on `strand`, after `after`, with what it touches. Work that the host hands to a stream
  /// names the host's newest point among `after`. The new point's races with earlier ones are
  /// appended to `races`: one for each earlier point and allocation.
  Point add(Strand strand, std::span<const Point> after, std::span<const MemoryAccess> accesses,
            std::vector<Race>& races) {
    const Point point = order_.add(strand, after);
    const std::size_t older = races.size();
    for (MemoryAccess access : accesses) {
      if (access.kind == AccessKind::allocate) make_region(access, point);
      Region* const found = region_of(access.begin);
      Region& region = found == nullptr ? elsewhere_ : *found;
      if (access.bytes == MemoryAccess::whole_allocation) {
        // Of memory that nobody allocated, nothing is known but that its first byte is there.
        access.bytes = found == nullptr ? 1 : region.bytes;
        if (found != nullptr) access.begin = region.begin;
      }
      compare(region, point, access, races, older);
      if (region.touches.size() >= prune_at) prune(region, point, access);
      region.touches.push_back({access, point});
    }
    return point;
  }
  /// Forgets everything, the strands too.
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
  // Longer lists are worth the search for what needs no more looking at.
  static constexpr std::size_t prune_at = 64;

  /// Memory that is handed out again begins a new life: whoever handed it out has seen to the order
  /// with the old one.
  void make_region(const MemoryAccess& access, Point point) {
    // Regions do not overlap, so those that the new one takes the place of lie side by side.
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
  /// The allocation that holds `address`, given back or not, or nullptr.
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
  /// Drops what `point` comes after and covers: a later access that conflicts with that, unordered,
  /// conflicts with `point` too, and is not ordered with it either, since no edge leads back. So a
  /// race is found wherever there is one, if no longer with each of its partners.
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
  Region elsewhere_;             // what nobody allocated
};

}  // namespace warpsafe::debug
