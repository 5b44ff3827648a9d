// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/backend/detail/call_scope.hpp>
#include <warpsafe/backend/host/detail/capture_state.hpp>
#include <warpsafe/backend/host/detail/operation.hpp>
#include <warpsafe/backend/host/detail/status.hpp>
#include <warpsafe/race/race_checker.hpp>
#include <warpsafe/race/stream_history.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

namespace warpsafe::host {

/// Records the actions of a program on the host backend and checks them for races. An action's
/// number is its point in the checker's order.
class HostRaceRecorder {
 public:
  debug::StreamHistory history;
  std::vector<debug::Race> races;
  /// The destruction of a stream, and a later use of it.
  std::vector<std::pair<debug::Point, debug::Point>> uses_after_destroy;

  /// Removes everything. Work that was submitted before cannot be ordered with later work.
  void begin() {
    static std::uint64_t runs = 0;
    run_ = ++runs << 32;
    checker_.clear();
    history.clear();
    races.clear();
    uses_after_destroy.clear();
    columns_.clear();
    host_ = checker_.add_strand();
  }

  /// An operation is appended to a stream.
  void submitted(const StreamState& stream, Operation& operation) {
    const std::uint32_t column = column_of(stream);
    const debug::Strand strand = columns_[column - 1].strand;
    std::vector<debug::Point> after = {checker_.order().last(host_), point_of(operation.after)};
    const bool graph = operation.kind() == OperationKind::graph;
    if (graph) add_nodes(static_cast<const GraphOperation&>(operation), column, after);
    set_accesses(operation);
    // The nodes of a graph access its memory.
    if (graph) accesses_.clear();
    note(action_of(operation, column), strand, after);
    operation.number = run_ | (history.actions.size());
    history.moments.push_back({last_point(), true});
  }
  void runs(const Operation& operation) {
    // An operation whose record found no memory has no point; its submission failed.
    if (const debug::Point point = point_of(operation); point != debug::no_point) {
      history.moments.push_back({point, false});
    }
  }
  /// An action of the host, after `after`, with its accesses, if any.
  void host(debug::ActionKind kind, std::span<const debug::Point> after = {},
            std::span<const debug::MemoryAccess> accesses = {}) {
    accesses_.assign(accesses.begin(), accesses.end());
    debug::Point newest = debug::no_point;
    for (const debug::Point point : after) newest = point;
    const std::size_t bytes = accesses.empty() ? 0 : accesses.front().bytes;
    note({kind, 0, newest, caller().site, {}, bytes}, host_, after);
    history.moments.push_back({last_point(), false});
  }
  void known_done(Operations operations) {
    std::vector<debug::Point> points;
    for (const auto& operation : operations) {
      const debug::Point point = point_of(operation);
      if (point != debug::no_point) points.push_back(point);
    }
    // In program order: the order of the streams' addresses differs between runs.
    std::sort(points.begin(), points.end());
    host(debug::ActionKind::synchronize, points);
  }
  void destroyed(const StreamState& stream) {
    const std::uint32_t column = column_of(stream);
    host(debug::ActionKind::destroy_stream);
    columns_[column - 1].destruction = last_point();
  }
  void refused(const StreamState* stream) {
    for (const Column& column : columns_) {
      if (column.stream != stream || column.destruction == debug::no_point) continue;
      host(debug::ActionKind::use_after_destroy);
      uses_after_destroy.emplace_back(column.destruction, last_point());
    }
  }

 private:
  struct Column {
    const StreamState* stream;
    debug::Strand strand;
    debug::Point destruction;  // or no_point
    /// For nodes of a graph that run beside the stream's own strand. The launches on one stream
    /// come one after another, so all share these. The addresses of graphs are no key: another
    /// graph may get one again, and two executables of one graph may run at once.
    std::vector<debug::Strand> beside{};
  };

  [[nodiscard]] debug::Point last_point() const noexcept {
    return static_cast<debug::Point>(history.actions.size() - 1);
  }
  [[nodiscard]] debug::Point point_of(const Operation& operation) const noexcept {
    const bool of_this_run = operation.number > run_ && operation.number < run_ + (1ULL << 32);
    return of_this_run ? static_cast<debug::Point>(operation.number - run_ - 1) : debug::no_point;
  }
  [[nodiscard]] debug::Point point_of(
      const std::shared_ptr<const Operation>& operation) const noexcept {
    return operation == nullptr ? debug::no_point : point_of(*operation);
  }
  [[nodiscard]] std::uint32_t column_of(const StreamState& stream) {
    for (std::uint32_t i = 0; i < columns_.size(); ++i) {
      if (columns_[i].stream == &stream) return i + 1;
    }
    columns_.push_back({&stream, checker_.add_strand(), debug::no_point});
    history.is_default.push_back(stream.is_default);
    return static_cast<std::uint32_t>(columns_.size());
  }
  void note(const debug::Action& action, debug::Strand strand,
            std::span<const debug::Point> after) {
    // Without memory for the action, the checker must not count its point.
    if (history.actions.size() == history.actions.capacity()) {
      history.actions.reserve(2 * history.actions.size() + 1);
    }
    checker_.add(strand, after, accesses_, races);
    history.actions.push_back(action);
  }
  void set_accesses(const Operation& operation) {
    accesses_.clear();
    for (const Access& access : operation.accesses) {
      const OperationKind kind = operation.kind();
      accesses_.push_back({reinterpret_cast<std::uintptr_t>(access.address), access.bytes,
                           kind == OperationKind::allocate  ? debug::AccessKind::allocate
                           : kind == OperationKind::release ? debug::AccessKind::release
                           : access.writes                  ? debug::AccessKind::write
                                                            : debug::AccessKind::read,
                           access.rows, access.pitch});
    }
  }
  /// Adds a graph's nodes, each after those that it waits for. The graph itself comes after all of
  /// them.
  void add_nodes(const GraphOperation& graph, std::uint32_t column,
                 std::vector<debug::Point>& after) {
    const GraphNodes& nodes = *graph.nodes;
    // The nodes of a chain wait for each other, one after another.
    std::vector<std::size_t> chain_ends;
    after.push_back(checker_.order().last(columns_[column - 1].strand));
    const std::vector<debug::Point> before_all = after;
    const auto first = static_cast<debug::Point>(history.actions.size());
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      std::vector<debug::Point> before = before_all;
      for (const std::size_t node : nodes[i].after) {
        before.push_back(first + static_cast<debug::Point>(node));
      }
      set_accesses(*nodes[i].operation);
      debug::Action action = action_of(*nodes[i].operation, column);
      action.graph = first + static_cast<debug::Point>(nodes.size());
      const auto end = std::find_first_of(chain_ends.begin(), chain_ends.end(),
                                          nodes[i].after.begin(), nodes[i].after.end());
      const auto chain = static_cast<std::size_t>(end - chain_ends.begin());
      if (end == chain_ends.end()) chain_ends.push_back(i);
      chain_ends[chain] = i;
      note(action, strand_of(columns_[column - 1], chain), before);
      after.push_back(last_point());
    }
  }
  [[nodiscard]] debug::Strand strand_of(Column& column, std::size_t chain) {
    if (chain == 0) return column.strand;
    while (column.beside.size() < chain) column.beside.push_back(checker_.add_strand());
    return column.beside[chain - 1];
  }
  [[nodiscard]] debug::Action action_of(const Operation& operation, std::uint32_t column) const {
    const debug::Point after = point_of(operation.after);
    const bool sized = !operation.accesses.empty() && operation.kind() != OperationKind::kernel &&
                       operation.kind() != OperationKind::graph;
    std::size_t bytes = 0;
    if (sized) bytes = operation.accesses.front().bytes * operation.accesses.front().rows;
    const auto kind = [&] {
      switch (operation.kind()) {
        case OperationKind::kernel:
          return debug::ActionKind::kernel;
        case OperationKind::copy:
          return debug::ActionKind::copy;
        case OperationKind::fill:
          return debug::ActionKind::fill;
        case OperationKind::allocate:
          return debug::ActionKind::allocate;
        case OperationKind::release:
          return debug::ActionKind::release;
        case OperationKind::graph:
          return debug::ActionKind::graph;
        case OperationKind::mark:
          break;
      }
      return operation.after == nullptr ? debug::ActionKind::record : debug::ActionKind::wait;
    };
    return {kind(), column, after, operation.caller.site, operation.caller.kernel, bytes};
  }

  debug::RaceChecker checker_;
  debug::Strand host_ = 0;
  std::uint64_t run_ = 0;  // the upper half of the numbers of this run's operations
  std::vector<Column> columns_;
  std::vector<debug::MemoryAccess> accesses_;  // of the action that is being added
};

}  // namespace warpsafe::host
