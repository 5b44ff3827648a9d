// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/backend/host/detail/device.hpp>
#include <warpsafe/backend/host/detail/operation.hpp>
#include <warpsafe/core/capture_types.hpp>

#include <algorithm>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <iterator>
#include <memory>
#include <thread>
#include <utility>
#include <vector>

namespace warpsafe::host {

/// Nodes of a graph by number, in rising order.
using NodeSet = std::vector<std::size_t>;

[[nodiscard]] inline NodeSet united(const NodeSet& a, const NodeSet& b) {
  NodeSet both;
  std::set_union(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(both));
  return both;
}

/// What a replay does, and what has to be done before it.
struct GraphNode {
  std::shared_ptr<Operation> operation;
  NodeSet after;

  /// Whether an executable graph can do `other` in this node's place.
  [[nodiscard]] GraphChange change_to(const GraphNode& other) const {
    if (operation->kind() != other.operation->kind()) return GraphChange::node_kind;
    return after == other.after ? GraphChange::none : GraphChange::topology;
  }
};

/// Nodes in the order of their capture, which is one that their dependencies allow.
using GraphNodes = std::vector<GraphNode>;

struct GraphState {
  std::shared_ptr<const GraphNodes> nodes;
};

struct GraphExecState {
  std::shared_ptr<const GraphNodes> nodes;
  std::shared_ptr<const Operation> last;  ///< its newest launch: one at a time, as with CUDA
};

/// A capture under way. All fields belong to the runtime's mutex.
struct CaptureWork {
  const StreamState* origin = nullptr;
  CaptureMode mode = CaptureMode::global;
  std::thread::id thread;
  bool broken = false;
  bool ended = false;
  GraphNodes nodes;

  /// A node of a stream whose next one has to wait for `tail`, which is then the new node.
  void add(std::shared_ptr<Operation> operation, NodeSet& tail) {
    nodes.push_back({std::move(operation), std::exchange(tail, {nodes.size()})});
  }
  /// Whether whoever waits for `tail` waits for all nodes.
  [[nodiscard]] bool all_before(const NodeSet& tail) const {
    std::vector<bool> before(nodes.size(), false);
    for (const std::size_t node : tail) before[node] = true;
    for (std::size_t i = nodes.size(); i-- != 0;) {
      if (!before[i]) return false;  // whatever waits for it has a larger number
      for (const std::size_t node : nodes[i].after) before[node] = true;
    }
    return true;
  }
};

/// Everything that a launched graph does, on one stream: of the orders that are possible, that of
/// the capture.
struct GraphOperation final : Operation {
  explicit GraphOperation(std::shared_ptr<const GraphNodes> its_nodes)
      : nodes(std::move(its_nodes)) {
    for (const GraphNode& node : *nodes) {
      accesses.insert(accesses.end(), node.operation->accesses.begin(),
                      node.operation->accesses.end());
    }
  }
  const std::shared_ptr<const GraphNodes> nodes;

  [[nodiscard]] OperationKind kind() const noexcept override { return OperationKind::graph; }
  Failure run() override {
    for (const GraphNode& node : *nodes) {
      Failure failure = node.operation->run();
      if (failure.status != 0) return failure;
    }
    return {};
  }
  [[nodiscard]] bool survives_loss() const noexcept override { return false; }
};

/// A stream: operations in order. All fields belong to the runtime's mutex.
struct StreamState {
  StreamState(Device& its_device, std::uint64_t its_number)
      : device(its_device), number(its_number) {}

  Device& device;
  const std::uint64_t number;                    ///< streams are numbered as they are made
  std::deque<std::shared_ptr<Operation>> queue;  ///< not yet done, the oldest first
  std::shared_ptr<const Operation> last;         ///< the newest ever submitted
  std::condition_variable work;                  ///< the front may have become runnable
  std::thread worker;                            ///< started with the first operation
  bool closing = false;                          ///< destroyed by the program: ends when drained
  bool exited = false;                           ///< the worker touches nothing any more
  bool is_default = false;                       ///< the device's default stream
  bool blocking = false;                         ///< ordered with the default stream
  std::shared_ptr<CaptureWork> capture;          ///< what is submitted goes there, if to anywhere
  NodeSet tail;                                  ///< of the capture: what its next node waits for

  /// Whether the oldest operation may run now.
  [[nodiscard]] bool runnable() const noexcept {
    return !queue.empty() && (queue.front()->after == nullptr || queue.front()->after->done);
  }
  [[nodiscard]] bool idle() const noexcept { return queue.empty(); }
};

/// An event: the record that it stands for, if any.
struct EventState {
  int device = 0;
  bool timed = false;
  std::shared_ptr<const Operation> record;
  std::shared_ptr<CaptureWork> capture;  ///< of its newest record, if that was captured
  NodeSet tail;                          ///< and the nodes before it
};

}  // namespace warpsafe::host
