// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <map>

namespace warpsafe::watch {

/// One allocation of the program's that it has not given back.
struct LiveAllocation {
  std::size_t bytes = 0;
  bool managed = false;    ///< the host may touch it, and waits for what writes it
  std::uint64_t seen = 0;  ///< the round of the OrderWatch in which it was first touched
};

/// The memory of the devices that the program has, by address. Not thread-safe: an OrderWatch's.
class LiveMemory {
 public:
  /// Memory that is handed out again begins a new life. May throw std::bad_alloc.
  void add(std::uintptr_t begin, std::size_t bytes, bool managed) {
    if (bytes == 0) return;
    live_[begin] = {bytes, managed, 0};
    if (begin < lowest_) lowest_ = begin;
    if (begin + bytes > highest_) highest_ = begin + bytes;
  }
  void erase(std::uintptr_t begin) { live_.erase(begin); }

  /// What `find` returns: where the allocation begins, and what it is; nullptr: there is none.
  struct Found {
    std::uintptr_t begin = 0;
    LiveAllocation* what = nullptr;
  };
  /// The allocation that holds `address`.
  [[nodiscard]] Found find(std::uintptr_t address) {
    // Most words that are asked about are no addresses.
    if (address < lowest_ || address >= highest_) return {};
    const auto next = live_.upper_bound(address);
    if (next == live_.begin()) return {};
    const auto at = std::prev(next);
    if (address - at->first >= at->second.bytes) return {};
    return {at->first, &at->second};
  }

 private:
  std::map<std::uintptr_t, LiveAllocation> live_;
  std::uintptr_t lowest_ = ~std::uintptr_t{0};
  std::uintptr_t highest_ = 0;
};

}  // namespace warpsafe::watch
