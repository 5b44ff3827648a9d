// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/backend/memory_access.hpp>
#include <warpsafe/core/name.hpp>
#include <warpsafe/race/happens_before.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <map>
#include <span>
#include <utility>
#include <vector>

namespace warpsafe::inline WARPSAFE_DETAIL_VERSION::debug {

/// How a kernel that was launched with dependent_launch overlaps with an earlier one of its stream.
struct Overlap {
  bool exists = false;
  bool after_wait = false;  ///< it waited, but the wait does not cover the earlier kernel
  call_site wait{nullptr, nullptr, 0};  ///< where it waited after the access, if it did
  Point through = no_point;  ///< the kernel between both that did not wait for the earlier one
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
  /// If one of the two is not ordered with the allocation: the free that let the allocator hand the
  /// memory out again.
  Point freed_before = no_point;
  Overlap overlap{};

  /// Appends the points that a report marks, and those that it only names.
  void add_points(std::vector<Point>& marked, std::vector<Point>& named) const {
    marked.insert(marked.end(), {first, second});
    for (const Point point : {allocated, freed_before, overlap.through}) {
      if (point != no_point) named.push_back(point);
    }
  }
};

/// Finds the races of a program. It takes the program's points in the order in which the host
/// submitted them, each with the points that it waits for and its memory accesses. The source does
/// not matter: it may be the run of a modelled GPU or the record of a real one. It finds a race
/// whether or not the accesses collided.
class RaceChecker {
 public:
  [[nodiscard]] const HappensBefore& order() const noexcept { return order_; }
  Strand add_strand() { return order_.add_strand(); }
  /// The strand gets no further points. After a `forget`, its number may be that of a new strand.
  void end_strand(Strand strand) noexcept { order_.end_strand(strand); }

  /// Adds a point on `strand`, after `after`, with its accesses. For work that the host submits to
  /// a stream, `after` contains the host's newest point. Appends the new point's races with earlier
  /// points to `races`: one for each earlier point and allocation.
  Point add(Strand strand, std::span<const Point> after, std::span<const MemoryAccess> accesses,
            std::vector<Race>& races) {
    const Point point = order_.add(strand, after);
    const std::size_t older = races.size();
    std::uint32_t number = 0;
    for (MemoryAccess access : accesses) {
      if (access.kind == AccessKind::allocate) make_region(access, point);
      const auto found = region_of(access.begin);
      const bool known = found != regions_.end();
      Region& region = known ? found->second : elsewhere_;
      if (access.bytes == MemoryAccess::whole_allocation) {
        // Of memory that was not allocated here, only the first byte is known to exist.
        access.bytes = known ? region.bytes : 1;
        if (known) access.begin = found->first;
      }
      const bool stale = is_stale(region, point);
      compare(region, known ? found->first : 0, point, access, stale, races, older);
      prune(region, point, access);
      const bool reads = access.kind == AccessKind::read;
      (reads ? region.reads : region.others)
          .push_back({access, point, number++, order_.epoch(point), stale});
      ++held_;
    }
    return point;
  }

  /// A race between points of one strand that a dependent launch lets overlap.
  [[nodiscard]] Race overlap(Point first, Point second, const MemoryAccess& first_access,
                             const MemoryAccess& second_access, const Overlap& how) {
    const auto found = region_of(first_access.begin);
    const bool known = found != regions_.end();
    return {first,
            second,
            first_access,
            second_access,
            known ? found->first : 0,
            known ? found->second.allocated : no_point,
            false,
            known && is_stale(found->second, first) ? found->second.freed_before : no_point,
            how};
  }

  /// Forgets all that no later point can race with.
  ///
  /// Every later point must come after `floor`, and so knows what it knows, also of strands that
  /// are gone; usually this is the host's newest point, because all work is submitted by the host.
  /// An access that is `floor` or comes before it is then ordered with every later point, on any
  /// stream, also on one that does not exist yet, and cannot race. Every other access may race with
  /// the first work of a new stream, so it stays. A free stays for ever, because a later use of the
  /// memory is a mistake even if it is ordered. `kept`: the older points that later calls may name,
  /// such as the newest records of events.
  void forget(Point floor, std::vector<Point> kept) {
    std::vector<bool> used(order_.strands_held(), false);
    const auto forget_in = [&](std::vector<Touch>& touches) {
      held_ -= std::erase_if(touches, [&](const Touch& touch) {
        if (!is_before(touch, floor)) {
          used[touch.epoch.strand] = true;
          return false;
        }
        return touch.access.kind != AccessKind::release;
      });
      if (touches.capacity() > 64 && touches.capacity() / 4 > touches.size()) {
        touches.shrink_to_fit();
      }
    };
    each_region([&](Region& region) {
      forget_in(region.reads);
      forget_in(region.others);
      if (is_stale(region, floor)) used[region.epoch.strand] = true;
    });
    order_.forget(std::move(kept), std::move(used));
  }
  /// Calls `access` with each point that may be the first of a later race, and `allocation` with
  /// the point of each allocation that a later race may name. Some points come several times.
  template <class Access, class Allocation>
  void each_nameable(const Access& access, const Allocation& allocation) const {
    const auto visit_region = [&](const Region& region) {
      if (region.allocated != no_point) allocation(region.allocated);
      if (region.freed_before != no_point) allocation(region.freed_before);
      for (const Touch& touch : region.reads) access(touch.point);
      for (const Touch& touch : region.others) access(touch.point);
    };
    for (const auto& [begin, region] : regions_) visit_region(region);
    visit_region(elsewhere_);
  }
  /// The numbers of accesses and of allocations in memory.
  [[nodiscard]] std::size_t accesses_held() const noexcept { return held_; }
  [[nodiscard]] std::size_t allocations_held() const noexcept { return regions_.size(); }

  /// Removes everything, including the strands.
  void clear() noexcept {
    order_.clear();
    regions_.clear();
    elsewhere_ = {};
    held_ = 0;
  }

 private:
  struct Touch {
    MemoryAccess access;
    Point point;
    std::uint32_t number;  // of the point's accesses
    Epoch epoch;
    bool stale;  ///< not ordered after the allocation
  };
  struct Region {
    std::size_t bytes = 0;
    Point allocated = no_point;
    Point freed_before = no_point;  ///< the free of the memory's earlier life
    Epoch epoch{};                  ///< of the allocation
    std::vector<Touch> reads{};
    std::vector<Touch> others{};
    std::size_t reads_since_prune = 0;
  };
  using Regions = std::map<std::uintptr_t, Region>;
  // From this length on, searching a list for superfluous entries pays off; and in all lists, if
  // there are this many entries together.
  static constexpr std::size_t prune_at = 64;
  static constexpr std::size_t prune_all_at = 16384;

  [[nodiscard]] bool is_before(const Touch& touch, Point point) const noexcept {
    return order_.knows(point, touch.epoch);
  }
  /// Whether the memory was freed and allocated again, and `point` does not come after that.
  [[nodiscard]] bool is_stale(const Region& region, Point point) const noexcept {
    return region.freed_before != no_point && !order_.knows(point, region.epoch);
  }
  template <class Visit>
  void each_region(const Visit& visit) {
    for (auto& [begin, region] : regions_) visit(region);
    visit(elsewhere_);
  }

  /// Memory that is allocated again begins a new life. The allocator has ordered it after the old
  /// one.
  void make_region(const MemoryAccess& access, Point point) {
    // Regions do not overlap, so those that the new one replaces are adjacent.
    auto from = regions_.upper_bound(access.begin);
    if (from != regions_.begin()) {
      const auto before = std::prev(from);
      if (before->first + before->second.bytes > access.begin) from = before;
    }
    auto to = from;
    while (to != regions_.end() && to->first < access.end()) ++to;
    Point freed = no_point;
    for (auto old = from; old != to; ++old) {
      held_ -= old->second.reads.size() + old->second.others.size();
      for (const Touch& touch : old->second.others) {
        if (touch.access.kind == AccessKind::release) freed = touch.point;
      }
    }
    regions_.erase(from, to);
    regions_[access.begin] = {access.bytes, point, freed, order_.epoch(point)};
  }
  /// The allocation that contains `address`, freed or not.
  [[nodiscard]] Regions::iterator region_of(std::uintptr_t address) {
    const auto next = regions_.upper_bound(address);
    if (next == regions_.begin()) return regions_.end();
    const auto found = std::prev(next);
    return address - found->first < found->second.bytes ? found : regions_.end();
  }

  void compare(const Region& region, std::uintptr_t begin, Point point, const MemoryAccess& access,
               bool stale, std::vector<Race>& races, std::size_t older) {
    racing_.clear();
    const auto look_at = [&](const std::vector<Touch>& touches) {
      for (const Touch& touch : touches) {
        if (touch.point == point || !touch.access.overlaps(access)) continue;
        if (touch.access.kind == AccessKind::release || !is_before(touch, point)) {
          racing_.push_back(&touch);
        }
      }
    };
    look_at(region.others);
    if (access.kind != AccessKind::read) look_at(region.reads);
    std::sort(racing_.begin(), racing_.end(), [](const Touch* a, const Touch* b) {
      return a->point != b->point ? a->point < b->point : a->number < b->number;
    });
    for (const Touch* touch : racing_) {
      const auto same = [&](const Race& race) {
        return race.first == touch->point && race.allocation == begin;
      };
      const auto from = races.begin() + static_cast<std::ptrdiff_t>(older);
      if (std::any_of(from, races.end(), same)) continue;
      races.push_back({touch->point, point, touch->access, access, begin, region.allocated,
                       is_before(*touch, point),
                       stale || touch->stale ? region.freed_before : no_point});
    }
  }
  /// Removes accesses that `point` comes after and covers, if there are many. A later unordered
  /// access that conflicts with one of them also conflicts with `point`, and is not ordered with it
  /// either, because no edge leads back. So every race still has a report, though no longer with
  /// each of its partners.
  void prune(Region& region, Point point, const MemoryAccess& access) {
    const bool long_list = region.reads.size() + region.others.size() >= prune_at;
    if (access.rows > 1 || (!long_list && held_ < prune_all_at)) return;
    const auto prune_in = [&](std::vector<Touch>& touches) {
      held_ -= std::erase_if(touches, [&](const Touch& touch) {
        return touch.access.kind != AccessKind::release && access.begin <= touch.access.begin &&
               touch.access.end() <= access.end() && is_before(touch, point);
      });
    };
    // A write was compared with all of them anyway. A read was not compared with the reads. A write
    // that is not ordered with the reads leaves them all, so it does not count as their search.
    if (access.kind != AccessKind::read) {
      prune_in(region.others);
      return prune_in(region.reads);
    }
    if (++region.reads_since_prune < region.reads.size() / 16) return;
    region.reads_since_prune = 0;
    prune_in(region.reads);
  }

  HappensBefore order_;
  Regions regions_;       // by address
  Region elsewhere_;      // memory that was not allocated here
  std::size_t held_ = 0;  // accesses
  std::vector<const Touch*> racing_;
};

}  // namespace warpsafe::inline WARPSAFE_DETAIL_VERSION::debug
