// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/backend/memory_access.hpp>
#include <warpsafe/core/detail/process_lock.hpp>
#include <warpsafe/core/name.hpp>
#include <warpsafe/debug/log.hpp>
#include <warpsafe/race/detail/device_history.hpp>
#include <warpsafe/race/race_report.hpp>
#include <warpsafe/race/stream_history.hpp>

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <memory>
#include <span>
#include <utility>
#include <vector>

namespace warpsafe::inline WARPSAFE_DETAIL_VERSION::debug {

/// The captured graphs, by the vendor's own streams, events and graphs. Only calls that the runtime
/// accepted are reported. Not thread-safe.
class CapturedGraphs {
 public:
  void capture_begins(const void* stream) {
    captures_.push_back({stream, {}, {}, {}});
    captures_.back().streams[stream];
  }
  /// `graph`: the result of the capture; nullptr if there is none. Only the stream that began a
  /// capture ends it.
  void capture_ends(const void* stream, const void* graph) {
    const auto capture = std::find_if(captures_.begin(), captures_.end(),
                                      [&](const Capture& open) { return open.origin == stream; });
    if (capture == captures_.end()) return;
    if (graph != nullptr) {
      const Nodes made = std::make_shared<const CapturedNodes>(std::move(capture->nodes));
      graphs_[graph] = made;
    }
    captures_.erase(capture);
  }
  /// An operation on a stream. Returns whether the stream captures; the operation is then a node.
  bool add(const void* stream, const Action& action, std::span<const MemoryAccess> accesses) {
    Capture* const capture = capture_of(stream);
    if (capture == nullptr) return false;
    Tail& tail = capture->streams[stream];
    append(*capture, {action, {accesses.begin(), accesses.end()}, std::move(tail)});
    tail = {capture->nodes.size() - 1};
    return true;
  }
  /// A record of an event. Returns whether it was captured; ordinary work does not see it then.
  bool record(const void* event, const void* stream) {
    forget_event(event);
    Capture* const capture = capture_of(stream);
    if (capture == nullptr) return false;
    capture->events[event] = capture->streams[stream];
    return true;
  }
  /// A stream waits for an event. Returns whether the event belongs to a capture, which the stream
  /// then joins.
  bool wait(const void* stream, const void* event) {
    for (Capture& capture : captures_) {
      const auto mark = capture.events.find(event);
      if (mark == capture.events.end()) continue;
      Tail& tail = capture.streams[stream];
      Tail both;
      std::set_union(tail.begin(), tail.end(), mark->second.begin(), mark->second.end(),
                     std::back_inserter(both));
      tail = std::move(both);
      return true;
    }
    return false;
  }
  void forget_event(const void* event) {
    for (Capture& capture : captures_) capture.events.erase(event);
  }
  /// The captures of a destroyed stream never become graphs.
  void forget_stream(const void* stream) {
    std::erase_if(captures_, [&](const Capture& open) { return open.origin == stream; });
    for (Capture& capture : captures_) capture.streams.erase(stream);
  }

  /// `exec` does the work of `graph` from now on: it was instantiated from it, or updated.
  void set_nodes(const void* exec, const void* graph) {
    const auto nodes = graphs_.find(graph);
    if (nodes != graphs_.end()) execs_[exec] = nodes->second;
  }
  [[nodiscard]] bool empty() const noexcept {
    return captures_.empty() && graphs_.empty() && execs_.empty();
  }
  void forget_graph(const void* graph) { graphs_.erase(graph); }
  void forget_exec(const void* exec) { execs_.erase(exec); }
  /// The nodes of a launch of `exec`. Empty for a graph that other code captured.
  [[nodiscard]] const CapturedNodes& nodes_of(const void* exec) {
    static const CapturedNodes none;
    const auto nodes = execs_.find(exec);
    return nodes == execs_.end() ? none : *nodes->second;
  }

 private:
  using Nodes = std::shared_ptr<const CapturedNodes>;
  /// The nodes that the next one waits for.
  using Tail = std::vector<std::size_t>;
  struct Capture {
    const void* origin;
    AddressMap<Tail> streams;
    AddressMap<Tail> events;
    CapturedNodes nodes;
    std::vector<std::size_t> chain_ends{};  // by chain, its newest node
  };

  [[nodiscard]] Capture* capture_of(const void* stream) noexcept {
    for (Capture& capture : captures_) {
      if (capture.streams.count(stream) != 0) return &capture;
    }
    return nullptr;
  }
  /// Appends a node to the chain that ends in one of the nodes that it waits for, or to a new
  /// chain.
  static void append(Capture& capture, CapturedNode node) {
    std::vector<std::size_t>& ends = capture.chain_ends;
    node.chain = ends.size();
    for (const std::size_t earlier : node.after) {
      const std::size_t chain = capture.nodes[earlier].chain;
      if (ends[chain] == earlier && chain < node.chain) node.chain = chain;
    }
    if (node.chain == ends.size()) ends.push_back({});
    ends[node.chain] = capture.nodes.size();
    capture.nodes.push_back(std::move(node));
  }

  std::vector<Capture> captures_;
  AddressMap<Nodes> graphs_;
  AddressMap<Nodes> execs_;
};

/// Records the work that a program submits to the streams of a real device, and the waits of its
/// host code. Finds accesses that nothing orders (race_checker.hpp), whether or not they collided.
/// The backend Recorded<B> (recorded_backend.hpp) reports the program's calls; report calls outside
/// this library yourself. There is one recorder per program, and all host threads count as one.
/// Thread-safe.
class RaceRecorder {
 public:
  /// The recorder to which Recorded<B> reports.
  [[nodiscard, gnu::visibility("default")]] static RaceRecorder& get() {
    static RaceRecorder one;
    return one;
  }
  /// Removes all records except those of graphs, and starts recording. @pre the device has no work
  void begin() {
    const warpsafe::detail::Locked lock(lock_);
    history_.clear();
    incomplete_ = incomplete_ && !graphs_.empty();  // they may lack nodes
    listening_ = true;
  }
  /// Stops recording and returns the findings. The first 20 races have a text.
  [[nodiscard]] RaceReport end() {
    const warpsafe::detail::Locked lock(lock_);
    listening_ = false;
    RaceReport report = history_.report();
    if (!incomplete_) return report;
    const char* const text = "The record is incomplete\n  the host had no memory left for it\n";
    report.findings.push_back(finding_of(Mistake::failure, text));
    return report;
  }
  /// The number of recorded actions.
  [[nodiscard]] std::size_t size() const {
    const warpsafe::detail::Locked lock(lock_);
    return history_.size();
  }
  /// What the record holds in memory, for tests.
  [[nodiscard]] RecordHeld held() const {
    const warpsafe::detail::Locked lock(lock_);
    return history_.held();
  }

  /// Runs `body`, which calls the members below. If the host has no memory left for them, the
  /// record ends, and the report says so. Without this, they throw std::bad_alloc.
  template <class Body>
  void attempt(const Body& body) noexcept {
    if (detail::catch_bad_alloc([&] { return body(), true; }, false)) return;
    const warpsafe::detail::Locked lock(lock_);
    listening_ = false;
    incomplete_ = true;
  }
  /// Work was submitted to `stream`, a vendor's stream. `what`: a kernel's or a function's name.
  void submitted(const void* stream, ActionKind kind, std::span<const MemoryAccess> accesses,
                 call_site site, Name what = {}) {
    const warpsafe::detail::Locked lock(lock_);
    // A kernel accesses whole allocations, which a report does not show.
    const std::size_t bytes = kind == ActionKind::kernel ? 0 : bytes_of(accesses);
    const Action action{kind, 0, no_point, site, what, bytes};
    if (graphs_.add(stream, action, accesses) || !listening_) return;
    history_.on_stream(stream, action, no_point, accesses);
  }
  /// An event is recorded. It then stands for all earlier work of the stream.
  void recorded(const void* event, const void* stream, call_site site) {
    const warpsafe::detail::Locked lock(lock_);
    history_.forget_event(event);
    if (graphs_.record(event, stream) || !listening_) return;
    history_.recorded(event, stream, site);
  }
  /// Later work of the stream waits for what the event stands for now.
  void waits(const void* stream, const void* event, call_site site) {
    const warpsafe::detail::Locked lock(lock_);
    if (graphs_.wait(stream, event) || !listening_) return;
    history_.waits(stream, event, site);
  }
  void event_destroyed(const void* event) {
    const warpsafe::detail::Locked lock(lock_);
    history_.forget_event(event);
    graphs_.forget_event(event);
  }

  /// Later work of the stream, and of streams that join it, becomes a graph.
  void capture_begins(const void* stream) {
    const warpsafe::detail::Locked lock(lock_);
    graphs_.capture_begins(stream);
  }
  /// `graph`: the result of the capture; nullptr if there is none.
  void capture_ends(const void* stream, const void* graph) {
    const warpsafe::detail::Locked lock(lock_);
    graphs_.capture_ends(stream, graph);
  }
  /// `exec` was instantiated from `graph`, or updated to it.
  void graph_set(const void* exec, const void* graph) {
    const warpsafe::detail::Locked lock(lock_);
    graphs_.set_nodes(exec, graph);
  }
  /// A launch of a graph. Its nodes come after all earlier work of the stream and after the graph's
  /// earlier launches, in the order of their capture. Later work of the stream comes after all of
  /// them.
  void graph_launched(const void* exec, const void* stream, call_site site) {
    const warpsafe::detail::Locked lock(lock_);
    if (listening_) history_.replay(exec, stream, graphs_.nodes_of(exec), site);
  }
  void graph_destroyed(const void* graph) {
    const warpsafe::detail::Locked lock(lock_);
    graphs_.forget_graph(graph);
  }
  void executable_destroyed(const void* exec) {
    const warpsafe::detail::Locked lock(lock_);
    graphs_.forget_exec(exec);
    history_.forget_exec(exec);
  }

  /// The last point that a wait for the stream or event covers if it begins now. The record keeps
  /// the point until `on_host` or `wait_failed` gets it.
  [[nodiscard]] Point end_of_stream(const void* stream) {
    const warpsafe::detail::Locked lock(lock_);
    return listening_ ? history_.await(history_.last_of(stream)) : no_point;
  }
  [[nodiscard]] Point end_of_event(const void* event) {
    const warpsafe::detail::Locked lock(lock_);
    return history_.await(history_.record_of(event));
  }
  /// The last points of all streams.
  [[nodiscard]] std::vector<Point> end_of_streams() {
    const warpsafe::detail::Locked lock(lock_);
    std::vector<Point> ends = history_.newest_points();
    for (const Point end : ends) static_cast<void>(history_.await(end));
    return ends;
  }
  /// An action of the host, which knows that all of `after` is done.
  void on_host(ActionKind kind, std::span<const Point> after,
               std::span<const MemoryAccess> accesses, call_site site) {
    const warpsafe::detail::Locked lock(lock_);
    if (listening_) {
      const Point newest = after.empty() ? no_point : after.back();
      history_.on_host({kind, 0, newest, site, {}, bytes_of(accesses)}, after, accesses);
    }
    history_.end_await(after);
  }
  /// A wait for these points has failed, or a query has not reported completion.
  void wait_failed(std::span<const Point> after) {
    const warpsafe::detail::Locked lock(lock_);
    history_.end_await(after);
  }
  void stream_destroyed(const void* stream, call_site site) {
    const warpsafe::detail::Locked lock(lock_);
    graphs_.forget_stream(stream);
    if (listening_) history_.stream_destroyed(stream, site);
  }

 private:
  RaceRecorder() = default;
  /// The size to report: that of the first access, 0 if it is not known.
  [[nodiscard]] static std::size_t bytes_of(std::span<const MemoryAccess> accesses) noexcept {
    if (accesses.empty() || accesses.front().bytes == MemoryAccess::whole_allocation) return 0;
    return accesses.front().bytes * accesses.front().rows;
  }
  mutable warpsafe::detail::ProcessLock lock_{};
  bool listening_ = false;
  bool incomplete_ = false;
  DeviceHistory history_;
  CapturedGraphs graphs_;
};

}  // namespace warpsafe::inline WARPSAFE_DETAIL_VERSION::debug
