// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include "live_memory.hpp"
#include "order_suspicions.hpp"
#include "stream_place.hpp"
#include "stream_work.hpp"
#include <warpsafe/debug/memory_access.hpp>
#include <warpsafe/debug/race_checker.hpp>

#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <span>
#include <string>
#include <vector>

namespace warpsafe::watch {

/// Finds a library's work on a stream and other work on another that touch the same memory, of
/// which one writes, and that nothing orders: the race detector's checker (debug/race_checker.hpp)
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
  /// `caller`: the library of the vendor's that the calling thread is in, "" for none; asked where
  /// something is found.
  explicit OrderWatch(const char* (*caller)() noexcept) : caller_(caller) {
    const std::lock_guard lock(mutex_);
    start_round();
  }

  /// Whether work is looked at: it is once the program has two streams. Until then its memory and
  /// events are, so that they are known when it begins.
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

  /// Memory of a device; a library's own (its workspace) is its own to order.
  void allocated(std::uintptr_t begin, std::size_t bytes, bool managed) {
    if (*caller_() != '\0') return;
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
    const debug::Point point = put(work, earlier, accesses_);
    if (last != nullptr) *last = point + 1;
    if (!races_.empty()) report(work);
  }
  void recorded(const void* event, const StreamPlace& at) {
    const std::lock_guard lock(mutex_);
    keep_small();
    events_[event] = put(StreamWork{{}, false, 0, "", at}, debug::no_point, {});
  }
  void waits(const StreamPlace& at, const void* event) {
    const std::lock_guard lock(mutex_);
    keep_small();
    const auto known = events_.find(event);
    if (known == events_.end()) {
      start_round();  // of another process, or a library's: it may stand for anything
      return;
    }
    put(StreamWork{{}, false, 0, "", at}, known->second, {});
  }
  void event_made(const void* event) {
    const std::lock_guard lock(mutex_);
    events_[event] = debug::no_point;
  }
  void event_gone(const void* event) {
    const std::lock_guard lock(mutex_);
    events_.erase(event);
  }
  /// Its work goes on. What waits for all blocking streams still waits for that.
  void stream_gone(const void* key) {
    const std::lock_guard lock(mutex_);
    const auto known = columns_.find(key);
    if (known == columns_.end()) return;
    host_after(checker_.order().last(known->second.strand));
    columns_.erase(known);
  }

  /// The host has waited, or asked and heard that it is done.
  void host_knows(const StreamPlace& at) {
    const std::lock_guard lock(mutex_);
    if (at.order == StreamOrder::legacy) {
      host_after(put(StreamWork{{}, false, 0, "", at}, debug::no_point, {}));
    } else if (const auto known = columns_.find(at.key); known != columns_.end()) {
      host_after(checker_.order().last(known->second.strand));
    }
  }
  void host_knows_event(const void* event) {
    const std::lock_guard lock(mutex_);
    const auto known = events_.find(event);
    if (known == events_.end()) {
      start_round();
    } else {
      host_after(known->second);
    }
  }
  /// All devices, that is: what is forgotten is not suspected.
  void host_knows_all() {
    const std::lock_guard lock(mutex_);
    if (checker_.order().size() != 0) start_round();
  }

  /// Calls `tell(text)` for each suspicion.
  template <class Tell>
  void each(const Tell& tell) {
    const std::lock_guard lock(mutex_);
    found_.each(tell);
  }

 private:
  struct Column {
    debug::Strand strand;
    StreamPlace at;
  };
  /// Of a round: what is remembered of a program that never waits for its device. A point has a
  /// number for each stream.
  static constexpr std::size_t most_points = std::size_t{1} << 15;
  static constexpr std::size_t most_numbers = std::size_t{1} << 20;

  /// Forgets what was done; knows the memory, and which events there are.
  void start_round() {
    checker_.clear();
    works_.clear();
    columns_.clear();
    legacy_.clear();
    launches_.clear();
    for (auto& [event, point] : events_) point = debug::no_point;
    host_ = checker_.add_strand();
    strands_ = 1;
    ++round_;
  }
  void keep_small() {
    const std::size_t points = checker_.order().size();
    if (points >= most_points || points * strands_ >= most_numbers) start_round();
  }
  void meet(const LiveMemory::Found& found) {
    if (found.what->seen == round_) return;
    found.what->seen = round_;
    const debug::MemoryAccess whole{found.begin, found.what->bytes, debug::AccessKind::allocate};
    checker_.add(host_, {}, {&whole, 1}, races_);
    works_.emplace_back();
  }
  [[nodiscard]] Column& column_of(const StreamPlace& at) {
    auto& columns = at.order == StreamOrder::legacy ? legacy_ : columns_;
    // Each device has a legacy stream of its own.
    const void* const key = at.order == StreamOrder::legacy
                                ? reinterpret_cast<const void*>(std::uintptr_t(at.device) + 1)
                                : at.key;
    const auto known = columns.find(key);
    if (known != columns.end()) return known->second;
    ++strands_;
    return columns.emplace(key, Column{checker_.add_strand(), at}).first->second;
  }
  debug::Point put(const StreamWork& work, debug::Point after,
                   std::span<const debug::MemoryAccess> accesses) {
    const debug::HappensBefore& order = checker_.order();
    const debug::Strand strand = column_of(work.at).strand;
    after_.assign({order.last(host_), after});
    const auto wait_for = [&](const auto& columns, StreamOrder which) {
      for (const auto& [key, column] : columns) {
        if (column.at.order == which && column.at.device == work.at.device) {
          after_.push_back(order.last(column.strand));
        }
      }
    };
    if (work.at.order == StreamOrder::legacy) wait_for(columns_, StreamOrder::blocking);
    if (work.at.order == StreamOrder::blocking) wait_for(legacy_, StreamOrder::legacy);
    const debug::Point point = checker_.add(strand, after_, accesses, races_);
    works_.push_back(work);
    return point;
  }
  void host_after(debug::Point point) {
    const debug::HappensBefore& order = checker_.order();
    const debug::Point last = order.last(host_);
    if (point == debug::no_point) return;
    if (last != debug::no_point && order.before(point, last)) return;
    checker_.add(host_, {&point, 1}, {}, races_);
    works_.emplace_back();
  }
  void report(const StreamWork& second) {
    const auto ordered = [&](const StreamWork& writer, debug::Point other) {
      for (debug::Point point = 0; point < works_.size(); ++point) {
        if (works_[point].what.data == writer.what.data && checker_.order().before(point, other)) {
          return true;
        }
      }
      return false;
    };
    for (const debug::Race& race : races_) {
      if (race.ordered || race.first_access.kind == debug::AccessKind::allocate) continue;
      found_.add(race, works_[race.first], second, caller_, ordered);
    }
    races_.clear();
  }

  const char* (*caller_)() noexcept;
  bool on_ = false;
  bool given_up_ = false;
  std::mutex mutex_;
  debug::RaceChecker checker_;
  debug::Strand host_ = 0;
  std::size_t strands_ = 0;
  std::uint64_t round_ = 0;
  LiveMemory memory_;
  std::map<const void*, Column> columns_;  // by key; the legacy streams by their device
  std::map<const void*, Column> legacy_;
  std::map<const void*, debug::Point> events_;    // their newest records
  std::map<const void*, debug::Point> launches_;  // of what is launched again, the newest, plus 1
  std::vector<StreamWork> works_;                 // by point
  std::vector<debug::MemoryAccess> accesses_;
  std::vector<debug::Point> after_;
  std::vector<debug::Race> races_;
  OrderSuspicions found_;
};

}  // namespace warpsafe::watch
