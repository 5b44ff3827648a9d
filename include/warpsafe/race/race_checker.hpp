// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/backend/memory_access.hpp>
#include <warpsafe/race/happens_before.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <span>
#include <vector>

namespace warpsafe::debug {

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
