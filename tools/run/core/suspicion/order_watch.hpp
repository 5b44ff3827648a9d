// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include "../stream/stream_place.hpp"
#include "call_stack.hpp"
#include "live_memory.hpp"
#include "order_round.hpp"
#include "order_suspicions.hpp"
#include "pool_blocks.hpp"
#include "stream_work.hpp"
#include <warpsafe/backend/memory_access.hpp>
#include <warpsafe/race/race_checker.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace warpsafe::watch {

/// Finds pairs of accesses to the same memory, of which one is a library's work and one writes, on
/// different streams and without an order. It runs the race detector's checker
/// (race/race_checker.hpp) over the calls of a watched program.
///
/// A library receives pointers to the memory that it uses. A program's own kernel may receive the
/// beginning of a buffer and use a part of it, so two such kernels are suspected only with `races`.
///
/// Whatever is uncertain counts as ordered. A possible wait counts as a wait, all host threads
/// count as one, and an event of unknown origin stands for everything submitted so far. Old work is
/// forgotten. A program that orders its work is therefore never suspected; a program that does not
/// may be. Thread-safe.
class OrderWatch {
 public:
  /// `caller` is queried when a race is found. `races`: suspect pairs without a library too.
  explicit OrderWatch(const Caller& caller, bool races = false) : caller_(caller), found_(races) {}
  [[nodiscard]] bool suspects_own() const noexcept { return found_.suspects_own(); }

  /// Returns whether work is tracked. Tracking starts with `begin`, in programs with a second
  /// stream and a library. Memory and events are tracked from the start, so that they are known
  /// then.
  [[nodiscard]] bool on() const noexcept { return __atomic_load_n(&on_, __ATOMIC_RELAXED); }
  void begin() noexcept {
    if (!__atomic_load_n(&given_up_, __ATOMIC_RELAXED)) {
      __atomic_store_n(&on_, true, __ATOMIC_RELAXED);
    }
  }
  /// Call when the program orders its work by untracked means: nothing more is suspected.
  void give_up() noexcept {
    __atomic_store_n(&given_up_, true, __ATOMIC_RELAXED);
    __atomic_store_n(&on_, false, __ATOMIC_RELAXED);
  }

  /// Adds device memory, except a library's own (its workspace), whose accesses the library orders
  /// itself.
  void allocated(std::uintptr_t begin, std::size_t bytes, bool managed) {
    const std::lock_guard lock(mutex_);
    memory_.add(begin, bytes, managed);
  }
  void freed(std::uintptr_t begin) {
    const std::lock_guard lock(mutex_);
    const LiveMemory::Found found = memory_.find(begin);
    if (found.what != nullptr && found.begin == begin) pools_.forget(begin, found.what->bytes);
    memory_.erase(begin);
  }
  /// Adds a block of the program's own pool. `where` is the place in the program; "": unknown.
  void pool_allocated(PoolBlock block, const std::string& where) {
    if (where.empty()) block.stack = std::make_shared<const HostStack>(HostStack::here());
    const std::lock_guard lock(mutex_);
    pools_.allocated(std::move(block), where, round_);
    __atomic_store_n(&has_pools_, true, __ATOMIC_RELAXED);
  }
  /// The program has freed a block, and the pool keeps it for the stream of its allocation.
  void pool_returned(std::uintptr_t begin) {
    const std::lock_guard lock(mutex_);
    pools_.returned(begin);
  }
  /// The program has freed a block in the order of a stream.
  void pool_freed(std::uintptr_t begin, const StreamPlace& at) {
    StreamWork work{Name::of("a pool's free"), false, 0, "", at};
    work.stack = std::make_shared<const HostStack>(HostStack::here());
    const std::lock_guard lock(mutex_);
    const std::shared_ptr<const PoolBlock> block = pools_.block_at(begin);
    if (block == nullptr) return;
    if (!on()) return pools_.returned(begin);
    keep_small();
    work.bytes = block->bytes;
    const debug::Point point = round_.put(work, debug::no_point, {});
    pools_.freed(begin, at, point, round_, pool_pairs_);
    add_pool_pairs();
  }
  /// Returns whether the program has named blocks of its own pool.
  [[nodiscard]] bool has_pools() const noexcept {
    return __atomic_load_n(&has_pools_, __ATOMIC_RELAXED);
  }
  /// Returns whether that address is in a block of the program's own pool.
  [[nodiscard]] bool is_in_pool(std::uintptr_t address) {
    const std::lock_guard lock(mutex_);
    return pools_.is_in_block(address);
  }
  /// Returns whether the next work of that stream must be submitted whatever it touches.
  [[nodiscard]] bool pool_awaits(const StreamPlace& at) {
    const std::lock_guard lock(mutex_);
    return pools_.awaits(at);
  }
  /// Returns the size of the allocation that begins there; 0: none.
  [[nodiscard]] std::size_t bytes_at(std::uintptr_t begin) {
    const std::lock_guard lock(mutex_);
    const LiveMemory::Found found = memory_.find(begin);
    return found.what == nullptr || found.begin != begin ? 0 : found.what->bytes;
  }
  /// Returns where the allocation with that address begins, and its size; zeros: there is none.
  [[nodiscard]] std::pair<std::uintptr_t, std::size_t> allocation_of(std::uintptr_t address) {
    const std::lock_guard lock(mutex_);
    const LiveMemory::Found found = memory_.find(address);
    if (found.what == nullptr) return {};
    return {found.begin, found.what->bytes};
  }
  /// Returns whether that address is in memory of the program.
  [[nodiscard]] bool is_memory(std::uintptr_t address) {
    const std::lock_guard lock(mutex_);
    return memory_.find(address).what != nullptr;
  }
  /// Returns whether the host waits for writes to that address.
  [[nodiscard]] bool is_managed(std::uintptr_t address) {
    const std::lock_guard lock(mutex_);
    const LiveMemory::Found found = memory_.find(address);
    return found.what != nullptr && found.what->managed;
  }

  /// Adds successful work at the end of a stream. Accesses to unknown memory are ignored. `again`
  /// identifies work that is launched repeatedly, where each launch waits for the one before;
  /// nullptr: none. `words`: further addresses that the work receives, and may read or write or not
  /// touch at all.
  void submitted(StreamWork work, std::span<const MemoryAccess> accesses,
                 const void* again = nullptr, std::span<const std::uintptr_t> words = {}) {
    if (found_.suspects_own()) work.stack = std::make_shared<const HostStack>(HostStack::here());
    if (has_pools()) work.after = PoolBlocks::place_of_thread();
    std::vector<OrderSuspicions::Pair> pairs;
    if (!put(work, accesses, again, words, pairs)) return;
    // Without the lock: the loader may be held by a library's constructor that calls the runtime.
    const HostStack stack = work.is_kernel ? HostStack{} : HostStack::here();
    const char* const library = work.is_kernel ? work.library : caller_.library(stack);
    const std::string functions = caller_.functions(stack);
    const std::lock_guard lock(mutex_);
    found_.repeated(work, functions);
    for (OrderSuspicions::Pair& pair : pairs) {
      pair.second.library = library;
      found_.add(pair, functions);
    }
  }
  void recorded(const void* event, const StreamPlace& at) {
    const std::lock_guard lock(mutex_);
    keep_small();
    events_[event] = {put_nothing(at, debug::no_point), number_};
  }
  void waits(const StreamPlace& at, const void* event) {
    const std::lock_guard lock(mutex_);
    keep_small();
    const auto known = events_.find(event);
    if (known == events_.end()) {
      start_round();  // from another process or a library: it may stand for anything
      return;
    }
    static_cast<void>(put_nothing(at, point_of(known->second)));
  }
  void event_created(const void* event) {
    const std::lock_guard lock(mutex_);
    events_[event] = {};
  }
  void event_destroyed(const void* event) {
    const std::lock_guard lock(mutex_);
    events_.erase(event);
  }
  /// The executable graph's work continues, and a new one may get its handle.
  void work_destroyed(const void* again) {
    const std::lock_guard lock(mutex_);
    launches_.erase(again);
  }
  /// The stream's work continues, and whatever waits for all blocking streams still waits for it.
  void stream_destroyed(std::uint64_t key) {
    const std::lock_guard lock(mutex_);
    round_.host_after(round_.last_of(key));
    round_.forget_stream(key);
    pools_.forget_stream(key);
  }

  /// The host has waited, or a query has reported completion.
  void host_knows(const StreamPlace& at) {
    const std::lock_guard lock(mutex_);
    const bool legacy = at.order == StreamOrder::legacy;
    round_.host_after(legacy ? put_nothing(at, debug::no_point) : round_.last_of(at.key));
  }
  void host_waited_for_event(const void* event) {
    const std::lock_guard lock(mutex_);
    const auto known = events_.find(event);
    if (known == events_.end()) {
      start_round();
    } else {
      round_.host_after(point_of(known->second));
    }
  }
  /// This covers all devices: forgotten work is not suspected.
  void host_waited_for_all() {
    const std::lock_guard lock(mutex_);
    if (!round_.empty()) start_round();
  }

  /// Calls `report(text)` for each suspicion.
  template <class Report>
  void each(const Report& report) {
    each(report, [](const HostStack&, std::string_view) { return std::string(); });
  }
  /// `place(stack, kernel)` returns the words for a place in the program, or "".
  template <class Report, class Place>
  void each(const Report& report, const Place& place) {
    const std::lock_guard lock(mutex_);
    found_.each(report, place);
  }

 private:
  /// The newest record of an event.
  struct Record {
    debug::Point point = debug::no_point;
    std::uint64_t round = 0;  ///< its number
  };
  /// Work of an earlier round is forgotten.
  [[nodiscard]] debug::Point point_of(const Record& one) const noexcept {
    return one.round == number_ ? one.point : debug::no_point;
  }
  /// Forgets all work, and keeps the memory and the events. There may be many, and a program may
  /// wait for the device often, so nothing is done for each.
  void start_round() {
    round_.clear();
    launches_.clear();
    pools_.forget_uses();
    ++number_;
  }
  void keep_small() {
    if (round_.full()) start_round();
  }
  void meet(const LiveMemory::Found& found) {
    if (found.what->seen == number_) return;
    found.what->seen = number_;
    round_.meet(found.begin, found.what->bytes);
  }
  /// Adds the work. Fills `pairs` with new pairs of which it is the second part. Returns whether
  /// its caller is needed, for them or for an earlier pair.
  [[nodiscard]] bool put(StreamWork& work, std::span<const MemoryAccess> accesses,
                         const void* again, std::span<const std::uintptr_t> words,
                         std::vector<OrderSuspicions::Pair>& pairs) {
    const std::lock_guard lock(mutex_);
    keep_small();
    accesses_.clear();
    if (work.is_kernel) {
      for (const MemoryAccess& one : accesses) found_.received(work, one.begin);
    }
    for (const MemoryAccess& one : accesses) {
      const LiveMemory::Found found = memory_.find(one.begin);
      if (found.what == nullptr) continue;
      meet(found);
      accesses_.push_back(one);
      if (!work.is_kernel && one.kind == AccessKind::write && one.begin == found.begin &&
          one.bytes >= found.what->bytes) {
        work.covers = found.begin;
      }
    }
    debug::Point* const last = again == nullptr ? nullptr : &launches_[again];
    const debug::Point earlier = last == nullptr ? debug::no_point : *last - 1;
    const debug::Point point = round_.put(work, earlier, accesses_);
    if (last != nullptr) *last = point + 1;
    if (has_pools()) put_in_pools(work, point, accesses, words);
    const bool is_sought = found_.seeks_callers() && found_.resembles(work);
    if (!round_.races().empty()) take_pairs(work, pairs);
    return is_sought || !pairs.empty();
  }
  /// Before the races are looked at, because it names the pairs better.
  void put_in_pools(const StreamWork& work, debug::Point point,
                    std::span<const MemoryAccess> accesses, std::span<const std::uintptr_t> words) {
    words_.assign(words.begin(), words.end());
    for (const MemoryAccess& one : accesses) words_.push_back(one.begin);
    pools_.used(work.at, point, words_, round_, pool_pairs_);
    add_pool_pairs();
  }
  void add_pool_pairs() {
    for (const PoolBlocks::Pair& pair : pool_pairs_) {
      found_.add(pair, round_.work(pair.first), round_.work(pair.second));
    }
    pool_pairs_.clear();
  }
  [[nodiscard]] debug::Point put_nothing(const StreamPlace& at, debug::Point after) {
    return round_.put(StreamWork{{}, false, 0, "", at}, after, {});
  }
  /// Returns whether work certainly touches what `other` writes. It is not known which part of the
  /// memory behind an assumed address a kernel uses, so the other work must write all of it.
  [[nodiscard]] static bool touches(const StreamWork& work, const MemoryAccess& access,
                                    const StreamWork& other) noexcept {
    return other.covers != 0 ||
           std::find(work.assumed.begin(), work.assumed.end(), access.begin) == work.assumed.end();
  }
  void take_pairs(const StreamWork& second, std::vector<OrderSuspicions::Pair>& pairs) {
    const auto ordered = [&](const StreamWork& writer, debug::Point other) {
      return round_.comes_before(writer, other);
    };
    for (const debug::Race& race : round_.races()) {
      if (race.ordered || race.first_access.kind == AccessKind::allocate) continue;
      const StreamWork& first = round_.work(race.first);
      if (!touches(first, race.first_access, second) ||
          !touches(second, race.second_access, first)) {
        continue;
      }
      if (found_.is_new(race, first, second, ordered)) {
        pairs.push_back({first, second, race.first_access, race.second_access});
      }
    }
    round_.races().clear();
  }

  Caller caller_;
  bool on_ = false;
  bool given_up_ = false;
  std::mutex mutex_;
  OrderRound round_;
  std::uint64_t number_ = 1;  // number of the round
  LiveMemory memory_;
  std::map<const void*, Record> events_;
  std::map<const void*, debug::Point> launches_;  // newest launch of repeated work, plus 1
  std::vector<MemoryAccess> accesses_;
  bool has_pools_ = false;
  PoolBlocks pools_;
  PoolBlocks::Pairs pool_pairs_;
  std::vector<std::uintptr_t> words_;
  OrderSuspicions found_;
};

}  // namespace warpsafe::watch
