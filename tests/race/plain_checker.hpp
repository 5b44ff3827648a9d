// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/backend/memory_access.hpp>
#include <warpsafe/race/race_checker.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

// The race checker's definition, as plainly as it can be written: it stores for each point all
// points before it, keeps all accesses, and compares all pairs.

namespace warpsafe::plain {

using debug::no_point;
using debug::Point;
using debug::Race;
using debug::Strand;

class PlainChecker {
 public:
  Strand add_strand() {
    last_.push_back(no_point);
    return static_cast<Strand>(last_.size() - 1);
  }
  Point add(Strand strand, std::span<const Point> after, std::span<const MemoryAccess> accesses,
            std::vector<Race>& races) {
    const auto point = static_cast<Point>(before_.size());
    std::vector<bool> before(point, false);
    const auto join = [&](Point earlier) {
      if (earlier == no_point) return;
      before[earlier] = true;
      for (Point i = 0; i < earlier; ++i) {
        if (before_[earlier][i]) before[i] = true;
      }
    };
    join(last_[strand]);
    for (const Point earlier : after) join(earlier);
    before_.push_back(before);
    last_[strand] = point;

    const std::size_t older = races.size();
    for (MemoryAccess access : accesses) {
      if (access.kind == AccessKind::allocate) {
        // What lies where the new memory is has ended.
        for (Memory& one : memory_) {
          const bool apart = one.end <= access.begin || access.end() <= one.begin;
          one.gone = one.gone || !apart;
        }
        memory_.push_back({access.begin, access.end(), point, false});
      }
      const auto found = std::find_if(memory_.begin(), memory_.end(), [&](const Memory& one) {
        return !one.gone && one.begin <= access.begin && access.begin < one.end;
      });
      const bool known = found != memory_.end();
      const Memory memory = known ? *found : Memory{};
      if (access.bytes == MemoryAccess::whole_allocation) {
        access.bytes = known ? memory.end - memory.begin : 1;
        if (known) access.begin = memory.begin;
      }
      for (const Touch& touch : touches_) {
        if (touch.allocated != memory.allocated || touch.point == point) continue;
        if (!touch.access.overlaps(access)) continue;
        if (touch.access.kind == AccessKind::read && access.kind == AccessKind::read) continue;
        const bool ordered = before[touch.point];
        if (ordered && touch.access.kind != AccessKind::release) continue;
        const bool reported = std::any_of(
            races.begin() + static_cast<std::ptrdiff_t>(older), races.end(), [&](const Race& race) {
              return race.first == touch.point && race.allocation == memory.begin;
            });
        if (reported) continue;
        races.push_back(
            {touch.point, point, touch.access, access, memory.begin, memory.allocated, ordered});
      }
      touches_.push_back({access, point, memory.allocated});
    }
    return point;
  }

 private:
  struct Memory {
    std::uintptr_t begin = 0;
    std::uintptr_t end = 0;
    Point allocated = no_point;
    bool gone = false;
  };
  struct Touch {
    MemoryAccess access;
    Point point;
    Point allocated;  // of its memory; no_point if it was not allocated
  };
  std::vector<Point> last_;
  std::vector<std::vector<bool>> before_;
  std::vector<Memory> memory_;
  std::vector<Touch> touches_;
};

}  // namespace warpsafe::plain
