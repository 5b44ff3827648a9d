// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/backend/memory_access.hpp>
#include <warpsafe/race/detail/captured_graphs.hpp>
#include <warpsafe/race/race_checker.hpp>
#include <warpsafe/race/race_report.hpp>
#include <warpsafe/race/stream_history.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace warpsafe::debug {

/// The actions of a recorded program on the vendor's own streams, and their races. Not thread-safe:
/// RaceRecorder locks.
class DeviceHistory {
 public:
  void clear() {
    checker_.clear();
    history_.clear();
    races_.clear();
    columns_.clear();
    races_left_out_ = 0;
    host_ = checker_.add_strand();
  }
  /// The number of recorded actions.
  [[nodiscard]] std::size_t size() const noexcept { return history_.actions.size(); }
  /// The findings; the first `kept` races have a text.
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
    action.column = column_of(stream);
    const Point before[] = {checker_.order().last(host_), after};
    return note(action, columns_[action.column - 1].strand, before, accesses);
  }
  /// Appends a launch of a graph with `nodes`. Each node comes after all earlier work of the
  /// stream, after `earlier`, and after the nodes that it waits for. Returns the launch's point,
  /// which comes after all of them.
  Point replay(const void* stream, Action action, const CapturedNodes& nodes, Point earlier) {
    action.column = column_of(stream);
    Column& column = columns_[action.column - 1];
    const std::vector<Point> before = {checker_.order().last(host_),
                                       checker_.order().last(column.strand), earlier};
    std::vector<Point> all = before;
    const auto first = static_cast<Point>(size());
    for (const CapturedNode& node : nodes) {
      std::vector<Point> after = before;
      for (const std::size_t one : node.after) after.push_back(first + static_cast<Point>(one));
      Action part = node.action;
      part.column = action.column;
      part.graph = first + static_cast<Point>(nodes.size());
      all.push_back(note(part, strand_of(column, node.chain), after, node.accesses));
    }
    return note(action, column.strand, all, {});
  }
  /// An action of the host, which knows that all of `after` is done.
  void on_host(const Action& action, std::span<const Point> after,
               std::span<const MemoryAccess> accesses) {
    note(action, host_, after, accesses);
  }
  /// Another stream may have the same address from now on.
  void stream_destroyed(const void* stream, call_site site) {
    const std::uint32_t column = column_of(stream);
    note({ActionKind::destroy_stream, 0, no_point, site, {}, 0}, host_, {}, {});
    columns_[column - 1].stream = &gone;
  }

  /// The newest point of the stream.
  [[nodiscard]] Point last_of(const void* stream) {
    return checker_.order().last(columns_[column_of(stream) - 1].strand);
  }
  /// The newest points of all streams.
  [[nodiscard]] std::vector<Point> last_of_all() const {
    std::vector<Point> ends;
    for (const Column& column : columns_) ends.push_back(checker_.order().last(column.strand));
    return ends;
  }

 private:
  struct Column {
    const void* stream;
    Strand strand;
    /// For nodes of a graph that run beside the stream's own strand. The launches on one stream
    /// come one after another, so all share these.
    std::vector<Strand> beside{};
  };
  // Further races are only counted; they are rarely of another kind.
  static constexpr std::size_t kept = 20;

  /// The vendors' default streams have the addresses 0, 1 (legacy) and 2 (per thread).
  [[nodiscard]] static bool is_default(const void* stream) noexcept {
    return reinterpret_cast<std::uintptr_t>(stream) <= 2;
  }
  [[nodiscard]] std::uint32_t column_of(const void* stream) {
    for (std::uint32_t i = 0; i < columns_.size(); ++i) {
      if (columns_[i].stream == stream) return i + 1;
    }
    columns_.push_back({stream, checker_.add_strand()});
    history_.is_default.push_back(is_default(stream));
    return static_cast<std::uint32_t>(columns_.size());
  }
  [[nodiscard]] Strand strand_of(Column& column, std::size_t chain) {
    if (chain == 0) return column.strand;
    while (column.beside.size() < chain) column.beside.push_back(checker_.add_strand());
    return column.beside[chain - 1];
  }
  Point note(const Action& action, Strand strand, std::span<const Point> after,
             std::span<const MemoryAccess> accesses) {
    const Point point = checker_.add(strand, after, accesses, races_);
    history_.actions.push_back(action);
    history_.moments.push_back({point, action.column != 0});
    if (races_.size() > kept) {
      races_left_out_ += races_.size() - kept;
      races_.erase(races_.begin() + static_cast<std::ptrdiff_t>(kept), races_.end());
    }
    return point;
  }

  static inline const char gone = 0;
  RaceChecker checker_;
  StreamHistory history_;
  std::vector<Race> races_;
  std::uint64_t races_left_out_ = 0;
  std::vector<Column> columns_;
  Strand host_ = 0;
};

}  // namespace warpsafe::debug
