// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/backend/host/detail/containers.hpp>
#include <warpsafe/backend/host/detail/device.hpp>
#include <warpsafe/backend/host/detail/handle_table.hpp>
#include <warpsafe/backend/host/detail/operation.hpp>
#include <warpsafe/backend/host/detail/threads.hpp>
#include <warpsafe/core/capture_types.hpp>

#include <cstddef>
#include <cstdint>
#include <utility>

namespace warpsafe::inline WARPSAFE_DETAIL_VERSION::host {

/// Numbers of a graph's nodes, ascending.
using NodeSet = Array<std::size_t>;

[[nodiscard]] inline NodeSet union_of(const NodeSet& a, const NodeSet& b) {
  NodeSet both = a;
  for (const std::size_t node : b) {
    const std::size_t place = both.first_where([&](std::size_t one) { return one >= node; });
    if (place == both.size() || both[place] != node) both.insert(place, node);
  }
  return both;
}

/// An operation of a graph, and the nodes that must be done before it.
struct GraphNode {
  Shared<Operation> operation;
  NodeSet after;

  /// Whether an update of an executable graph can replace this node by `other`.
  [[nodiscard]] GraphChange change_to(const GraphNode& other) const {
    if (operation->kind() != other.operation->kind()) return GraphChange::node_kind;
    return after == other.after ? GraphChange::none : GraphChange::topology;
  }
};

/// Memory that a graph's operations access.
struct GraphMemory {
  const void* address;
  std::uint64_t number;  ///< Allocation::number
  std::uint64_t bytes;
  call_site site;
};

/// Nodes in the order of their capture, which respects their dependencies.
struct GraphNodes : Counted, Array<GraphNode> {
  using Array<GraphNode>::Array;

  /// At the end of the capture.
  Array<GraphMemory> memory{};

  void find_memory(const MemoryRegistry& registry) {
    for (const GraphNode& node : *this) {
      for (const MemoryAccess& access : node.operation->accesses) {
        const Allocation* const found = registry.around(access.address());
        if (found == nullptr) continue;
        const auto is_known = [&](const GraphMemory& one) { return one.number == found->number; };
        if (memory.first_where(is_known) != memory.size()) continue;
        memory.push_back({access.address(), found->number, found->bytes, found->site});
      }
    }
  }
  /// The failure of a launch that uses freed memory. A GPU would silently use whatever is there.
  [[nodiscard]] Failure use_after_free(const MemoryRegistry& registry) const {
    for (const GraphMemory& one : memory) {
      const Allocation* const now = registry.around(one.address);
      if (now != nullptr && now->number == one.number && !now->freed) continue;
      char text[512];
      warpsafe::detail::TextBuffer out(text, sizeof text);
      out << "a graph that uses " << one.bytes << " bytes of memory was launched after their free";
      if (one.site.file != nullptr) out << "; they were allocated at " << one.site;
      return {raw(HostStatus::illegal_address),
              warpsafe::detail::keep_error_text({text, out.size()})};
    }
    return {};
  }
};

struct GraphState {
  Shared<const GraphNodes> nodes;
};

struct GraphExecState {
  Shared<const GraphNodes> nodes;
  Shared<const Operation> last;  ///< its newest launch; launches run one at a time, as in CUDA
};

/// An open capture. Guarded by the runtime's mutex.
struct CaptureWork : Counted {
  const StreamState* origin = nullptr;
  CaptureMode mode = CaptureMode::global;
  pthread_t thread;
  bool broken = false;
  bool ended = false;
  GraphNodes nodes;

  /// Adds a node that waits for `tail`, and makes it the new tail.
  void add(Shared<Operation> operation, NodeSet& tail) {
    // In this order, a failure for want of memory leaves both as they were.
    NodeSet next(1, nodes.size());
    nodes.push_back({std::move(operation), tail});
    tail = std::move(next);
  }
  /// Whether waiting for `tail` means waiting for all nodes.
  [[nodiscard]] bool reaches_all(const NodeSet& tail) const {
    Array<bool> before(nodes.size(), false);
    for (const std::size_t node : tail) before[node] = true;
    for (std::size_t i = nodes.size(); i-- != 0;) {
      if (!before[i]) return false;  // nodes that wait for this one have larger numbers
      for (const std::size_t node : nodes[i].after) before[node] = true;
    }
    return true;
  }
};

/// Runs all operations of a launched graph on one stream, in the order of the capture.
struct GraphOperation final : Operation {
  explicit GraphOperation(Shared<const GraphNodes> its_nodes) : nodes(std::move(its_nodes)) {
    for (const GraphNode& node : *nodes) {
      accesses.append(node.operation->accesses.begin(), node.operation->accesses.end());
    }
  }
  const Shared<const GraphNodes> nodes;
  Failure use_after_free{};

  [[nodiscard]] OperationKind kind() const noexcept override { return OperationKind::graph; }
  [[nodiscard]] bool is_no_work() const noexcept override { return nodes->empty(); }
  Failure run() override {
    if (use_after_free.status != 0) return use_after_free;
    for (const GraphNode& node : *nodes) {
      Failure failure = node.operation->run();
      if (failure.status != 0) return failure;
    }
    return {};
  }
  [[nodiscard]] bool survives_loss() const noexcept override { return false; }
};

/// A stream: operations in order. Guarded by the runtime's mutex.
/// A destroyed stream keeps its State, and its number, until its work has ended; its handle may
/// name another stream by then.
struct StreamState {
  StreamState(Device& its_device, std::uint64_t its_number)
      : device(its_device), number(its_number) {}

  Device& device;
  const std::uint64_t number;      ///< streams are numbered in order of creation
  Queue<Shared<Operation>> queue;  ///< not yet done, oldest first
  Shared<const Operation> last;    ///< the newest operation ever submitted
  Condition work;                  ///< the front may have become runnable
  Thread worker;                   ///< started by the first operation
  bool closing = false;     ///< destroyed by the program; the worker ends when the queue is empty
  bool exited = false;      ///< the worker no longer touches anything
  bool is_default = false;  ///< the device's default stream
  bool blocking = false;    ///< ordered with the default stream
  /// The work of the default stream that the next work of this one comes after.
  Shared<const Operation> implied;
  std::uint64_t of_thread = 0;  ///< the thread whose per-thread default stream it is; 0: of none
  Shared<CaptureWork> capture;  ///< receives submitted work, if not nullptr
  NodeSet tail;                 ///< the nodes of the capture that its next node waits for

  /// Whether the oldest operation may run now.
  [[nodiscard]] bool runnable() const noexcept {
    return !queue.empty() && (queue.front()->after == nullptr || queue.front()->after->done);
  }
  [[nodiscard]] bool idle() const noexcept { return queue.empty(); }
};

using StreamHandle = Handle<StreamState>;
using StreamTable = HandleTable<StreamState>;

/// The blocking streams of a device that capture nothing, in order of creation, which is the same
/// in every run of a program.
[[nodiscard]] inline Array<StreamState*> blocking_streams(const StreamTable& streams,
                                                          const Device& device) {
  Array<StreamState*> found;
  for (const auto& [key, stream] : streams) {
    const bool meant = stream->blocking && &stream->device == &device && stream->capture == nullptr;
    if (!meant) continue;
    const std::uint64_t number = stream->number;
    found.insert(found.first_where([&](const StreamState* one) { return number < one->number; }),
                 stream.get());
  }
  return found;
}

/// While a scheduler is active, so many of the newest destroyed streams stay.
inline constexpr std::size_t most_kept = 1024;

/// Once twice `kept` destroyed streams are there, removes the oldest of them, and calls
/// `forget(stream)` for each. One that still has work or a worker stays.
template <class Forget>
void drop_drained(Array<Owned<StreamState>>& destroyed, std::size_t kept, const Forget& forget) {
  std::size_t left = destroyed.size();
  if (left < 2 * kept) return;
  destroyed.erase_if([&](const Owned<StreamState>& stream) {
    const bool works = stream->worker.joinable() ? !stream->exited : !stream->idle();
    if (left <= kept || works) return false;
    if (stream->worker.joinable()) stream->worker.join();
    forget(*stream);
    --left;
    return true;
  });
}

/// An event and its newest record, if any.
struct EventState {
  int device = 0;
  bool timed = false;
  Shared<const MarkOperation> record;
  Shared<CaptureWork> capture;  ///< of its newest record, if that was captured
  NodeSet tail;                 ///< and the nodes before it
};

using EventHandle = Handle<EventState>;
using GraphHandle = Handle<GraphState>;
using GraphExecHandle = Handle<GraphExecState>;

}  // namespace warpsafe::inline WARPSAFE_DETAIL_VERSION::host
