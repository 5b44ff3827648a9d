// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include "kernel_table.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>

namespace warpsafe::watch {

/// What is legal, and often a mistake. Told at exit alone, as a suspicion: a program may mean it.
class Suspicions {
 public:
  /// A launch. `legacy`: on the legacy default stream, of a device whose program has made streams.
  void launched(Kernel& kernel, bool legacy) noexcept {
    if (!legacy) {
      __atomic_store_n(&others_in_use_, true, __ATOMIC_RELAXED);
      return;
    }
    if (!__atomic_load_n(&others_in_use_, __ATOMIC_RELAXED)) return;
    __atomic_add_fetch(&on_legacy_, 1, __ATOMIC_RELAXED);
    Kernel* first = nullptr;
    __atomic_compare_exchange_n(&first_on_legacy_, &first, &kernel, false, __ATOMIC_RELAXED,
                                __ATOMIC_RELAXED);
  }

  /// Memory of the device. May throw std::bad_alloc.
  void allocated(std::uint64_t memory, std::uint64_t bytes) {
    const std::lock_guard lock(mutex_);
    allocations_[memory] = {bytes, 0, 0, 0};
  }
  void freed(std::uint64_t memory) {
    const std::lock_guard lock(mutex_);
    const auto found = allocations_.find(memory);
    if (found == allocations_.end()) return;
    judge(found->second);
    allocations_.erase(found);
  }
  /// A copy of so many bytes to or from there.
  void copied(std::uint64_t memory, std::uint64_t bytes) {
    const std::lock_guard lock(mutex_);
    const auto found = allocations_.find(memory);
    if (found == allocations_.end()) return;
    Allocation& one = found->second;
    if (bytes >= least && bytes * 4 == one.bytes) {
      ++one.quarters;
    } else if (bytes >= least && bytes * 8 == one.bytes) {
      ++one.eighths;
    } else {
      ++one.others;
    }
  }

  /// Calls `tell(text)` for each.
  template <class Tell>
  void each(const Tell& tell) {
    const std::lock_guard lock(mutex_);
    for (const auto& [memory, one] : allocations_) judge(one);
    allocations_.clear();
    if (on_legacy_ != 0) {
      tell("suspicion: " + std::to_string(on_legacy_) +
           " launches on the legacy default stream while other streams were in use, first '" +
           first_on_legacy_->name +
           "': it waits for blocking streams, and non-blocking ones do not wait for it");
    }
    if (copies_ != 0) {
      tell("suspicion: " + std::to_string(copies_) + " allocations of which only the first 1/" +
           std::to_string(part_) + " was ever copied (" + std::to_string(bytes_ / part_) + " of " +
           std::to_string(bytes_) + " bytes): a number of elements taken for bytes?");
    }
  }

 private:
  /// Below that, a copy of a quarter is more often meant.
  static constexpr std::uint64_t least = 64;
  struct Allocation {
    std::uint64_t bytes;
    std::uint64_t quarters;
    std::uint64_t eighths;
    std::uint64_t others;
  };
  void judge(const Allocation& one) {
    if (one.others != 0 || one.quarters + one.eighths == 0) return;
    if (one.quarters != 0 && one.eighths != 0) return;
    if (copies_++ == 0) {
      part_ = one.quarters != 0 ? 4 : 8;
      bytes_ = one.bytes;
    }
  }

  bool others_in_use_ = false;
  std::uint64_t on_legacy_ = 0;
  Kernel* first_on_legacy_ = nullptr;
  std::mutex mutex_;
  std::map<std::uint64_t, Allocation> allocations_;
  std::uint64_t copies_ = 0;  ///< allocations with a suspicion
  std::uint64_t part_ = 4;    ///< and the first of them
  std::uint64_t bytes_ = 0;
};

}  // namespace warpsafe::watch
