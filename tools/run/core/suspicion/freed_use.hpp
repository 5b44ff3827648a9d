// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include "../call/block_at.hpp"
#include "../place/host_stack.hpp"
#include "stream_work.hpp"
#include <warpsafe/core/name.hpp>

#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace warpsafe::watch {

/// Finds work on memory that the program has given back to the driver's pool before. The driver
/// does not refuse it: the memory stays mapped, and belongs to whoever allocates next. Thread-safe.
class FreedUse {
 public:
  /// Whether the program has freed memory of a pool; otherwise `used` does nothing.
  [[nodiscard]] bool any() const noexcept { return __atomic_load_n(&any_, __ATOMIC_RELAXED); }
  /// Adds memory of any kind: its addresses are no longer freed ones. `of_pool`: cudaFreeAsync may
  /// free it. Later allocations have a higher `number`. May throw std::bad_alloc.
  void allocated(std::uintptr_t begin, std::size_t bytes, bool of_pool, std::uint64_t number = 0) {
    if (!of_pool && !any()) return;
    const std::lock_guard lock(mutex_);
    auto at = first_block_behind(freed_, begin);
    while (at != freed_.end() && at->first < begin + bytes) at = freed_.erase(at);
    if (of_pool && bytes != 0) live_[begin] = {bytes, number};
  }
  /// `by` lives as long as the process. `last`: the number of the last allocation before the free;
  /// a later one has the address again. May throw std::bad_alloc.
  void freed(std::uintptr_t begin, Name by, std::uint64_t last = ~std::uint64_t{0}) {
    const std::lock_guard lock(mutex_);
    const auto at = live_.find(begin);
    if (at == live_.end() || at->second.number > last)
      return;  // not a pool's, or of a graph, which allocates it again
    if (freed_.size() == most_freed) freed_.erase(freed_.begin());
    freed_[begin] = {at->second.bytes, by};
    live_.erase(at);
    __atomic_store_n(&any_, true, __ATOMIC_RELAXED);
  }
  /// Records work that begins at that address. May throw std::bad_alloc.
  void used(const StreamWork& work, std::uintptr_t address) {
    Block block;
    if (!any() || !is_new(work, address, block)) return;
    // Without the lock: a look at the stack may wait for the loader.
    const HostStack stack = HostStack::here();
    const std::lock_guard lock(mutex_);
    if (found_.size() < most_found) found_.push_back({work, block, stack});
  }
  /// Calls `report(text)` for each use, and once for each function or kernel. `place(stack,
  /// kernel)` returns the words for a place in the program, or "".
  template <class Report, class Place>
  void each(const Report& report, const Place& place) {
    const std::lock_guard lock(mutex_);
    for (const Found& one : found_) {
      const std::string by(one.block.by.data, one.block.by.size);
      std::string text = "suspicion: " + one.work.text() +
                         (one.work.is_kernel ? " receives" : " uses") + " memory of " +
                         std::to_string(one.block.bytes) + " bytes that " + by +
                         " freed before: call " + by + " after the last use";
      const std::string where = place(
          one.stack, one.work.is_kernel ? std::string_view(one.work.what.data, one.work.what.size)
                                        : std::string_view());
      if (!where.empty()) text += "; it is submitted in " + where;
      report(text);
    }
  }

 private:
  static constexpr std::size_t most_freed = 4096;
  static constexpr std::size_t most_found = 10;
  struct Live {
    std::size_t bytes = 0;
    std::uint64_t number = 0;
  };
  struct Block {
    std::size_t bytes = 0;
    Name by{};
  };
  struct Found {
    StreamWork work;
    Block block;
    HostStack stack;
  };
  /// Whether the address is in freed memory, and the first such use of that function or kernel.
  [[nodiscard]] bool is_new(const StreamWork& work, std::uintptr_t address, Block& block) {
    const std::lock_guard lock(mutex_);
    const auto at = block_at(freed_, address);
    if (at == freed_.end()) return false;
    block = at->second;
    return known_.insert({work.what.data, block.by.data}).second;
  }

  std::mutex mutex_;
  bool any_ = false;
  std::map<std::uintptr_t, Live> live_;
  std::map<std::uintptr_t, Block> freed_;
  std::set<std::pair<const void*, const void*>> known_;
  std::vector<Found> found_;
};

}  // namespace warpsafe::watch
