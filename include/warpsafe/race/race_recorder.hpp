// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/backend/memory_access.hpp>
#include <warpsafe/core/call_site.hpp>
#include <warpsafe/core/name.hpp>
#include <warpsafe/race/detail/captured_graphs.hpp>
#include <warpsafe/race/detail/device_history.hpp>
#include <warpsafe/race/race_report.hpp>
#include <warpsafe/race/stream_history.hpp>

#include <cstddef>
#include <mutex>
#include <span>
#include <vector>

namespace warpsafe::debug {

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
    const std::lock_guard lock(mutex_);
    history_.clear();
    events_.clear();
    launches_.clear();
    listening_ = true;
  }
  /// Stops recording and returns the findings. The first 20 races have a text.
  [[nodiscard]] RaceReport end() {
    const std::lock_guard lock(mutex_);
    listening_ = false;
    return history_.report();
  }
  /// The number of recorded actions.
  [[nodiscard]] std::size_t size() const {
    const std::lock_guard lock(mutex_);
    return history_.size();
  }

  /// Work was submitted to `stream`, a vendor's stream. `what`: a kernel's or a function's name.
  void submitted(const void* stream, ActionKind kind, std::span<const MemoryAccess> accesses,
                 call_site site, Name what = {}) {
    const std::lock_guard lock(mutex_);
    // A kernel accesses whole allocations, which a report does not show.
    const bool sized = kind != ActionKind::kernel && !accesses.empty();
    const std::size_t bytes = sized ? accesses.front().bytes * accesses.front().rows : 0;
    const Action action{kind, 0, no_point, site, what, bytes};
    if (graphs_.add(stream, action, accesses) || !listening_) return;
    history_.on_stream(stream, action, no_point, accesses);
  }
  /// An event is recorded. It then stands for all earlier work of the stream.
  void recorded(const void* event, const void* stream, call_site site) {
    const std::lock_guard lock(mutex_);
    events_.erase(event);
    if (graphs_.record(event, stream) || !listening_) return;
    const Action action{ActionKind::record, 0, no_point, site, {}, 0};
    events_.put(event, history_.on_stream(stream, action, no_point, {}));
  }
  /// Later work of the stream waits for what the event stands for now.
  void waits(const void* stream, const void* event, call_site site) {
    const std::lock_guard lock(mutex_);
    if (graphs_.wait(stream, event) || !listening_) return;
    const Point after = events_.get(event, no_point);
    const ActionKind kind = after == no_point ? ActionKind::empty_wait : ActionKind::wait;
    history_.on_stream(stream, {kind, 0, after, site, {}, 0}, after, {});
  }
  void event_destroyed(const void* event) {
    const std::lock_guard lock(mutex_);
    events_.erase(event);
    graphs_.forget_event(event);
  }

  /// Later work of the stream, and of streams that join it, becomes a graph.
  void capture_begins(const void* stream) {
    const std::lock_guard lock(mutex_);
    graphs_.capture_begins(stream);
  }
  /// `graph`: the result of the capture; nullptr if there is none.
  void capture_ends(const void* stream, const void* graph) {
    const std::lock_guard lock(mutex_);
    graphs_.capture_ends(stream, graph);
  }
  /// `exec` was instantiated from `graph`, or updated to it.
  void graph_set(const void* exec, const void* graph) {
    const std::lock_guard lock(mutex_);
    graphs_.set_nodes(exec, graph);
  }
  /// A launch of a graph. Its nodes come after all earlier work of the stream and after the graph's
  /// earlier launches, in the order of their capture. Later work of the stream comes after all of
  /// them.
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

  /// The last point that a wait for the stream or event covers if it begins now.
  [[nodiscard]] Point end_of_stream(const void* stream) {
    const std::lock_guard lock(mutex_);
    return listening_ ? history_.last_of(stream) : no_point;
  }
  [[nodiscard]] Point end_of_event(const void* event) {
    const std::lock_guard lock(mutex_);
    return events_.get(event, no_point);
  }
  /// The last points of all streams.
  [[nodiscard]] std::vector<Point> end_of_all() {
    const std::lock_guard lock(mutex_);
    return history_.last_of_all();
  }
  /// An action of the host, which knows that all of `after` is done.
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
  DeviceHistory history_;
  AddressList<Point> events_;    // by event, its newest record
  AddressList<Point> launches_;  // by executable graph, its newest launch
  CapturedGraphs graphs_;
};

}  // namespace warpsafe::debug
