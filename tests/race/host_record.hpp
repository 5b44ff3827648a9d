// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/backend/memory_access.hpp>
#include <warpsafe/race/adversarial.hpp>

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <utility>
#include <vector>

// Shared by the tests of long and of small programs: calls that the modelled GPU does not run,
// reported to its recorder as its scheduler reports them.

namespace warpsafe::host_record {

using debug::ActionKind;
using Handed = host::Shared<const host::Operation>;

[[nodiscard]] inline call_site at(unsigned line) { return {"program.cpp", "", line}; }

/// Work of a stream that only has accesses. What writes is a fill, what reads a copy.
struct Work final : host::Operation {
  explicit Work(const std::vector<MemoryAccess>& its_accesses, unsigned line) {
    caller.site = at(line);
    for (const MemoryAccess& access : its_accesses) accesses.push_back(access);
    if (its_accesses.empty()) return;
    const AccessKind first = its_accesses.front().kind;
    kind_ = first == AccessKind::allocate  ? host::OperationKind::allocate
            : first == AccessKind::release ? host::OperationKind::release
            : first == AccessKind::write   ? host::OperationKind::fill
                                           : host::OperationKind::copy;
  }
  [[nodiscard]] host::OperationKind kind() const noexcept override { return kind_; }

 private:
  host::OperationKind kind_ = host::OperationKind::copy;
};

/// A record of calls. Streams, events and graphs are numbers. An operation exists as long as the
/// runtime would keep it: the newest of a stream and of a graph, and an event's record.
class Record {
 public:
  Record() { begin(); }
  Record(const Record&) = delete;
  Record& operator=(const Record&) = delete;

  void begin() {
    for (auto& [number, stream] : streams_) stream->last = nullptr;
    retired_.clear();
    events_.clear();
    graphs_.clear();
    recorder_.begin();
  }
  [[nodiscard]] const host::HostRaceRecorder& recorder() const { return recorder_; }
  [[nodiscard]] std::size_t size() const { return recorder_.history.size(); }
  [[nodiscard]] debug::RaceReport report() const {
    debug::RaceReport report;
    report.seeds_run = 1;
    debug::add_findings(report, recorder_.history, recorder_.races, recorder_.uses_after_destroy,
                        recorder_.remarks);
    return report;
  }
  [[nodiscard]] unsigned line_of(debug::Point point) const {
    return recorder_.history[point].site.line;
  }

  void on_host(ActionKind kind, const MemoryAccess& access, unsigned line) {
    host::caller().site = at(line);
    recorder_.host(kind, {}, {&access, 1});
    host::caller() = {};
  }
  void submits(std::size_t stream, const std::vector<MemoryAccess>& accesses, unsigned line) {
    hand_over(stream, host::make_shared<Work>(accesses, line));
  }
  void records(std::size_t event, std::size_t stream, unsigned line) {
    events_[event] = hand_over(stream, mark(line));
  }
  void waits(std::size_t stream, std::size_t event, unsigned line) {
    const auto record = events_.find(event);
    if (record == events_.end()) return recorder_.host(ActionKind::empty_wait);
    const auto operation = mark(line);
    operation->after = record->second;
    hand_over(stream, operation);
  }
  void destroys_event(std::size_t event) { events_.erase(event); }

  /// The newest operation of the stream, for `knows`.
  [[nodiscard]] Handed end_of_stream(std::size_t stream) { return state_of(stream).last; }
  [[nodiscard]] Handed end_of_event(std::size_t event) const {
    const auto record = events_.find(event);
    return record == events_.end() ? nullptr : record->second;
  }
  /// The host learns that these are done.
  void knows(const std::vector<Handed>& ends, unsigned line = 1) {
    std::vector<Handed> known;
    for (const Handed& end : ends) {
      if (end != nullptr) known.push_back(end);
    }
    host::caller().site = at(line);
    recorder_.known_done({known.data(), known.size()});
    host::caller() = {};
  }
  void synchronizes(std::size_t stream) { knows({end_of_stream(stream)}); }
  /// Waits for all streams, also for destroyed ones, which the runtime then forgets.
  void synchronizes_all(unsigned line = 1) {
    std::vector<Handed> ends;
    for (const auto& [number, stream] : streams_) ends.push_back(stream->last);
    for (const auto& stream : retired_) ends.push_back(stream->last);
    knows(ends, line);
    for (const auto& stream : retired_) recorder_.forgotten(*stream);
    retired_.clear();
  }
  /// Another stream may have the number from now on.
  void destroys(std::size_t stream, unsigned line = 1) {
    host::caller().site = at(line);
    recorder_.destroyed(state_of(stream));
    host::caller() = {};
    retired_.push_back(std::move(streams_.at(stream)));
    streams_.erase(stream);
  }
  /// The runtime drops the destroyed streams: their work has run, whether or not the host knows it.
  void drops_destroyed() {
    for (const auto& stream : retired_) recorder_.forgotten(*stream);
    retired_.clear();
  }

  /// An executable graph of these nodes.
  void makes_graph(std::size_t number, host::GraphNodes nodes) {
    graphs_[number] = {host::make_shared<host::GraphNodes>(std::move(nodes)), nullptr};
  }
  void launches(std::size_t graph, std::size_t stream, unsigned line) {
    host::GraphExecState& exec = graphs_.at(graph);
    const auto operation = host::make_shared<host::GraphOperation>(exec.nodes);
    operation->caller.site = at(line);
    operation->after = exec.last;
    exec.last = hand_over(stream, operation);
  }

 private:
  [[nodiscard]] static host::Shared<host::Operation> mark(unsigned line) {
    auto made = host::make_shared<host::MarkOperation>();
    made->caller.site = at(line);
    return made;
  }
  [[nodiscard]] host::StreamState& state_of(std::size_t stream) {
    auto& state = streams_[stream];
    if (state == nullptr) state = host::make_owned<host::StreamState>(device_, ++made_);
    return *state;
  }
  const Handed& hand_over(std::size_t stream, host::Shared<host::Operation> operation) {
    host::StreamState& state = state_of(stream);
    recorder_.submitted(state, *operation);
    state.last = std::move(operation);
    return state.last;
  }

  host::Device device_{0};
  std::uint64_t made_ = 0;
  std::map<std::size_t, host::Owned<host::StreamState>> streams_;
  std::vector<host::Owned<host::StreamState>> retired_;
  std::map<std::size_t, Handed> events_;
  std::map<std::size_t, host::GraphExecState> graphs_;
  host::HostRaceRecorder recorder_;
};

}  // namespace warpsafe::host_record
