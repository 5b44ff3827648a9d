// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include "../launch/observed_launch.hpp"
#include "../watcher.hpp"
#include "launch_waits.hpp"
#include "step_graph.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

namespace warpsafe::watch {

/// A runtime's calls about executable graphs, with its own statuses.
struct GraphStepCalls {
  int (*get_enabled)(void* graph, void* node, bool& on) noexcept;
  int (*set_enabled)(void* graph, void* node, bool on) noexcept;
  int (*launch)(void* graph, const void* stream) noexcept;
  /// Puts a small copy behind what the stream has. While nodes are switched off, CUDA's driver
  /// says that a graph has ended while a kernel of it still runs (driver 580). Other work waits
  /// for that kernel.
  int (*follow)(const void* stream) noexcept;
};

/// Launches the nodes of a graph one by one, in an order that the graph allows, to find the node
/// that faults: for each, all others are switched off. The program's own launch, which comes next,
/// finds all nodes off, so that each runs once. Afterwards all are as they were. Thread-safe.
class GraphSteps {
 public:
  GraphSteps(Watcher& watcher, LaunchWaits& waits, const GraphStepCalls& calls)
      : watcher_(watcher), waits_(waits), calls_(calls) {}

  /// Whether the nodes of a graph with that name are wanted.
  [[nodiscard]] bool wants(const std::string& name) const noexcept {
    return watcher_.rerun().waits() && watcher_.rerun().has_suspect(name);
  }
  void instantiated(const void* graph, StepGraph nodes) {
    const std::lock_guard lock(mutex_);
    known_[graph] = std::move(nodes);
  }
  void destroyed(const void* graph) {
    const std::lock_guard lock(mutex_);
    known_.erase(graph);
  }
  /// Call when the program changes a node.
  void changed(const void* graph, const void* node, std::string what, std::string shape) {
    const std::lock_guard lock(mutex_);
    const auto found = known_.find(graph);
    if (found == known_.end()) return;
    for (StepNode& one : found->second.nodes) {
      if (one.handle != node) continue;
      one.what = std::move(what);
      one.shape = std::move(shape);
    }
  }
  /// Call when it changes nodes in a way that is not followed.
  void changed(const void* graph) {
    const std::lock_guard lock(mutex_);
    const auto found = known_.find(graph);
    if (found == known_.end() || found->second.is_changed) return;
    found->second.is_changed = true;
    for (StepNode& one : found->second.nodes) {
      one.what += " (as instantiated; the graph was updated since)";
      one.shape.clear();
    }
  }
  /// Call when the program removes a node from a graph: it no longer names one of an executable
  /// graph.
  void node_destroyed(const void* node) {
    const std::lock_guard lock(mutex_);
    for (auto& [graph, steps] : known_) {
      if (std::any_of(steps.nodes.begin(), steps.nodes.end(),
                      [&](const StepNode& one) { return one.handle == node; })) {
        steps = {{}, "the program has removed one of them"};
      }
    }
  }

  /// Call before the program's launch of a graph after which the run waits. `stack` is the
  /// program's.
  [[gnu::cold, gnu::noinline]] void begin(const ObservedLaunch& seen, void* graph,
                                          const HostStack& stack) noexcept {
    try {
      Launched made;
      StepGraph steps = find(graph);
      made.why = switch_off(graph, steps);
      if (made.why.empty()) launch_nodes(seen, graph, std::move(steps.nodes), stack, made);
      if (!made.why.empty()) watcher_.rerun().whole(seen.record.sequence, made.why);
      const std::lock_guard lock(mutex_);
      launched_[seen.record.sequence] = std::move(made);
    } catch (...) {  // out of memory: the graph may lack its nodes, and the run its result
      return;
    }
  }
  /// Call when that launch has returned; `accepted`: without an error.
  [[gnu::cold, gnu::noinline]] void end(const ObservedLaunch& seen, void* graph, bool accepted,
                                        const HostStack& stack) noexcept {
    try {
      Launched made;
      {
        const std::lock_guard lock(mutex_);
        const auto found = launched_.find(seen.record.sequence);
        if (found == launched_.end()) return;
        made = std::move(found->second);
        launched_.erase(found);
      }
      for (void* const node : made.nodes) {
        static_cast<void>(calls_.set_enabled(graph, node, true));
      }
      if (!accepted || made.faulted) return;
      if (!made.why.empty()) return waits_.after(seen, stack);
      watcher_.rerun().closed(seen.record.sequence);
    } catch (...) {  // out of memory
      return;
    }
  }

 private:
  struct Launched {
    std::vector<void*> nodes{};  ///< those that are switched off
    bool faulted = false;
    std::string why{};  ///< why the program's launch runs nodes; empty: it runs none
  };

  [[nodiscard]] StepGraph find(const void* graph) {
    const std::lock_guard lock(mutex_);
    const auto found = known_.find(graph);
    return found != known_.end() ? found->second : StepGraph{{}, "their graph is not known"};
  }
  [[nodiscard]] std::string status_name(int status) const {
    const Name name = watcher_.platform().calls->error_name(status);
    return single_line({name.data, name.size});
  }
  /// Switches all nodes off, and leaves in `steps` those that were on. Returns "", or why it
  /// cannot.
  [[nodiscard]] std::string switch_off(void* graph, StepGraph& steps) {
    if (!steps.why.empty()) return steps.why;
    const std::size_t count = steps.nodes.size();
    std::vector<StepNode> on;
    for (std::size_t i = 0; i < count; ++i) {
      StepNode& one = steps.nodes[i];
      bool is_on = false;
      const int status = calls_.get_enabled(graph, one.handle, is_on);
      if (status != 0) return "the runtime refuses it with " + status_name(status);
      if (!is_on) continue;
      one.what = "Node " + std::to_string(i + 1) + " of " + std::to_string(count) + ", " + one.what;
      on.push_back(std::move(one));
    }
    for (std::size_t i = 0; i < on.size(); ++i) {
      const int status = calls_.set_enabled(graph, on[i].handle, false);
      if (status == 0) continue;
      while (i-- > 0) static_cast<void>(calls_.set_enabled(graph, on[i].handle, true));
      return "the runtime refuses it with " + status_name(status);
    }
    steps.nodes = std::move(on);
    return {};
  }
  void launch_nodes(const ObservedLaunch& seen, void* graph, std::vector<StepNode> nodes,
                    const HostStack& stack, Launched& made) {
    for (const StepNode& one : nodes) made.nodes.push_back(one.handle);
    Rerun& rerun = watcher_.rerun();
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      rerun.at_node(seen.record.sequence, nodes[i].what, nodes[i].shape);
      static_cast<void>(calls_.set_enabled(graph, nodes[i].handle, true));
      const int launched = calls_.launch(graph, seen.launch.stream);
      const int followed = launched != 0 ? launched : calls_.follow(seen.launch.stream);
      const int status = launched != 0 || watcher_.platform().is_fault(followed)
                             ? followed
                             : waits_.wait(seen.launch.stream, seen.launch.device,
                                           LaunchWaits::last_before(seen.record.sequence));
      static_cast<void>(calls_.set_enabled(graph, nodes[i].handle, false));
      if (status == 0) continue;
      if (status != cannot_wait && watcher_.platform().is_fault(status)) {
        made.faulted = true;
        return watcher_.failed(status, Name::of("Wait after a graph's node"), Stage::completion,
                               seen.launch.device, &stack);
      }
      // The program's launch runs what has not run.
      made.why = launched != 0 ? "a launch of one node returned " + status_name(launched)
                               : nodes[i].what + " had not ended in time";
      for (std::size_t rest = i + (launched != 0 ? 0 : 1); rest < nodes.size(); ++rest) {
        static_cast<void>(calls_.set_enabled(graph, nodes[rest].handle, true));
      }
      return;
    }
  }

  Watcher& watcher_;
  LaunchWaits& waits_;
  const GraphStepCalls& calls_;
  std::mutex mutex_;
  std::map<const void*, StepGraph> known_;
  std::map<std::uint64_t, Launched> launched_;
};

}  // namespace warpsafe::watch
