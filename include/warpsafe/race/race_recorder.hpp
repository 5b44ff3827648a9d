// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/backend/memory_access.hpp>
#include <warpsafe/core/call_site.hpp>
#include <warpsafe/core/name.hpp>
#include <warpsafe/race/detail/recorded_graphs.hpp>
#include <warpsafe/race/detail/recorded_history.hpp>
#include <warpsafe/race/race_report.hpp>
#include <warpsafe/race/stream_history.hpp>

#include <cstddef>
#include <mutex>
#include <span>
#include <vector>

namespace warpsafe::debug {

/// Writes down what a program gives the streams of a real device, and what its host code waits for,
/// and finds what nothing orders (race_checker.hpp), whether or not it went wrong. What it knows,
/// it is told: by the backend Recorded<B> (recorded_backend.hpp), or by hand for calls that do not
/// go through this library. One for the program; all threads of the host count as one. Thread-safe.
class RaceRecorder {
 public:
  /// The one that Recorded<B> tells.
  [[nodiscard, gnu::visibility("default")]] static RaceRecorder& get() {
    static RaceRecorder one;
    return one;
  }
  /// Forgets everything but what graphs do, and listens from here on. @pre the device has no work
  void begin() {
    const std::lock_guard lock(mutex_);
    history_.clear();
    events_.clear();
    launches_.clear();
    listening_ = true;
  }
  /// Listens no more. What was found; the first 20 races are told in words.
  [[nodiscard]] RaceReport end() {
    const std::lock_guard lock(mutex_);
    listening_ = false;
    return history_.report();
  }
  /// How many things were written down.
  [[nodiscard]] std::size_t size() const {
    const std::lock_guard lock(mutex_);
    return history_.size();
  }

  /// Work at the end of a stream, the vendor's own. `what`: a kernel's or a function's name.
  void submitted(const void* stream, ActionKind kind, std::span<const MemoryAccess> accesses,
                 call_site site, Name what = {}) {
    const std::lock_guard lock(mutex_);
    // A kernel's accesses are whole allocations: nothing that a report would say of it.
    const bool sized = kind != ActionKind::kernel && !accesses.empty();
    const std::size_t bytes = sized ? accesses.front().bytes * accesses.front().rows : 0;
    const Action action{kind, 0, no_point, site, what, bytes};
    if (graphs_.add(stream, action, accesses) || !listening_) return;
    history_.on_stream(stream, action, no_point, accesses);
  }
  /// An event is recorded: from here on it stands for all that the stream was given so far.
  void recorded(const void* event, const void* stream, call_site site) {
    const std::lock_guard lock(mutex_);
    events_.erase(event);
    if (graphs_.record(event, stream) || !listening_) return;
    const Action action{ActionKind::record, 0, no_point, site, {}, 0};
    events_.put(event, history_.on_stream(stream, action, no_point, {}));
  }
  /// What the stream is given from now on waits for what the event stands for now.
  void waits(const void* stream, const void* event, call_site site) {
    const std::lock_guard lock(mutex_);
    if (graphs_.wait(stream, event) || !listening_) return;
    const Point after = events_.get(event, no_point);
    const ActionKind kind = after == no_point ? ActionKind::wait_for_nothing : ActionKind::wait;
    history_.on_stream(stream, {kind, 0, after, site, {}, 0}, after, {});
  }
  void event_destroyed(const void* event) {
    const std::lock_guard lock(mutex_);
    events_.erase(event);
    graphs_.forget_event(event);
  }

  /// From here on what the stream is given becomes a graph, and so with streams that join it.
  void capture_begins(const void* stream) {
    const std::lock_guard lock(mutex_);
    graphs_.capture_begins(stream);
  }
  /// `graph`: what became of the capture; nullptr if there is none.
  void capture_ends(const void* stream, const void* graph) {
    const std::lock_guard lock(mutex_);
    graphs_.capture_ends(stream, graph);
  }
  /// `exec` was instantiated of `graph`, or updated to it.
  void graph_set(const void* exec, const void* graph) {
    const std::lock_guard lock(mutex_);
    graphs_.set_nodes(exec, graph);
  }
  /// A launch of a graph: its nodes, in the order of their capture, after all that the stream was
  /// given so far and after the graph's earlier launches. What the stream is given next comes after
  /// all of them.
  void graph_launched(const void* exec, const void* stream, call_site site) {
    const std::lock_guard lock(mutex_);
    const Action action{ActionKind::graph, 0, no_point, site, {}, 0};
    if (!listening_) return;
    const Point earlier = launches_.get(exec, no_point);
    launches_.put(exec, history_.replay(stream, action, graphs_.nodes_of(exec), earlier));
  }
  void graph_destroyed(const void* graph) {
    const std::lock_guard lock(mutex_);
    graphs_.forget_graph(graph);
  }
  void executable_destroyed(const void* exec) {
    const std::lock_guard lock(mutex_);
    graphs_.forget_exec(exec);
    launches_.erase(exec);
  }

  /// What a wait for the stream, or for the event, that begins now will have waited for.
  [[nodiscard]] Point end_of_stream(const void* stream) {
    const std::lock_guard lock(mutex_);
    return listening_ ? history_.last_of(stream) : no_point;
  }
  [[nodiscard]] Point end_of_event(const void* event) {
    const std::lock_guard lock(mutex_);
    return events_.get(event, no_point);
  }
  /// The same for all streams.
  [[nodiscard]] std::vector<Point> end_of_all() {
    const std::lock_guard lock(mutex_);
    return history_.last_of_all();
  }
  /// The host does something, once it knows that all of `after` is done.
  void on_host(ActionKind kind, std::span<const Point> after,
               std::span<const MemoryAccess> accesses, call_site site) {
    const std::lock_guard lock(mutex_);
    if (!listening_) return;
    const Point newest = after.empty() ? no_point : after.back();
    const std::size_t bytes = accesses.empty() ? 0 : accesses.front().bytes;
    history_.on_host({kind, 0, newest, site, {}, bytes}, after, accesses);
  }
  void stream_destroyed(const void* stream, call_site site) {
    const std::lock_guard lock(mutex_);
    graphs_.forget_stream(stream);
    if (listening_) history_.stream_destroyed(stream, site);
  }

 private:
  RaceRecorder() = default;
  mutable std::mutex mutex_;
  bool listening_ = false;
  RecordedHistory history_;
  AddressList<Point> events_;    // their newest records
  AddressList<Point> launches_;  // of executable graphs, the newest
  RecordedGraphs graphs_;
};

}  // namespace warpsafe::debug
