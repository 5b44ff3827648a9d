// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include "../call/block_at.hpp"

#include <cstddef>
#include <cstdint>
#include <map>

namespace warpsafe::watch {

/// One allocation that the program has not freed.
struct LiveAllocation {
  std::size_t bytes = 0;
  bool managed = false;    ///< the host may access it, and waits for the work that writes it
  std::uint64_t seen = 0;  ///< the OrderWatch's round of the first access
};

/// The program's device memory, by address. Not thread-safe; owned by an OrderWatch.
class LiveMemory {
 public:
  /// An address that is allocated again is new memory. May throw std::bad_alloc.
  void add(std::uintptr_t begin, std::size_t bytes, bool managed) {
    if (bytes == 0) return;
    live_[begin] = {bytes, managed, 0};
    if (begin < lowest_) lowest_ = begin;
    if (begin + bytes > highest_) highest_ = begin + bytes;
  }
  void erase(std::uintptr_t begin) { live_.erase(begin); }

  /// Result of `find`: the beginning of the allocation, and its entry (nullptr: none).
  struct Found {
    std::uintptr_t begin = 0;
    LiveAllocation* what = nullptr;
  };
  /// Returns the allocation that contains `address`.
  [[nodiscard]] Found find(std::uintptr_t address) {
    // Most words passed here are no addresses.
    if (address < lowest_ || address >= highest_) return {};
    const auto at = block_at(live_, address);
    if (at == live_.end()) return {};
    return {at->first, &at->second};
  }

 private:
  std::map<std::uintptr_t, LiveAllocation> live_;
  std::uintptr_t lowest_ = ~std::uintptr_t{0};
  std::uintptr_t highest_ = 0;
};

}  // namespace warpsafe::watch
