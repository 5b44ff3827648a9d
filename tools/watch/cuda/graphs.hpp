// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include "../core/launch/argument_log.hpp"
#include "../core/launch/launch_pointers.hpp"
#include "../core/report/counted.hpp"
#include "../core/suspicion/graph_order.hpp"
#include "../core/watcher.hpp"
#include "driver.hpp"
#include "kernel_of.hpp"
#include <warpsafe/backend/memory_access.hpp>

#include <cuda.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace warpsafe::watch {

/// The program's executable graphs, with the names of their kernels and the memory that their nodes
/// touch. Thread-safe.
class Graphs {
 public:
  struct Known {
    Kernel* kernel = nullptr;  ///< the kernel entry that represents a launch of the graph
    const char* library = "";  ///< library of one of its kernels
    std::vector<debug::MemoryAccess> accesses{};
    std::vector<PassedPointer> pointers{};  ///< of all nodes; empty with --quiet alone
    std::uint64_t frees = 0;  ///< of the program, when the pointers were last looked at
  };
  explicit Graphs(Watcher& watcher) : watcher_(watcher) {}

  void instantiated(CUgraphExec executable, CUgraph graph, std::int32_t device) {
    Contents found;
    if (!add_nodes(graph, device, found)) return;
    Known& made = found.known;
    std::string name = "graph of " + counted(found.kernels, "kernel", "kernels");
    // The driver does not tell what is in their bodies.
    if (found.conditions != 0) {
      name += " and " + counted(found.conditions, "conditional node", "conditional nodes");
    }
    name += found.names;
    made.kernel = watcher_.lookup().kernel(nullptr, device, [&] { return name.c_str(); });
    if (watcher_.suspicions().order.suspects_own()) look_at_order(graph, device, made.kernel);
    watcher_.destroyed_handles().made(executable);
    const std::lock_guard lock(mutex_);
    known_[executable] = std::move(made);
  }
  /// From now on, the memory that the graph touches is unknown.
  void changed(CUgraphExec executable) {
    const std::lock_guard lock(mutex_);
    const auto found = known_.find(executable);
    if (found == known_.end()) return;
    found->second.accesses.clear();
    found->second.pointers.clear();
  }
  void destroyed(CUgraphExec executable) {
    const std::lock_guard lock(mutex_);
    known_.erase(executable);
  }
  [[nodiscard]] Kernel* kernel(CUgraphExec executable, std::int32_t device) {
    {
      const std::lock_guard lock(mutex_);
      const auto found = known_.find(executable);
      if (found != known_.end() && found->second.kernel != nullptr) return found->second.kernel;
    }
    return watcher_.lookup().kernel(nullptr, device, [] { return "graph"; });
  }
  /// Call before a launch. Returns the pointers to memory that is freed now, and was not at the
  /// last launch.
  [[nodiscard]] std::vector<std::pair<PassedPointer, Allocation>> freed(CUgraphExec executable) {
    MemoryTable& memory = watcher_.failed_calls().memory();
    std::vector<std::pair<PassedPointer, Allocation>> found;
    const std::lock_guard lock(mutex_);
    const auto graph = known_.find(executable);
    if (graph == known_.end() || graph->second.frees == memory.frees()) return found;
    graph->second.frees = memory.frees();
    // Parts of structures that the program never set may hold old addresses.
    const bool all = watcher_.suspicions().order.suspects_own();
    for (const PassedPointer& one : graph->second.pointers) {
      if (one.address == 0 || (one.in_structure && !all)) continue;
      const std::optional<Allocation> is = memory.find(one.address);
      if (is.has_value() && !is->freed_by.empty()) found.emplace_back(one, *is);
    }
    return found;
  }
  /// Returns what is known about the graph; empty if its creation was not seen.
  [[nodiscard]] Known known(CUgraphExec executable) {
    const std::lock_guard lock(mutex_);
    const auto found = known_.find(executable);
    return found == known_.end() ? Known{} : found->second;
  }

 private:
  struct Contents {
    Known known{};
    std::size_t kernels = 0;
    std::size_t conditions = 0;
    std::string names{};  ///< of the first kernels, which identify the graph
  };
  [[nodiscard]] bool keeps_pointers() noexcept {
    return !watcher_.quiet() || watcher_.arguments().on();
  }
  /// Adds the nodes of a graph and of the graphs inside it. Returns false if the driver refuses.
  bool add_nodes(CUgraph graph, std::int32_t device, Contents& found) {
    std::size_t count = 0;
    if (call_driver(&Driver::graph_nodes, graph, static_cast<CUgraphNode*>(nullptr), &count) !=
        CUDA_SUCCESS) {
      return false;
    }
    std::vector<CUgraphNode> nodes(count);
    if (count != 0 &&
        call_driver(&Driver::graph_nodes, graph, nodes.data(), &count) != CUDA_SUCCESS) {
      return false;
    }
    for (const CUgraphNode node : nodes) {
      CUgraphNodeType type{};
      if (call_driver(&Driver::node_type, node, &type) != CUDA_SUCCESS) continue;
      CUgraph child = nullptr;
      if (type == CU_GRAPH_NODE_TYPE_KERNEL) {
        ++found.kernels;
        add_kernel(node, device, found.names, found.known);
      } else if (type == CU_GRAPH_NODE_TYPE_MEMSET) {
        add_fill(node, found.known);
      } else if (type == CU_GRAPH_NODE_TYPE_MEMCPY) {
        add_copy(node, found.known);
      } else if (type == CU_GRAPH_NODE_TYPE_GRAPH) {
        if (call_driver(&Driver::child_graph, node, &child) == CUDA_SUCCESS) {
          static_cast<void>(add_nodes(child, device, found));
        }
      } else if (type == CU_GRAPH_NODE_TYPE_CONDITIONAL) {
        ++found.conditions;
      }
    }
    return true;
  }
  void add_kernel(CUgraphNode node, std::int32_t device, std::string& names, Known& made) {
    const bool names_more = names.size() <= longest_name;
    const bool keeps = keeps_pointers();
    if (!names_more && watcher_.quiet() && !keeps) return;
    CUDA_KERNEL_NODE_PARAMS of{};
    if (call_driver(&Driver::kernel_node, node, &of) != CUDA_SUCCESS) return;
    const CUfunction function =
        of.func != nullptr ? of.func : reinterpret_cast<CUfunction>(of.kern);
    const Kernel* const one = kernel_of(watcher_, function, device, nullptr);
    if (one == nullptr) return;
    if (names_more) names += (names.empty() ? ": " : ", ") + one->name;
    if (keeps) {
      for (PassedPointer& pointer : ArgumentLog::pointers_of(*one, {of.kernelParams, of.extra})) {
        pointer.node = "node '" + std::string(one->name) + '\'';
        made.pointers.push_back(std::move(pointer));
      }
    }
    if (watcher_.quiet()) return;
    if (*one->library != '\0') made.library = one->library;
    add_pointers(*one, {of.kernelParams, of.extra}, made.accesses);
  }
  void add_fill(CUgraphNode node, Known& made) {
    CUDA_MEMSET_NODE_PARAMS of{};
    if (call_driver(&Driver::fill_node, node, &of) != CUDA_SUCCESS) return;
    const std::size_t row = of.width * of.elementSize;
    made.accesses.push_back({of.dst, row, debug::AccessKind::write, of.height, of.pitch});
    if (keeps_pointers()) made.pointers.push_back({0, of.dst, "", "a fill", "target"});
  }
  void add_copy(CUgraphNode node, Known& made) {
    CUDA_MEMCPY3D of{};
    if (!watcher_.arguments().on() || call_driver(&Driver::copy_node, node, &of) != CUDA_SUCCESS) {
      return;
    }
    const auto add = [&](CUmemorytype kind, CUdeviceptr device, const void* host,
                         const char* side) {
      if (kind == CU_MEMORYTYPE_ARRAY) return;
      const auto address = kind == CU_MEMORYTYPE_HOST ? reinterpret_cast<std::uintptr_t>(host)
                                                      : static_cast<std::uintptr_t>(device);
      made.pointers.push_back({0, address, "", "a copy", side});
    };
    add(of.dstMemoryType, of.dstDevice, of.dstHost, "target");
    add(of.srcMemoryType, of.srcDevice, of.srcHost, "source");
  }

  /// Suspects pairs of the graph's nodes. Those of graphs inside it are left out.
  void look_at_order(CUgraph graph, std::int32_t device, const Kernel* name) {
    std::size_t count = 0;
    if (call_driver(&Driver::graph_nodes, graph, static_cast<CUgraphNode*>(nullptr), &count) !=
            CUDA_SUCCESS ||
        count == 0 || name == nullptr) {
      return;
    }
    std::vector<CUgraphNode> nodes(count);
    if (call_driver(&Driver::graph_nodes, graph, nodes.data(), &count) != CUDA_SUCCESS) return;
    std::map<CUgraphNode, std::size_t> numbers;
    for (std::size_t i = 0; i < nodes.size(); ++i) numbers[nodes[i]] = i;
    std::vector<OrderedNode> ordered;
    for (const CUgraphNode node : nodes) {
      OrderedNode one = order_of(node, device);
      std::size_t before = 0;
      if (call_driver(&Driver::node_dependencies, node, static_cast<CUgraphNode*>(nullptr),
                      &before) != CUDA_SUCCESS) {
        return;
      }
      std::vector<CUgraphNode> all(before);
      if (before != 0 &&
          call_driver(&Driver::node_dependencies, node, all.data(), &before) != CUDA_SUCCESS) {
        return;
      }
      for (const CUgraphNode other : all) {
        if (const auto at = numbers.find(other); at != numbers.end())
          one.after.push_back(at->second);
      }
      ordered.push_back(std::move(one));
    }
    for (const auto& [writer, kernel] : unordered_nodes(ordered)) {
      watcher_.suspicions().graphs.add("nothing in '" + std::string(name->name) + "' orders " +
                                           ordered[writer].what + " before or after " +
                                           ordered[kernel].what +
                                           ", which receives the memory that it writes: add a "
                                           "dependency; the graph is instantiated in ",
                                       HostStack::here());
    }
  }
  [[nodiscard]] OrderedNode order_of(CUgraphNode node, std::int32_t device) {
    OrderWatch& order = watcher_.suspicions().order;
    const auto covers = [&](std::uintptr_t to, std::size_t bytes) {
      const auto [begin, size] = order.allocation_of(to);
      return begin == to && bytes >= size ? begin : 0;
    };
    OrderedNode made;
    CUgraphNodeType type{};
    if (call_driver(&Driver::node_type, node, &type) != CUDA_SUCCESS) return made;
    if (type == CU_GRAPH_NODE_TYPE_MEMCPY) {
      CUDA_MEMCPY3D of{};
      if (call_driver(&Driver::copy_node, node, &of) != CUDA_SUCCESS) return made;
      if (of.Height > 1 || of.Depth > 1 || of.dstMemoryType == CU_MEMORYTYPE_ARRAY) return made;
      made.what = "a copy of " + std::to_string(of.WidthInBytes) + " bytes";
      made.written = covers(of.dstDevice + of.dstXInBytes, of.WidthInBytes);
    } else if (type == CU_GRAPH_NODE_TYPE_MEMSET) {
      CUDA_MEMSET_NODE_PARAMS of{};
      if (call_driver(&Driver::fill_node, node, &of) != CUDA_SUCCESS || of.height > 1) return made;
      made.what = "a fill of " + std::to_string(of.width * of.elementSize) + " bytes";
      made.written = covers(of.dst, of.width * of.elementSize);
    } else if (type == CU_GRAPH_NODE_TYPE_KERNEL) {
      CUDA_KERNEL_NODE_PARAMS of{};
      if (call_driver(&Driver::kernel_node, node, &of) != CUDA_SUCCESS) return made;
      const CUfunction function =
          of.func != nullptr ? of.func : reinterpret_cast<CUfunction>(of.kern);
      const Kernel* const one = kernel_of(watcher_, function, device, nullptr);
      if (one == nullptr) return made;
      made.what = "node '" + std::string(one->name) + '\'';
      for (const UsedPointer& pointer : used_pointers(*one, {of.kernelParams, of.extra})) {
        if (!pointer.is_certain) continue;
        const std::uintptr_t begin = order.allocation_of(pointer.address).first;
        if (begin != 0) made.received.push_back(begin);
      }
    }
    return made;
  }

  Watcher& watcher_;
  std::mutex mutex_;
  std::map<CUgraphExec, Known> known_;
};

}  // namespace warpsafe::watch
