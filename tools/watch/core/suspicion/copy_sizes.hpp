// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include "../report/counted.hpp"

#include <cstdint>
#include <map>
#include <mutex>
#include <string>

namespace warpsafe::watch {

/// Finds allocations of which only a quarter or an eighth is ever copied, which happens when a
/// number of elements is passed as a number of bytes. An allocation in which the program also uses
/// other addresses is a pool, from which an allocator hands out parts. Thread-safe.
class CopySizes {
 public:
  /// Adds device memory. `for_pool`: an allocator that hands out parts has asked for it. May throw
  /// std::bad_alloc.
  void allocated(std::uint64_t memory, std::uint64_t bytes, bool for_pool = false) {
    const std::lock_guard lock(mutex_);
    allocations_[memory] = {bytes, 0, 0, for_pool ? 1U : 0U};
  }
  void freed(std::uint64_t memory) {
    const std::lock_guard lock(mutex_);
    const auto found = allocations_.find(memory);
    if (found == allocations_.end()) return;
    judge(found->second);
    allocations_.erase(found);
  }
  /// Records other work that begins at that address.
  void used(std::uint64_t memory) {
    const std::lock_guard lock(mutex_);
    const auto found = containing(memory);
    if (found != allocations_.end() && found->first != memory) ++found->second.others;
  }
  /// Records a copy of so many bytes to or from the memory.
  void copied(std::uint64_t memory, std::uint64_t bytes) {
    const std::lock_guard lock(mutex_);
    const auto found = containing(memory);
    if (found == allocations_.end()) return;
    Allocation& one = found->second;
    if (found->first != memory) {
      ++one.others;
    } else if (bytes >= least && bytes * 4 == one.bytes) {
      ++one.quarters;
    } else if (bytes >= least && bytes * 8 == one.bytes) {
      ++one.eighths;
    } else {
      ++one.others;
    }
  }
  /// Calls `report(text)` if there are suspicions. Call once: it also judges the live allocations.
  template <class Report>
  void each(const Report& report) {
    const std::lock_guard lock(mutex_);
    for (const auto& [memory, one] : allocations_) judge(one);
    allocations_.clear();
    if (found_ == 0) return;
    report("suspicion: " + counted(found_, "allocation", "allocations") +
           " of which only the first 1/" + std::to_string(part_) + " was ever copied (" +
           std::to_string(bytes_ / part_) + " of " + std::to_string(bytes_) +
           " bytes): was a number of elements passed as bytes?");
  }

 private:
  /// Smaller copies of a quarter are usually intended.
  static constexpr std::uint64_t least = 64;
  struct Allocation {
    std::uint64_t bytes;
    std::uint64_t quarters;
    std::uint64_t eighths;
    std::uint64_t others;
  };
  /// Returns the allocation that contains the address.
  [[nodiscard]] std::map<std::uint64_t, Allocation>::iterator containing(std::uint64_t memory) {
    auto next = allocations_.upper_bound(memory);
    if (next == allocations_.begin()) return allocations_.end();
    --next;
    return memory - next->first < next->second.bytes ? next : allocations_.end();
  }
  void judge(const Allocation& one) {
    if (one.others != 0 || one.quarters + one.eighths == 0) return;
    if (one.quarters != 0 && one.eighths != 0) return;
    if (found_++ == 0) {
      part_ = one.quarters != 0 ? 4 : 8;
      bytes_ = one.bytes;
    }
  }

  std::mutex mutex_;
  std::map<std::uint64_t, Allocation> allocations_;
  std::uint64_t found_ = 0;  ///< suspicious allocations
  std::uint64_t part_ = 4;   ///< part and size of the first one
  std::uint64_t bytes_ = 0;
};

}  // namespace warpsafe::watch
