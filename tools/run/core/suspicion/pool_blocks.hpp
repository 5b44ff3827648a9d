// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include "../call/block_at.hpp"
#include "../place/host_stack.hpp"
#include "../stream/stream_place.hpp"
#include "order_round.hpp"
#include <warpsafe/race/happens_before.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <map>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace warpsafe::watch {

/// One allocation of a block by a program's own pool.
struct PoolBlock {
  std::uintptr_t begin = 0;
  std::size_t bytes = 0;
  StreamPlace owner{};                       ///< the stream for which the pool allocated it
  const char* where = "";                    ///< the place that the program named; "": none
  std::shared_ptr<const HostStack> stack{};  ///< where the pool was called; nullptr: not kept
};

/// The blocks of a program's own pools, and which of its work uses them. A pool hands the same
/// memory out again and again, inside of one allocation of the driver, which knows nothing of it.
///
/// Memory has several lives. An operation of an earlier life must come before everything in a
/// later one. The pool's stream may use a new block from its next work on, so that work counts as a
/// use of the new life. Only the newest use on each stream is kept, because all earlier ones come
/// before it. Not thread-safe; owned by an OrderWatch.
class PoolBlocks {
 public:
  /// Two operations on the same memory that nothing orders. The memory was freed between them,
  /// or the second frees it.
  struct Pair {
    debug::Point first;
    debug::Point second;
    std::shared_ptr<const PoolBlock> before;  ///< what the first used
    std::shared_ptr<const PoolBlock> after;   ///< what the second uses
    bool is_allocation = false;  ///< the second need not use the memory: it follows the allocation
    bool is_free = false;        ///< the second is the free
  };
  using Pairs = std::vector<Pair>;

  /// The place of the calling thread's newest allocation; "": none. A program in Python names its
  /// lines there, and its kernels run behind the allocations of their results.
  [[nodiscard]] static const char*& place_of_thread() noexcept {
    static constinit thread_local const char* place = "";
    return place;
  }
  [[nodiscard]] static bool is_same(const StreamPlace& one, const StreamPlace& other) noexcept {
    return one.key == other.key;
  }
  [[nodiscard]] bool is_in_block(std::uintptr_t address) const {
    return find(live_, address) != live_.end();
  }

  /// Adds a block. Memory of a live block is handed out again only after that was freed.
  void allocated(PoolBlock block, const std::string& where, const OrderRound& round) {
    const std::uintptr_t begin = block.begin;
    const std::uintptr_t end = begin + block.bytes;
    block.where = place_of_thread() = keep(where);
    if (end <= begin) return;
    auto old = first_block_behind(live_, begin, bytes_of);
    while (old != live_.end() && old->first < end) {
      // Not all of it is free, so the program has not named all of its calls: which part the uses
      // belong to is unknown.
      const bool is_whole = begin <= old->first && end_of(*old) <= end;
      old = is_whole ? die(old) : live_.erase(old);
    }
    Block made{std::make_shared<const PoolBlock>(std::move(block)),
               round_number_,
               {},
               take_dead(begin, end)};
    std::erase_if(made.earlier, [&](const Use& use) { return round.host_knows(use.point); });
    const std::uint64_t owner = made.what->owner.key;
    const auto is_elsewhere = [&](const Use& use) { return use.stream != owner; };
    if (std::any_of(made.earlier.begin(), made.earlier.end(), is_elsewhere)) {
      pending_[owner].insert(begin);
    }
    live_[begin] = std::move(made);
  }
  /// The program has freed the block; the pool keeps it for the stream of its allocation.
  void returned(std::uintptr_t begin) {
    const auto found = live_.find(begin);
    if (found != live_.end()) die(found);
  }
  /// Returns the block that begins there; nullptr: none.
  [[nodiscard]] std::shared_ptr<const PoolBlock> block_at(std::uintptr_t begin) const {
    const auto found = live_.find(begin);
    return found == live_.end() ? nullptr : found->second.what;
  }
  /// The program has freed the block in the order of a stream, where the free is `point`. Whatever
  /// uses the block must come before it.
  void freed(std::uintptr_t begin, const StreamPlace& at, debug::Point point,
             const OrderRound& round, Pairs& pairs) {
    const auto found = live_.find(begin);
    if (found == live_.end()) return;
    Block& block = now(found->second);
    for (const Use& use : block.uses) {
      if (!round.comes_before(use.point, point)) {
        pairs.push_back({use.point, point, use.block, block.what, false, true});
      }
    }
    // The stream may have done nothing since the allocation.
    compare(block, point, false, round, pairs);
    // What comes after the free comes after all of these.
    block.uses.clear();
    block.earlier.clear();
    add(block.uses, {at.key, point, block.what});
    die(found);
  }
  /// The driver has freed that memory.
  void forget(std::uintptr_t begin, std::size_t bytes) {
    live_.erase(live_.lower_bound(begin), live_.lower_bound(begin + bytes));
    dead_.erase(dead_.lower_bound(begin), dead_.lower_bound(begin + bytes));
  }
  /// Forgets all uses, and keeps the blocks. There may be many, and a program may wait for the
  /// device often: each block forgets its own when it is needed again.
  void forget_uses() {
    dead_.clear();
    pending_.clear();
    ++round_number_;
  }
  void forget_stream(std::uint64_t key) { pending_.erase(key); }

  /// Returns whether the next work of that stream follows an allocation that other streams must not
  /// precede.
  [[nodiscard]] bool awaits(const StreamPlace& at) const {
    return !pending_.empty() && pending_.count(at.key) != 0;
  }
  /// Adds work on a stream that receives these addresses.
  void used(const StreamPlace& at, debug::Point point, std::span<const std::uintptr_t> addresses,
            const OrderRound& round, Pairs& pairs) {
    const std::uint64_t stream = at.key;
    for (const std::uintptr_t address : addresses) {
      const auto found = find(live_, address);
      if (found == live_.end()) continue;
      Block& block = now(found->second);
      // If one use of a stream comes after the earlier life, the stream's later ones do too.
      if (add(block.uses, {stream, point, block.what})) {
        compare(block, point, false, round, pairs);
      }
    }
    const auto pending = pending_.find(stream);
    if (pending == pending_.end()) return;
    for (const std::uintptr_t begin : pending->second) {
      const auto found = live_.find(begin);
      if (found == live_.end() || found->second.what->owner.key != stream) continue;
      const auto is_here = [&](const Use& use) { return use.stream == stream; };
      // Then it is compared already.
      if (std::any_of(found->second.uses.begin(), found->second.uses.end(), is_here)) continue;
      compare(found->second, point, true, round, pairs);
    }
    pending_.erase(pending);
  }

 private:
  /// A stream; the legacy stream is one for each device.
  struct Use {
    std::uint64_t stream;  ///< its key
    debug::Point point;
    std::shared_ptr<const PoolBlock> block;
  };
  using Uses = std::vector<Use>;  ///< one for each stream
  struct Block {
    std::shared_ptr<const PoolBlock> what;
    std::uint64_t round;  ///< of the uses
    Uses uses;
    Uses earlier;  ///< of the memory's earlier lives
  };
  struct Dead {
    std::uintptr_t end;
    Uses uses;
  };
  using Live = std::map<std::uintptr_t, Block>;
  static constexpr std::size_t most_places = std::size_t{1} << 16;

  [[nodiscard]] static std::size_t bytes_of(const Block& block) noexcept {
    return block.what->bytes;
  }
  [[nodiscard]] static std::uintptr_t end_of(const Live::value_type& one) noexcept {
    return one.first + bytes_of(one.second);
  }
  /// Returns the block of that address in `live_`, which may be const; its end: none.
  template <class Map>
  [[nodiscard]] static auto find(Map& live, std::uintptr_t address) -> decltype(live.begin()) {
    return watch::block_at(live, address, bytes_of);
  }
  /// Forgets what the block has of an earlier round.
  Block& now(Block& block) const noexcept {
    if (block.round != round_number_) {
      block.uses.clear();
      block.earlier.clear();
      block.round = round_number_;
    }
    return block;
  }
  /// Keeps the newest use of each stream. Returns whether it is the stream's first.
  static bool add(Uses& uses, const Use& added) {
    for (Use& use : uses) {
      if (use.stream != added.stream) continue;
      if (use.point < added.point) use = added;
      return false;
    }
    uses.push_back(added);
    return true;
  }
  static void compare(const Block& block, debug::Point point, bool is_allocation,
                      const OrderRound& round, Pairs& pairs) {
    for (const Use& use : block.earlier) {
      if (use.point != point && !round.comes_before(use.point, point)) {
        pairs.push_back({use.point, point, use.block, block.what, is_allocation, false});
      }
    }
  }
  /// Ends the block's life. Returns the next block.
  Live::iterator die(Live::iterator one) {
    Block& block = now(one->second);
    for (const Use& use : block.uses) add(block.earlier, use);
    if (!block.earlier.empty()) {
      // Nothing else is dead there: the block has taken it over.
      dead_[one->first] = {end_of(*one), std::move(block.earlier)};
    }
    return live_.erase(one);
  }
  /// Returns the uses of the dead memory from `begin` to `end`, and forgets them there.
  [[nodiscard]] Uses take_dead(std::uintptr_t begin, std::uintptr_t end) {
    Uses taken;
    auto one = dead_.upper_bound(begin);
    if (one != dead_.begin() && std::prev(one)->second.end > begin) --one;
    while (one != dead_.end() && one->first < end) {
      const std::uintptr_t from = one->first;
      Dead dead = std::move(one->second);
      one = dead_.erase(one);
      for (const Use& use : dead.uses) add(taken, use);
      if (dead.end > end) dead_[end] = {dead.end, dead.uses};
      if (from < begin) dead_[from] = {begin, std::move(dead.uses)};
    }
    return taken;
  }
  [[nodiscard]] const char* keep(const std::string& where) {
    if (where.empty() || (places_.size() >= most_places && places_.count(where) == 0)) return "";
    return places_.insert(where).first->c_str();
  }

  std::uint64_t round_number_ = 0;
  Live live_;
  std::map<std::uintptr_t, Dead> dead_;                        // by address
  std::map<std::uint64_t, std::set<std::uintptr_t>> pending_;  // by the stream's key
  std::set<std::string> places_;
};

}  // namespace warpsafe::watch
