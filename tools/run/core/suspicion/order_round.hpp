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

/// The program's work and its order, as far as an OrderWatch remembers it. Streams are distinct;
/// the legacy default stream and the blocking streams wait for each other. All host threads count
/// as one. Not thread-safe.
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
  /// Returns whether the round has reached its size limit: each point stores a number for each
  /// stream.
  [[nodiscard]] bool full() const noexcept {
    return works_.size() >= most_points || works_.size() * strands_ >= most_numbers;
  }

  /// Adds memory that was not touched in this round.
  void meet(std::uintptr_t begin, std::size_t bytes) {
    const MemoryAccess whole{begin, bytes, AccessKind::allocate};
    checker_.add(host_, {}, {&whole, 1}, races_);
    works_.emplace_back();
  }
  /// Adds work at the end of its stream, and after `after`. New races are in `races`.
  debug::Point put(const StreamWork& work, debug::Point after,
                   std::span<const MemoryAccess> accesses) {
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
  /// The host knows that the work at `point` is complete.
  void host_after(debug::Point point) {
    const debug::HappensBefore& order = checker_.order();
    const debug::Point last = order.last(host_);
    if (point == debug::no_point) return;
    if (last != debug::no_point && order.before(point, last)) return;
    checker_.add(host_, {&point, 1}, {}, races_);
    works_.emplace_back();
  }
  /// Returns the newest point of a stream other than the legacy stream, or no_point.
  [[nodiscard]] debug::Point last_of(std::uint64_t key) const {
    const auto known = columns_.find(key);
    return known == columns_.end() ? debug::no_point : checker_.order().last(known->second.strand);
  }
  void forget_stream(std::uint64_t key) { columns_.erase(key); }
  [[nodiscard]] bool comes_before(debug::Point earlier, debug::Point later) const noexcept {
    return checker_.order().before(earlier, later);
  }
  /// Returns whether the host knows that the work at `point` is complete.
  [[nodiscard]] bool host_knows(debug::Point point) const noexcept {
    const debug::Point last = checker_.order().last(host_);
    return last != debug::no_point && (point == last || comes_before(point, last));
  }

  /// The races found since the caller last cleared the list.
  [[nodiscard]] std::vector<debug::Race>& races() noexcept { return races_; }
  [[nodiscard]] const StreamWork& work(debug::Point point) const noexcept { return works_[point]; }
  /// Returns whether work of the same name comes before `other` that may write another part of the
  /// memory. The same launch once more writes the same part.
  [[nodiscard]] bool comes_before(const StreamWork& work, debug::Point other) const noexcept {
    for (debug::Point point = 0; point < works_.size(); ++point) {
      const StreamWork& one = works_[point];
      const bool is_known = work.same != 0 && one.same != 0;
      const bool is_part = !is_known || (one.same != work.same && one.written == work.written);
      if (one.what.data == work.what.data && is_part && checker_.order().before(point, other)) {
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
    const auto known = columns.find(at.key);
    if (known != columns.end()) return known->second;
    ++strands_;
    return columns.emplace(at.key, Column{checker_.add_strand(), at}).first->second;
  }

  debug::RaceChecker checker_;
  debug::Strand host_ = 0;
  std::size_t strands_ = 0;
  std::map<std::uint64_t, Column> columns_;  // by key
  std::map<std::uint64_t, Column> legacy_;
  std::vector<StreamWork> works_;  // by point
  std::vector<debug::Point> after_;
  std::vector<debug::Race> races_;
};

}  // namespace warpsafe::watch
