// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include "../stream/stream_place.hpp"
#include "call_stack.hpp"
#include "live_memory.hpp"
#include "order_round.hpp"
#include "order_suspicions.hpp"
#include "stream_work.hpp"
#include <warpsafe/backend/memory_access.hpp>
#include <warpsafe/race/race_checker.hpp>

#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <span>
#include <vector>

namespace warpsafe::watch {

/// Finds a library's work on a stream and other work on another that touch the same memory, of
/// which one writes, and that nothing orders: the race detector's checker (race/race_checker.hpp)
/// over the calls of a watched program.
///
/// A library is given pointers to what it uses. A program's own kernel may be given the begin of
/// memory, and take a part of it; so two of those are never suspected.
///
/// What is not known is taken for ordered: a wait that may be one is one, all threads of the host
/// count as one, and an event that nobody saw made stands for all that was submitted so far. What
/// the program did long ago is forgotten. So a program that orders its work is suspected of
/// nothing, and one that does not may be. Thread-safe.
class OrderWatch {
 public:
  /// `caller` is asked where something is found.
  explicit OrderWatch(const Caller& caller) : caller_(caller) {}

  /// Whether work is looked at: from `begin` on, which is for programs with a second stream and a
  /// library. Until then memory and events are, so that they are known when it begins.
  [[nodiscard]] bool on() const noexcept { return __atomic_load_n(&on_, __ATOMIC_RELAXED); }
  void begin() noexcept {
    if (!__atomic_load_n(&given_up_, __ATOMIC_RELAXED)) {
      __atomic_store_n(&on_, true, __ATOMIC_RELAXED);
    }
  }
  /// The program orders its work by means that are not followed: nothing more is suspected.
  void give_up() noexcept {
    __atomic_store_n(&given_up_, true, __ATOMIC_RELAXED);
    __atomic_store_n(&on_, false, __ATOMIC_RELAXED);
  }

  /// Memory of a device. Not a library's own (its workspace), which is its own to order.
  void allocated(std::uintptr_t begin, std::size_t bytes, bool managed) {
    const std::lock_guard lock(mutex_);
    memory_.add(begin, bytes, managed);
  }
  void freed(std::uintptr_t begin) {
    const std::lock_guard lock(mutex_);
    memory_.erase(begin);
  }
  /// Whether the host waits for what writes there.
  [[nodiscard]] bool is_managed(std::uintptr_t address) {
    const std::lock_guard lock(mutex_);
    const LiveMemory::Found found = memory_.find(address);
    return found.what != nullptr && found.what->managed;
  }

  /// Work at the end of a stream, which the runtime took. Accesses to memory that is not known are
  /// left out. `again`: what is launched more than once and waits for its last time; nullptr: none.
  void submitted(const StreamWork& work, std::span<const debug::MemoryAccess> accesses,
                 const void* again = nullptr) {
    const std::lock_guard lock(mutex_);
    keep_small();
    accesses_.clear();
    for (const debug::MemoryAccess& one : accesses) {
      const LiveMemory::Found found = memory_.find(one.begin);
      if (found.what == nullptr) continue;
      meet(found);
      accesses_.push_back(one);
    }
    debug::Point* const last = again == nullptr ? nullptr : &launches_[again];
    const debug::Point earlier = last == nullptr ? debug::no_point : *last - 1;
    const debug::Point point = round_.put(work, earlier, accesses_);
    if (last != nullptr) *last = point + 1;
    if (found_.seeks_callers()) found_.repeated(work, caller_);
    if (!round_.races().empty()) report(work);
  }
  void recorded(const void* event, const StreamPlace& at) {
    const std::lock_guard lock(mutex_);
    keep_small();
    events_[event] = put_nothing(at, debug::no_point);
  }
  void waits(const StreamPlace& at, const void* event) {
    const std::lock_guard lock(mutex_);
    keep_small();
    const auto known = events_.find(event);
    if (known == events_.end()) {
      start_round();  // of another process, or a library's: it may stand for anything
      return;
    }
    static_cast<void>(put_nothing(at, known->second));
  }
  void event_created(const void* event) {
    const std::lock_guard lock(mutex_);
    events_[event] = debug::no_point;
  }
  void event_destroyed(const void* event) {
    const std::lock_guard lock(mutex_);
    events_.erase(event);
  }
  /// Its work goes on. What waits for all blocking streams still waits for that.
  void stream_destroyed(const void* key) {
    const std::lock_guard lock(mutex_);
    round_.host_after(round_.last_of(key));
    round_.forget_stream(key);
  }

  /// The host has waited, or asked and heard that it is done.
  void host_knows(const StreamPlace& at) {
    const std::lock_guard lock(mutex_);
    const bool legacy = at.order == StreamOrder::legacy;
    round_.host_after(legacy ? put_nothing(at, debug::no_point) : round_.last_of(at.key));
  }
  void host_knows_event(const void* event) {
    const std::lock_guard lock(mutex_);
    const auto known = events_.find(event);
    if (known == events_.end()) {
      start_round();
    } else {
      round_.host_after(known->second);
    }
  }
  /// All devices, that is: what is forgotten is not suspected.
  void host_knows_all() {
    const std::lock_guard lock(mutex_);
    if (!round_.empty()) start_round();
  }

  /// Calls `report(text)` for each suspicion.
  template <class Report>
  void each(const Report& report) {
    const std::lock_guard lock(mutex_);
    found_.each(report);
  }

 private:
  /// Forgets what was done; knows the memory, and which events there are.
  void start_round() {
    round_.clear();
    launches_.clear();
    for (auto& [event, point] : events_) point = debug::no_point;
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
  [[nodiscard]] debug::Point put_nothing(const StreamPlace& at, debug::Point after) {
    return round_.put(StreamWork{{}, false, 0, "", at}, after, {});
  }
  void report(const StreamWork& second) {
    const auto ordered = [&](const StreamWork& writer, debug::Point other) {
      return round_.comes_before(writer, other);
    };
    for (const debug::Race& race : round_.races()) {
      if (race.ordered || race.first_access.kind == debug::AccessKind::allocate) continue;
      found_.add(race, round_.work(race.first), second, caller_, ordered);
    }
    round_.races().clear();
  }

  Caller caller_;
  bool on_ = false;
  bool given_up_ = false;
  std::mutex mutex_;
  OrderRound round_;
  std::uint64_t number_ = 1;  // of the round
  LiveMemory memory_;
  std::map<const void*, debug::Point> events_;    // their newest records
  std::map<const void*, debug::Point> launches_;  // of what is launched again, the newest, plus 1
  std::vector<debug::MemoryAccess> accesses_;
  OrderSuspicions found_;
};

}  // namespace warpsafe::watch
