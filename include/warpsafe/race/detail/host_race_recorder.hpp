// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/backend/detail/given_memory.hpp>
#include <warpsafe/backend/host/detail/caller.hpp>
#include <warpsafe/backend/host/detail/capture_state.hpp>
#include <warpsafe/backend/host/detail/host_status.hpp>
#include <warpsafe/backend/host/detail/memory.hpp>
#include <warpsafe/backend/host/detail/operation.hpp>
#include <warpsafe/backend/host/detail/runtime.hpp>
#include <warpsafe/core/element_type.hpp>
#include <warpsafe/race/detail/outside_writes.hpp>
#include <warpsafe/race/race_report.hpp>
#include <warpsafe/race/stream_history.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

namespace warpsafe::inline WARPSAFE_DETAIL_VERSION::host {

/// Records the actions of a program on the host backend and checks them for races. An action's
/// number is its point in the checker's order.
class HostRaceRecorder {
 public:
  debug::StreamHistory history;
  std::vector<debug::Race> races;
  /// The destruction of a stream, and a later use of it.
  std::vector<std::pair<debug::Point, debug::Point>> uses_after_destroy;
  OutsideWrites outside;  ///< the kernels whose accesses are not narrowed to their views
  std::vector<std::pair<debug::Point, debug::Mistake>> remarks;  ///< mistakes of one action
  /// KernelOperation::unseen of all runs.
  std::vector<std::pair<Name, std::uint32_t>> unseen;

  /// Removes everything. Work that was submitted before cannot be ordered with later work.
  [[gnu::visibility("default")]] void begin() {
    static std::uint64_t runs = 0;
    run_ = ++runs << 32;
    checker_.clear();
    history.clear();
    races.clear();
    uses_after_destroy.clear();
    remarks.clear();
    columns_.clear();
    submitted_.clear();
    forget_at_ = least_kept;
    host_ = checker_.add_strand();
  }
  /// What is in memory, for tests: actions, accesses, strands.
  struct Held {
    std::size_t actions, accesses, strands;
  };
  [[nodiscard]] Held held() const noexcept {
    return {history.held(), checker_.accesses_held(), checker_.order().strands_held()};
  }

  /// Whether the host knows that all work of the stream so far has ended.
  [[nodiscard]] bool host_knows(const StreamState& stream) const {
    const auto found = columns_.find(&stream);
    return found == columns_.end() || host_knows(checker_.order().last(found->second.strand));
  }
  [[nodiscard]] bool host_knows(const Operation& operation) const {
    return host_knows(point_of(operation));
  }
  /// Whether the kernel has ended once `after`, of another stream than `stream`, is over. False for
  /// one of that stream itself.
  [[nodiscard]] bool ends_before(const Operation& kernel, const Operation& after,
                                 const StreamState& stream) const {
    const debug::Point first = point_of(kernel);
    const debug::Point then = point_of(after);
    const auto own = columns_.find(&stream);
    if (first == debug::no_point || then == debug::no_point || own == columns_.end()) return false;
    const debug::HappensBefore& order = checker_.order();
    return order.epoch(then).strand != own->second.strand && order.before(first, then);
  }
  /// A dependent launch accessed memory too early for an earlier kernel of its stream. `through`:
  /// the kernel between them that did not wait, or nullptr.
  void overlaps(const Operation& earlier, const Operation& kernel, const Operation* through,
                const MemoryAccess& first, const MemoryAccess& second, debug::Overlap how) {
    if (through != nullptr) how.through = point_of(*through);
    races.push_back(checker_.overlap(point_of(earlier), point_of(kernel), first, second, how));
  }
  void remark(const Operation& by, debug::Mistake it) { remarks.emplace_back(point_of(by), it); }
  /// An operation is appended to a stream.
  void submitted(const StreamState& stream, Operation& operation) {
    forget_some();
    Column& column = column_of(stream);
    std::vector<debug::Point> after = {checker_.order().last(host_), point_of(operation.after)};
    const bool graph = operation.kind() == OperationKind::graph;
    if (graph) add_nodes(static_cast<const GraphOperation&>(operation), column, after);
    set_accesses(operation);
    // The nodes of a graph access its memory.
    if (graph) accesses_.clear();
    note(action_of(operation, column.number), column.strand, after);
    operation.number = run_ | history.size();
    submitted_.emplace_back(&operation);
    history.happens(last_point(), true);
  }
  void runs(const Operation& operation) {
    // An operation whose record found no memory has no point; its submission failed.
    const debug::Point point = point_of(operation);
    if (point != debug::no_point) history.happens(point, false);
  }
  /// Notes a kernel whose elements are addresses of device memory. Elements that are numbers are
  /// not searched. @pre the operation runs next, so the elements are there
  void look_for_addresses(Operation& operation, const MemoryRegistry& memory) {
    if (operation.kind() == OperationKind::graph) {
      for (const GraphNode& node : *static_cast<GraphOperation&>(operation).nodes) {
        look_for_addresses(*node.operation, memory);
      }
    }
    if (operation.kind() != OperationKind::kernel) return;
    auto& kernel = static_cast<KernelOperation&>(operation);
    warpsafe::detail::each_memory(
        kernel.grid.entry(), kernel.grid.values(), [&](const warpsafe::detail::GivenMemory& given) {
          if (kernel.unseen == 0 && given.is_table && holds_address(given.address, memory)) {
            kernel.unseen = given.parameter + 1;
          }
        });
    note_unseen(kernel);
  }
  /// Whether the memory at `begin` holds an address of device memory.
  [[nodiscard]] static bool holds_address(const void* begin, const MemoryRegistry& memory) {
    const Allocation* const table = memory.around(begin);
    if (table == nullptr) return false;
    const auto* at = static_cast<const unsigned char*>(begin);
    const auto* const end =
        reinterpret_cast<const unsigned char*>(table->storage.get()) + table->bytes;
    for (; end - at >= std::ptrdiff_t{sizeof(void*)}; at += sizeof(void*)) {
      const void* element = nullptr;
      std::memcpy(&element, at, sizeof element);
      if (element != nullptr && memory.meant_by(element) != nullptr) return true;
    }
    return false;
  }
  /// An action of the host, after `after`, with its accesses, if any.
  void host(debug::ActionKind kind, std::span<const debug::Point> after = {},
            std::span<const MemoryAccess> accesses = {}) {
    forget_some();
    accesses_.assign(accesses.begin(), accesses.end());
    debug::Point newest = debug::no_point;
    for (const debug::Point point : after) newest = point;
    const std::size_t bytes = accesses.empty() ? 0 : accesses.front().bytes;
    note({kind, 0, newest, caller().site, {}, bytes}, host_, after);
    history.happens(last_point(), false);
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
    Column& column = column_of(stream);
    host(debug::ActionKind::destroy_stream);
    column.destruction = last_point();
    checker_.end_strand(column.strand);  // forget_some ends those beside it
  }
  void forgotten(const StreamState& stream) {
    const auto found = columns_.find(&stream);
    if (found == columns_.end()) return;
    for (const debug::Strand strand : found->second.beside) checker_.end_strand(strand);
    columns_.erase(found);
  }
  void refused(const StreamState* stream) {
    const auto found = columns_.find(stream);
    if (found == columns_.end() || found->second.destruction == debug::no_point) return;
    host(debug::ActionKind::use_after_destroy);
    uses_after_destroy.emplace_back(found->second.destruction, last_point());
  }

 private:
  struct Column {
    std::uint32_t number;
    debug::Strand strand;
    debug::Point destruction = debug::no_point;
    /// For nodes of a graph that run beside the stream's own strand. The launches on one stream
    /// come one after another, so all share these. The addresses of graphs are no key: another
    /// graph may get one again, and two executables of one graph may run at once.
    std::vector<debug::Strand> beside{};
  };

  [[nodiscard]] debug::Point last_point() const noexcept {
    return static_cast<debug::Point>(history.size() - 1);
  }
  [[nodiscard]] bool host_knows(debug::Point point) const {
    const debug::HappensBefore& order = checker_.order();
    return point == debug::no_point || order.before(point, order.last(host_));
  }
  [[nodiscard]] debug::Point point_of(const Operation& operation) const noexcept {
    const bool of_this_run = operation.number > run_ && operation.number < run_ + (1ULL << 32);
    return of_this_run ? static_cast<debug::Point>(operation.number - run_ - 1) : debug::no_point;
  }
  [[nodiscard]] debug::Point point_of(const Shared<const Operation>& operation) const noexcept {
    return operation == nullptr ? debug::no_point : point_of(*operation);
  }
  [[nodiscard]] Column& column_of(const StreamState& stream) {
    const auto known = columns_.find(&stream);
    if (known != columns_.end()) return known->second;
    const auto number = static_cast<std::uint32_t>(history.is_default.size());
    history.is_default.push_back(stream.is_default);
    return columns_.emplace(&stream, Column{number, checker_.add_strand()}).first->second;
  }
  /// Keeps the record small: forgets what can be part of no later race or report.
  void forget_some() {
    if (history.size() < forget_at_) return;
    // A later call names only an operation that others still hold.
    // The newest first: one that others do not hold may hold an older one.
    for (std::size_t i = submitted_.size(); i-- != 0;) {
      if (submitted_[i]->holders() == 1) submitted_[i] = nullptr;
    }
    std::erase(submitted_, nullptr);
    std::vector<debug::Point> kept;
    for (const auto& operation : submitted_) kept.push_back(point_of(*operation));
    std::vector<debug::Point> named = kept;
    for (auto& [stream, column] : columns_) {
      if (column.destruction != debug::no_point) named.push_back(column.destruction);
      // A launch comes after its nodes, so the next launch can as well use new strands.
      for (const debug::Strand strand : std::exchange(column.beside, {})) {
        checker_.end_strand(strand);
      }
    }
    checker_.forget(checker_.order().last(host_), std::move(kept));

    std::vector<debug::Point> marked;
    for (const auto& [destruction, use] : uses_after_destroy) {
      marked.insert(marked.end(), {destruction, use});
    }
    for (const auto& [point, mistake] : remarks) marked.push_back(point);
    for (const debug::Race& race : races) race.add_points(marked, named);
    checker_.each_nameable([&](debug::Point point) { marked.push_back(point); },
                           [&](debug::Point point) { named.push_back(point); });
    history.forget(std::move(marked), std::move(named));
    // So that forgetting costs a constant time for each action.
    forget_at_ = history.size() + least_kept + history.held() + checker_.allocations_held() +
                 columns_.size() + submitted_.size();
  }
  void note(const debug::Action& action, debug::Strand strand,
            std::span<const debug::Point> after) {
    history.make_room();
    // The checker may run out of memory after it has counted the point.
    const struct Adds {
      HostRaceRecorder& recorder;
      const debug::Action& action;
      ~Adds() {
        if (recorder.history.size() != recorder.checker_.order().size()) {
          recorder.history.add(action);
        }
      }
    } adds{*this, action};
    checker_.add(strand, after, accesses_, races);
  }
  void note_unseen(const KernelOperation& kernel) {
    const std::pair<Name, std::uint32_t> one{kernel.caller.kernel, kernel.unseen};
    if (kernel.unseen == 0) return;
    if (std::find(unseen.begin(), unseen.end(), one) == unseen.end()) unseen.push_back(one);
  }
  /// @pre the runtime's lock is held
  void set_accesses(const Operation& operation) {
    accesses_.assign(operation.accesses.begin(), operation.accesses.end());
    bool widens = false;
    if (operation.kind() == OperationKind::kernel) {
      const auto& kernel = static_cast<const KernelOperation&>(operation);
      note_unseen(kernel);
      widens = outside.is_known(kernel);
    }
    const Runtime& runtime = Runtime::get();
    for (MemoryAccess& access : accesses_) {
      if (!widens && access.bytes != MemoryAccess::whole_allocation) continue;
      access = {access.begin, MemoryAccess::whole_allocation, access.kind};
      // The checker knows only what was allocated during the run.
      const Allocation* const memory = runtime.memory.meant_by(access.address());
      if (memory != nullptr) {
        access = MemoryAccess::of(memory->storage.get(), memory->bytes, access.kind);
      }
    }
  }
  /// Adds a graph's nodes, each after those that it waits for. The graph itself comes after all of
  /// them.
  void add_nodes(const GraphOperation& graph, Column& column, std::vector<debug::Point>& after) {
    const GraphNodes& nodes = *graph.nodes;
    // The nodes of a chain wait for each other, one after another.
    std::vector<std::size_t> chain_ends;
    std::vector<std::size_t> chains(nodes.size());
    after.push_back(checker_.order().last(column.strand));
    const std::vector<debug::Point> before_all = after;
    std::vector<debug::Point> before;
    const auto first = static_cast<debug::Point>(history.size());
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      before = before_all;
      std::size_t& chain = chains[i];
      chain = chain_ends.size();
      for (const std::size_t node : nodes[i].after) {
        before.push_back(first + static_cast<debug::Point>(node));
        if (chain_ends[chains[node]] == node && chains[node] < chain) chain = chains[node];
      }
      if (chain == chain_ends.size()) chain_ends.push_back(i);
      chain_ends[chain] = i;
      set_accesses(*nodes[i].operation);
      debug::Action action = action_of(*nodes[i].operation, column.number);
      action.graph = first + static_cast<debug::Point>(nodes.size());
      note(action, strand_of(column, chain), before);
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
  // A destroyed stream stays until the runtime forgets it: no other stream gets its address before.
  std::unordered_map<const StreamState*, Column> columns_;
  std::vector<Shared<const Operation>> submitted_;
  // A shorter run is kept whole.
  static constexpr std::size_t least_kept = 2048;
  std::size_t forget_at_ = least_kept;
  std::vector<MemoryAccess> accesses_;  // of the action that is being added
};

}  // namespace warpsafe::inline WARPSAFE_DETAIL_VERSION::host
