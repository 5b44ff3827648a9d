// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include "../call/block_at.hpp"
#include "../place/host_stack.hpp"
#include "../report/counted.hpp"

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

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
    allocations_[memory] = {bytes, 0, 0, for_pool ? 1U : 0U, nullptr};
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
    const auto found = block_at(allocations_, memory);
    if (found != allocations_.end() && found->first != memory) ++found->second.others;
  }
  /// Records a fill of so many bytes. A program that fills the same part as it copies wants it.
  void filled(std::uint64_t memory, std::uint64_t bytes) {
    const std::lock_guard lock(mutex_);
    const auto found = block_at(allocations_, memory);
    if (found == allocations_.end()) return;
    if (found->first != memory || is_part(found->second, bytes, 4) ||
        is_part(found->second, bytes, 8)) {
      ++found->second.others;
    }
  }
  /// Records a copy of so many bytes to or from the memory.
  void copied(std::uint64_t memory, std::uint64_t bytes) {
    if (!is_first_part(memory, bytes)) return;
    // Without the lock: a look at the stack may wait for the loader.
    const auto stack = std::make_shared<const HostStack>(HostStack::here());
    const std::lock_guard lock(mutex_);
    const auto found = block_at(allocations_, memory);
    if (found != allocations_.end()) found->second.copied_at = stack;
  }
  /// Calls `report(text)` if there are suspicions. Call once: it also judges the live allocations.
  template <class Report>
  void each(const Report& report) {
    each(report, [](const HostStack&, std::string_view) { return std::string(); });
  }
  /// `place(stack, kernel)` returns the words for a place in the program, or "".
  template <class Report, class Place>
  void each(const Report& report, const Place& place) {
    const std::lock_guard lock(mutex_);
    for (const auto& [memory, one] : allocations_) judge(one);
    allocations_.clear();
    if (found_ == 0) return;
    const std::string where =
        copied_at_ == nullptr ? std::string() : place(*copied_at_, std::string_view());
    report("suspicion: " + counted(found_, "allocation", "allocations") +
           " of which only the first 1/" + std::to_string(part_) + " was ever copied (" +
           std::to_string(bytes_ / part_) + " of " + std::to_string(bytes_) +
           " bytes): was a number of elements passed as bytes?" +
           (where.empty() ? where : " The first copy is submitted in " + where));
  }

 private:
  /// Smaller copies of a quarter are usually intended.
  static constexpr std::uint64_t least = 64;
  struct Allocation {
    std::uint64_t bytes;
    std::uint64_t quarters;
    std::uint64_t eighths;
    std::uint64_t others;
    std::shared_ptr<const HostStack> copied_at;  ///< the first copy of a part
  };
  /// Counts the copy. Returns whether it is the first one, and of a quarter or an eighth.
  [[nodiscard]] bool is_first_part(std::uint64_t memory, std::uint64_t bytes) {
    const std::lock_guard lock(mutex_);
    const auto found = block_at(allocations_, memory);
    if (found == allocations_.end()) return false;
    Allocation& one = found->second;
    if (found->first != memory) {
      ++one.others;
    } else if (is_part(one, bytes, 4)) {
      ++one.quarters;
    } else if (is_part(one, bytes, 8)) {
      ++one.eighths;
    } else {
      ++one.others;
    }
    return one.quarters + one.eighths == 1 && one.others == 0;
  }
  [[nodiscard]] static bool is_part(const Allocation& one, std::uint64_t bytes,
                                    std::uint64_t parts) noexcept {
    return bytes >= least && bytes * parts == one.bytes;
  }
  void judge(const Allocation& one) {
    if (one.others != 0 || one.quarters + one.eighths == 0) return;
    if (one.quarters != 0 && one.eighths != 0) return;
    if (found_++ == 0) {
      part_ = one.quarters != 0 ? 4 : 8;
      bytes_ = one.bytes;
      copied_at_ = one.copied_at;
    }
  }

  std::mutex mutex_;
  std::map<std::uint64_t, Allocation> allocations_;
  std::uint64_t found_ = 0;  ///< suspicious allocations
  std::uint64_t part_ = 4;   ///< part and size of the first one
  std::uint64_t bytes_ = 0;
  std::shared_ptr<const HostStack> copied_at_;
};

}  // namespace warpsafe::watch
