// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include "../stream/stream_place.hpp"
#include "stream_work.hpp"
#include <warpsafe/backend/memory_access.hpp>
#include <warpsafe/race/race_checker.hpp>

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <vector>

namespace warpsafe::watch {

/// What an OrderWatch remembers of the program's work and its order, until it forgets all of it.
/// Streams are told apart, and the legacy default stream waits for the blocking ones, and they for
/// it. All threads of the host are one. Not thread-safe.
class OrderRound {
 public:
  OrderRound() { clear(); }
  void clear() {
    checker_.clear();
    works_.clear();
    columns_.clear();
    legacy_.clear();
    races_.clear();
    host_ = checker_.add_strand();
    strands_ = 1;
  }
  [[nodiscard]] bool empty() const noexcept { return works_.empty(); }
  /// Whether it is time to forget: a point has a number for each stream.
  [[nodiscard]] bool full() const noexcept {
    return works_.size() >= most_points || works_.size() * strands_ >= most_numbers;
  }

  /// Memory that was not touched in this round.
  void meet(std::uintptr_t begin, std::size_t bytes) {
    const debug::MemoryAccess whole{begin, bytes, debug::AccessKind::allocate};
    checker_.add(host_, {}, {&whole, 1}, races_);
    works_.emplace_back();
  }
  /// Work at the end of its stream, after `after` as well. Its races are in `races`.
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
  /// The host knows that it is done.
  void host_after(debug::Point point) {
    const debug::HappensBefore& order = checker_.order();
    const debug::Point last = order.last(host_);
    if (point == debug::no_point) return;
    if (last != debug::no_point && order.before(point, last)) return;
    checker_.add(host_, {&point, 1}, {}, races_);
    works_.emplace_back();
  }
  /// The newest of a stream that is not the legacy one, or no_point.
  [[nodiscard]] debug::Point last_of(const void* key) const {
    const auto known = columns_.find(key);
    return known == columns_.end() ? debug::no_point : checker_.order().last(known->second.strand);
  }
  void forget_stream(const void* key) { columns_.erase(key); }

  /// What was found since the last look.
  [[nodiscard]] std::vector<debug::Race>& races() noexcept { return races_; }
  [[nodiscard]] const StreamWork& work(debug::Point point) const noexcept { return works_[point]; }
  /// Whether some work of that name comes before `other`.
  [[nodiscard]] bool comes_before(const StreamWork& work, debug::Point other) const noexcept {
    for (debug::Point point = 0; point < works_.size(); ++point) {
      if (works_[point].what.data == work.what.data && checker_.order().before(point, other)) {
        return true;
      }
    }
    return false;
  }

 private:
  struct Column {
    debug::Strand strand;
    StreamPlace at;
  };
  static constexpr std::size_t most_points = std::size_t{1} << 15;
  static constexpr std::size_t most_numbers = std::size_t{1} << 20;

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

  debug::RaceChecker checker_;
  debug::Strand host_ = 0;
  std::size_t strands_ = 0;
  std::map<const void*, Column> columns_;  // by key; the legacy streams by their device
  std::map<const void*, Column> legacy_;
  std::vector<StreamWork> works_;  // by point
  std::vector<debug::Point> after_;
  std::vector<debug::Race> races_;
};

}  // namespace warpsafe::watch
