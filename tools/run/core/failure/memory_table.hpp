// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include "../call/block_at.hpp"
#include "../place/host_stack.hpp"
#include <warpsafe/core/name.hpp>

#include <cstddef>
#include <cstdint>
#include <deque>
#include <iterator>
#include <map>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

namespace warpsafe::watch {

/// The kinds of memory that a runtime allocates.
enum class AllocationKind : std::uint8_t { device, managed, pinned };

/// One allocation of the program or of a library.
struct Allocation {
  std::uintptr_t begin = 0;
  std::size_t bytes = 0;
  AllocationKind kind = AllocationKind::device;
  std::int32_t device = 0;
  Name made_by{};             ///< the function that allocated it
  std::uint32_t made_at = 0;  ///< its stack, a number of the table's; 0: unknown
  Name freed_by{};            ///< empty: it is alive
  std::uint32_t freed_at = 0;
  std::uint64_t freed_as = 0;  ///< the number of the call that freed it
  std::uint64_t number = 0;    ///< later allocations have higher ones
  bool of_graph = false;       ///< a graph allocates it again at each launch, at the same address

  [[nodiscard]] bool has(std::uintptr_t address) const noexcept {
    return address >= begin && address - begin < bytes;
  }
};

/// The memory that the program's runtime has allocated, and the memory that it freed last, with the
/// stacks of these calls. Thread-safe.
class MemoryTable {
 public:
  /// Adds memory. An empty stack is an unknown one. May throw std::bad_alloc.
  void allocated(Allocation one, const HostStack& stack) {
    if (one.begin == 0 || one.bytes == 0) return;
    const std::lock_guard lock(mutex_);
    one.made_at = number_of(stack);
    live_[one.begin] = one;
    ++calls_;
  }
  /// `last`: the number of the last allocation before the free; a later one has the address again.
  /// May throw std::bad_alloc.
  void freed(std::uintptr_t begin, Name function, const HostStack& stack,
             std::uint64_t last = ~std::uint64_t{0}) {
    const std::lock_guard lock(mutex_);
    ++calls_;
    const auto found = live_.find(begin);
    if (found == live_.end() || found->second.of_graph || found->second.number > last) return;
    Allocation one = found->second;
    live_.erase(found);
    one.freed_by = function;
    one.freed_at = number_of(stack);
    one.freed_as = calls_;
    __atomic_add_fetch(&frees_, 1, __ATOMIC_RELAXED);
    if (freed_.size() == most_freed) freed_.pop_front();
    freed_.push_back(one);
  }
  /// Returns how much memory was freed so far.
  [[nodiscard]] std::uint64_t frees() const noexcept {
    return __atomic_load_n(&frees_, __ATOMIC_RELAXED);
  }
  /// Returns what was freed after the first `frees` frees, last freed first, as far as it is known.
  /// May throw std::bad_alloc.
  [[nodiscard]] std::vector<Allocation> freed_after(std::uint64_t frees) {
    const std::lock_guard lock(mutex_);
    const std::uint64_t count = frees_ - frees;
    const auto known = static_cast<std::ptrdiff_t>(count < freed_.size() ? count : freed_.size());
    return {freed_.rbegin(), freed_.rbegin() + known};
  }
  /// Returns the live allocation that contains the address, or else the one that ends there.
  [[nodiscard]] std::optional<Allocation> alive(std::uintptr_t address) {
    const std::lock_guard lock(mutex_);
    const auto next = live_.upper_bound(address);
    if (next == live_.begin()) return std::nullopt;
    const Allocation& one = std::prev(next)->second;
    return address - one.begin <= one.bytes ? std::optional(one) : std::nullopt;
  }
  /// Returns the kind of the live memory that contains the address.
  [[nodiscard]] std::optional<AllocationKind> kind_of(std::uintptr_t address) {
    const std::optional<Allocation> is = alive(address);
    return is.has_value() && is->has(address) ? std::optional(is->kind) : std::nullopt;
  }
  /// Returns the live allocation that contains the address, or else the one that was freed last.
  [[nodiscard]] std::optional<Allocation> find(std::uintptr_t address) {
    const std::lock_guard lock(mutex_);
    const auto at = block_at(live_, address);
    if (at != live_.end()) return at->second;
    for (auto one = freed_.rbegin(); one != freed_.rend(); ++one) {
      if (one->has(address)) return *one;
    }
    return std::nullopt;
  }
  /// Returns the live allocation that ends last before the address, if it is not far: a pointer
  /// past the end of it is likelier than any other reason for the address.
  [[nodiscard]] std::optional<Allocation> before(std::uintptr_t address) {
    const std::lock_guard lock(mutex_);
    const auto next = live_.upper_bound(address);
    if (next == live_.begin()) return std::nullopt;
    const Allocation& one = std::prev(next)->second;
    const std::uintptr_t end = one.begin + one.bytes;
    constexpr std::size_t least_far = std::size_t{1} << 20U;
    const std::size_t far = one.bytes < least_far ? least_far : 16 * one.bytes;
    if (address < end || address - end > far) return std::nullopt;
    return one;
  }
  /// Returns the stack with that number; an empty one for 0.
  [[nodiscard]] HostStack stack(std::uint32_t number) {
    const std::lock_guard lock(mutex_);
    HostStack made;
    if (number == 0 || number > stacks_.size()) return made;
    const std::vector<void*>& frames = *stacks_[number - 1];
    for (void* const frame : frames) made.frames[made.count++] = frame;
    return made;
  }
  /// Returns how many allocations and frees have followed the one that freed `one`.
  [[nodiscard]] std::uint64_t calls_since(const Allocation& one) {
    const std::lock_guard lock(mutex_);
    return calls_ - one.freed_as;
  }

 private:
  static constexpr std::size_t most_freed = 4096;
  static constexpr std::size_t most_stacks = 4096;

  /// @pre the lock. Each stack is kept once.
  [[nodiscard]] std::uint32_t number_of(const HostStack& stack) {
    if (stack.count == 0) return 0;
    std::vector<void*> frames(stack.frames, stack.frames + stack.count);
    const auto known = numbers_.find(frames);
    if (known != numbers_.end()) return known->second;
    if (stacks_.size() == most_stacks) return 0;
    const auto number = static_cast<std::uint32_t>(stacks_.size() + 1);
    const auto [added, is_new] = numbers_.emplace(std::move(frames), number);
    static_cast<void>(is_new);
    stacks_.push_back(&added->first);
    return number;
  }

  std::mutex mutex_;
  std::map<std::uintptr_t, Allocation> live_;
  std::deque<Allocation> freed_;
  std::map<std::vector<void*>, std::uint32_t> numbers_;
  std::vector<const std::vector<void*>*> stacks_;
  std::uint64_t calls_ = 0;
  std::uint64_t frees_ = 0;
};

}  // namespace warpsafe::watch
