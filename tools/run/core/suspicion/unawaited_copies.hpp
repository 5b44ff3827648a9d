// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include "../call/block_at.hpp"
#include "../place/host_stack.hpp"
#include "stream_work.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace warpsafe::watch {

/// Finds asynchronous copies to pinned host memory for which the program never waits: neither
/// before it frees the memory nor before it ends. Whatever may be a wait counts as one, on any
/// thread and for any stream. Thread-safe.
class UnawaitedCopies {
 public:
  /// Whether the program has allocated pinned memory.
  [[nodiscard]] bool on() const noexcept { return __atomic_load_n(&on_, __ATOMIC_RELAXED); }
  /// Whether there are copies for which the program has not waited yet.
  [[nodiscard]] bool any() const noexcept { return __atomic_load_n(&any_, __ATOMIC_RELAXED); }
  /// Adds pinned memory. Later allocations have a higher `number`. May throw std::bad_alloc.
  void allocated(std::uintptr_t begin, std::size_t bytes, std::uint64_t number = 0) {
    const std::lock_guard lock(mutex_);
    pinned_[begin] = {bytes, number};
    __atomic_store_n(&on_, true, __ATOMIC_RELAXED);
  }
  /// `last`: the number of the last allocation before the free; a later one has the address again.
  void freed(std::uintptr_t begin, std::uint64_t last = ~std::uint64_t{0}) {
    const std::lock_guard lock(mutex_);
    const auto memory = pinned_.find(begin);
    if (memory == pinned_.end() || memory->second.number > last) return;
    const auto copy = pending_.find(begin);
    if (copy != pending_.end()) {
      copy->second.frees = true;
      keep(copy->second);
      pending_.erase(copy);
    }
    pinned_.erase(memory);
  }
  /// Returns whether that address is in pinned memory of the program. An asynchronous copy of other
  /// host memory may wait.
  [[nodiscard]] bool is_pinned(std::uintptr_t address) {
    const std::lock_guard lock(mutex_);
    return block_at(pinned_, address) != pinned_.end();
  }
  /// Records a copy to host memory; does nothing if the memory is not pinned. May throw
  /// std::bad_alloc.
  void copied(const StreamWork& work, std::uintptr_t to) {
    // Without the lock: a look at the stack may wait for the loader.
    const bool looks =
        is_pinned(to) && __atomic_fetch_add(&stacks_, 1, __ATOMIC_RELAXED) < most_stacks;
    const HostStack stack = looks ? HostStack::here() : HostStack{};
    const std::lock_guard lock(mutex_);
    const auto memory = block_at(pinned_, to);
    if (memory == pinned_.end()) return;
    pending_[memory->first] = {work, stack, false};
    __atomic_store_n(&any_, true, __ATOMIC_RELAXED);
  }
  /// The host has waited, or may have, or the program has given up.
  void waited() noexcept {
    if (!any()) return;
    const std::lock_guard lock(mutex_);
    pending_.clear();
    __atomic_store_n(&any_, false, __ATOMIC_RELAXED);
  }
  /// Calls `report(text)` for each copy. `place(stack, kernel)` returns the words for a place in
  /// the program, or "".
  template <class Report, class Place>
  void each(const Report& report, const Place& place) {
    const std::lock_guard lock(mutex_);
    for (const auto& [begin, one] : pending_) {
      keep(one);
    }
    pending_.clear();
    for (const Copy& one : found_) {
      std::string text = "suspicion: the program never waits for " + one.work.text() +
                         " to pinned host memory, and " +
                         (one.frees ? "frees that memory" : "ends") +
                         ": if it reads the memory, the data may not be there yet; wait for the "
                         "stream before the first read";
      const std::string where = place(one.stack, std::string_view());
      if (!where.empty()) text += "; the copy is submitted in " + where;
      report(text);
    }
    found_.clear();
  }

 private:
  static constexpr std::size_t most_found = 10;
  /// A look at the stack takes about a microsecond.
  static constexpr std::size_t most_stacks = 256;
  struct Copy {
    StreamWork work{};
    HostStack stack{};
    bool frees = false;
  };
  struct Memory {
    std::size_t bytes = 0;
    std::uint64_t number = 0;
  };
  /// Copies that one place in the program makes are reported once.
  void keep(const Copy& copy) {
    for (const Copy& one : found_) {
      if (one.work.what.data == copy.work.what.data && one.stack.is_same(copy.stack)) return;
    }
    if (found_.size() < most_found) found_.push_back(copy);
  }

  std::mutex mutex_;
  bool on_ = false;
  bool any_ = false;  ///< there are pending copies
  std::size_t stacks_ = 0;
  std::map<std::uintptr_t, Memory> pinned_;
  std::map<std::uintptr_t, Copy> pending_;  ///< the last copy, by the beginning of the memory
  std::vector<Copy> found_;
};

}  // namespace warpsafe::watch
