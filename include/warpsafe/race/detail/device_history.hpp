// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/backend/memory_access.hpp>
#include <warpsafe/race/race_checker.hpp>
#include <warpsafe/race/race_report.hpp>
#include <warpsafe/race/stream_history.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

namespace warpsafe::inline WARPSAFE_DETAIL_VERSION::debug {

/// Values for the vendor's own objects (streams, events, graphs), by address.
template <class T>
using AddressMap = std::unordered_map<const void*, T>;

/// One operation of a captured graph.
struct CapturedNode {
  Action action;  ///< its column and points are those of a replay
  std::vector<MemoryAccess> accesses;
  std::vector<std::size_t> after;  ///< the numbers of the nodes that it waits for, in rising order
  /// The nodes of a chain wait for each other, one after another. A replay needs one strand for
  /// each chain.
  std::size_t chain = 0;
};
/// In the order of the capture, which respects the dependencies.
using CapturedNodes = std::vector<CapturedNode>;

/// What a record holds in memory, for tests.
struct RecordHeld {
  std::size_t actions, moments, accesses, points, strands, clock_parts, streams;
};

/// The actions of a recorded program on the vendor's own streams, and their races. Not thread-safe:
/// RaceRecorder locks.
class DeviceHistory {
 public:
  void clear() {
    checker_.clear();
    history_.clear();
    races_.clear();
    columns_.clear();
    ended_.clear();
    events_.clear();
    launches_.clear();
    awaited_.clear();
    races_left_out_ = 0;
    forget_at_ = least_kept;
    host_ = checker_.add_strand();
  }
  /// The number of recorded actions.
  [[nodiscard]] std::size_t size() const noexcept { return history_.size(); }
  /// What is in memory, for tests.
  [[nodiscard]] RecordHeld held() const {
    const HappensBefore& order = checker_.order();
    return {history_.held(),
            history_.moments().size(),
            checker_.accesses_held(),
            order.points_held(),
            order.strands_held(),
            order.clock_parts_held(),
            columns_.size() + ended_.size()};
  }
  /// The findings; the first `with_text` races have a text.
  [[nodiscard]] RaceReport report() const {
    RaceReport report;
    report.left_out = races_left_out_;
    // Uses of destroyed streams are not recorded, because they can end the program.
    add_findings(report, history_, races_, {});
    return report;
  }

  /// Appends an action to a stream, after `after` as well. Returns its point.
  Point on_stream(const void* stream, Action action, Point after,
                  std::span<const MemoryAccess> accesses) {
    forget_some();
    const Column& column = column_of(stream);
    action.column = column.number;
    const Point before[] = {checker_.order().last(host_), after};
    return note(action, column.strand, before, accesses);
  }
  void recorded(const void* event, const void* stream, call_site site) {
    events_[event] =
        on_stream(stream, {ActionKind::record, 0, no_point, site, {}, 0}, no_point, {});
  }
  void waits(const void* stream, const void* event, call_site site) {
    const Point after = record_of(event);
    const ActionKind kind = after == no_point ? ActionKind::empty_wait : ActionKind::wait;
    on_stream(stream, {kind, 0, after, site, {}, 0}, after, {});
  }
  /// The newest record of the event, or no_point.
  [[nodiscard]] Point record_of(const void* event) const {
    const auto found = events_.find(event);
    return found == events_.end() ? no_point : found->second;
  }
  void forget_event(const void* event) { events_.erase(event); }
  void forget_exec(const void* exec) { launches_.erase(exec); }
  /// Appends a launch of a graph with `nodes`. Each node comes after all earlier work of the
  /// stream, after the graph's launch before, and after the nodes that it waits for. The launch
  /// comes after all of them.
  void replay(const void* exec, const void* stream, const CapturedNodes& nodes, call_site site) {
    forget_some();
    Column& column = column_of(stream);
    Point& newest = launches_.try_emplace(exec, no_point).first->second;
    const std::vector<Point> before = {checker_.order().last(host_),
                                       checker_.order().last(column.strand), newest};
    std::vector<Point> all = before;
    std::vector<Point> after;
    const auto first = static_cast<Point>(size());
    for (const CapturedNode& node : nodes) {
      after = before;
      for (const std::size_t one : node.after) after.push_back(first + static_cast<Point>(one));
      Action part = node.action;
      part.column = column.number;
      part.graph = first + static_cast<Point>(nodes.size());
      all.push_back(note(part, strand_of(column, node.chain), after, node.accesses));
    }
    newest =
        note({ActionKind::graph, column.number, no_point, site, {}, 0}, column.strand, all, {});
  }
  /// An action of the host, which knows that all of `after` is done.
  void on_host(const Action& action, std::span<const Point> after,
               std::span<const MemoryAccess> accesses) {
    forget_some();
    note(action, host_, after, accesses);
  }
  /// The host waits for `point`, which therefore is not forgotten until end_await.
  [[nodiscard]] Point await(Point point) {
    if (point != no_point) ++awaited_[point];
    return point;
  }
  void end_await(std::span<const Point> points) {
    for (const Point point : points) {
      const auto found = awaited_.find(point);
      if (found != awaited_.end() && --found->second == 0) awaited_.erase(found);
    }
  }
  /// Another stream may have the same address from now on.
  void stream_destroyed(const void* stream, call_site site) {
    forget_some();
    const Column column = column_of(stream);
    note({ActionKind::destroy_stream, 0, no_point, site, {}, 0}, host_, {}, {});
    const Point last = checker_.order().last(column.strand);
    if (last != no_point) ended_.emplace_back(column.number, last);
    end(column);
    columns_.erase(stream);
  }

  /// The newest point of the stream.
  [[nodiscard]] Point last_of(const void* stream) {
    return checker_.order().last(column_of(stream).strand);
  }
  /// The newest points of all streams, also of those that were destroyed and may have work left.
  [[nodiscard]] std::vector<Point> newest_points() const {
    std::vector<Ended> ends = ended_;
    for (const auto& [stream, column] : columns_) {
      ends.emplace_back(column.number, checker_.order().last(column.strand));
    }
    std::sort(ends.begin(), ends.end());
    std::vector<Point> points;
    points.reserve(ends.size());
    for (const Ended& one : ends) points.push_back(one.second);
    return points;
  }

 private:
  struct Column {
    std::uint32_t number;
    Strand strand;
    /// For nodes of a graph that run beside the stream's own strand. The launches on one stream
    /// come one after another, so all share these.
    std::vector<Strand> beside{};
  };
  using Ended = std::pair<std::uint32_t, Point>;  // a column's number and its last point
  // Further races are only counted; they are rarely of another kind.
  static constexpr std::size_t with_text = 20;
  // A shorter record is kept whole.
  static constexpr std::size_t least_kept = 2048;

  /// The vendors' default streams have the addresses 0, 1 (legacy) and 2 (per thread).
  [[nodiscard]] static bool is_default(const void* stream) noexcept {
    return reinterpret_cast<std::uintptr_t>(stream) <= 2;
  }
  [[nodiscard]] Column& column_of(const void* stream) {
    const auto known = columns_.find(stream);
    if (known != columns_.end()) return known->second;
    const auto number = static_cast<std::uint32_t>(history_.is_default.size());
    history_.is_default.push_back(is_default(stream));
    return columns_.emplace(stream, Column{number, checker_.add_strand()}).first->second;
  }
  [[nodiscard]] Strand strand_of(Column& column, std::size_t chain) {
    if (chain == 0) return column.strand;
    while (column.beside.size() < chain) column.beside.push_back(checker_.add_strand());
    return column.beside[chain - 1];
  }
  void end(const Column& column) {
    checker_.end_strand(column.strand);
    for (const Strand strand : column.beside) checker_.end_strand(strand);
  }
  /// Keeps the record small: forgets what can be part of no later race or report.
  void forget_some() {
    if (size() < forget_at_) return;
    // What a later call may name.
    std::vector<Point> kept;
    for (const auto& [event, point] : events_) kept.push_back(point);
    for (const auto& [exec, point] : launches_) kept.push_back(point);
    for (const auto& [point, waits] : awaited_) kept.push_back(point);
    const HappensBefore& order = checker_.order();
    // A wait for all streams covers a destroyed stream's end if it covers what comes after it.
    Clock known;
    order.add_to(known, order.last(host_));
    for (auto& [stream, column] : columns_) {
      order.add_to(known, order.last(column.strand));
      // A launch comes after its nodes, so the next launch can as well use new strands.
      for (const Strand strand : std::exchange(column.beside, {})) checker_.end_strand(strand);
    }
    std::vector<Ended> ended;
    for (std::size_t i = ended_.size(); i-- != 0;) {
      const Point last = ended_[i].second;
      if (known.knows(order.epoch(last))) continue;
      order.add_to(known, last);
      ended.push_back(ended_[i]);
      kept.push_back(last);
    }
    ended_ = std::move(ended);
    forget_at_ = size() + kept.size() + columns_.size() + least_kept;
    checker_.forget(order.last(host_), std::move(kept));

    std::vector<Point> marked;
    std::vector<Point> named;
    checker_.each_nameable([&](Point point) { marked.push_back(point); },
                           [&](Point point) { named.push_back(point); });
    for (const Race& race : races_) race.add_points(marked, named);
    history_.forget(std::move(marked), std::move(named));
    // So that forgetting costs a constant time for each action.
    forget_at_ += history_.held() + checker_.allocations_held();
  }
  Point note(const Action& action, Strand strand, std::span<const Point> after,
             std::span<const MemoryAccess> accesses) {
    history_.make_room();
    // The checker may run out of memory after it has counted the point.
    struct Adds {
      DeviceHistory& self;
      const Action& action;
      ~Adds() {
        if (self.history_.size() != self.checker_.order().size()) self.history_.add(action);
      }
    };
    const Point point = [&] {
      const Adds adds{*this, action};
      return checker_.add(strand, after, accesses, races_);
    }();
    history_.happens(point, action.column != 0);
    if (races_.size() > with_text) {
      races_left_out_ += races_.size() - with_text;
      races_.erase(races_.begin() + static_cast<std::ptrdiff_t>(with_text), races_.end());
    }
    return point;
  }

  RaceChecker checker_;
  StreamHistory history_;
  std::vector<Race> races_;
  std::uint64_t races_left_out_ = 0;
  AddressMap<Column> columns_;  // of the streams that are not destroyed
  std::vector<Ended> ended_;    // of the others, unless a later point stands for it
  AddressMap<Point> events_;    // by event, its newest record
  AddressMap<Point> launches_;  // by executable graph, its newest launch
  std::unordered_map<Point, std::size_t> awaited_;  // with the number of waits for each
  std::size_t forget_at_ = least_kept;
  Strand host_ = 0;
};

}  // namespace warpsafe::inline WARPSAFE_DETAIL_VERSION::debug
