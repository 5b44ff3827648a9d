// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include "../core/kernel/foreign_memory.hpp"
#include "../core/launch/argument_log.hpp"
#include "../core/launch/launch_order.hpp"
#include "../core/launch/launch_pointers.hpp"
#include "../core/report/counted.hpp"
#include "../core/suspicion/graph_order.hpp"
#include "../core/watcher.hpp"
#include "driver.hpp"
#include "kernel_of.hpp"
#include <warpsafe/backend/memory_access.hpp>

#include <cuda.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <numeric>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace warpsafe::watch {

/// The program's executable graphs, with the names of their kernels and the memory that their nodes
/// touch. Thread-safe.
class Graphs {
 public:
  /// The pointers of all nodes; none with --quiet alone.
  struct Pointers {
    std::vector<PassedPointer> all{};
    std::vector<std::size_t> by_address{};  ///< numbers of them, the lowest address first
  };
  struct Known {
    Kernel* kernel = nullptr;  ///< the kernel entry that represents a launch of the graph
    const char* library = "";  ///< library of one of its kernels
    std::vector<MemoryAccess> accesses{};
    /// nullptr when a node was changed. There may be thousands, and each launch copies this entry.
    std::shared_ptr<const Pointers> pointers{};
    std::uint64_t frees = 0;     ///< of the program, when the pointers were last looked at
    bool tells_the_host = true;  ///< a node may tell the host that earlier work has ended
  };
  explicit Graphs(Watcher& watcher) : watcher_(watcher) {}

  void instantiated(CUgraphExec executable, CUgraph graph, std::int32_t device) {
    Contents found;
    if (!add_nodes(graph, device, found)) return;
    Known& made = found.known;
    made.tells_the_host = found.tells_the_host;
    std::string name = "graph of " + counted(found.kernels, "kernel", "kernels");
    // The driver does not tell what is in their bodies.
    if (found.conditions != 0) {
      name += " and " + counted(found.conditions, "conditional node", "conditional nodes");
    }
    name += found.names;
    made.kernel = watcher_.lookup().kernel(nullptr, device, [&] { return name.c_str(); });
    if (watcher_.suspicions().order.suspects_own()) look_at_order(graph, device, made.kernel);
    keep_pointers(made, std::move(found.pointers));
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
    found->second.pointers.reset();
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
  /// Call before a launch. Returns the first pointer to memory that is freed now, and was not at
  /// the last launch. The time depends on the frees since then, and not on the number of pointers.
  [[nodiscard]] std::optional<std::pair<PassedPointer, Allocation>> freed(CUgraphExec executable) {
    MemoryTable& memory = watcher_.failed_calls().memory();
    const std::lock_guard lock(mutex_);
    const auto graph = known_.find(executable);
    if (graph == known_.end() || graph->second.frees == memory.frees()) return std::nullopt;
    Known& known = graph->second;
    const std::uint64_t before = std::exchange(known.frees, memory.frees());
    if (known.pointers == nullptr) return std::nullopt;
    const auto& [pointers, by_address] = *known.pointers;
    // Parts of structures that the program never set may hold old addresses.
    const bool all = watcher_.suspicions().order.suspects_own();
    std::size_t first = pointers.size();
    Allocation memory_of_first;
    for (const Allocation& one : memory.freed_after(before)) {
      for (auto at = not_below(known, one.begin); at != by_address.end(); ++at) {
        const PassedPointer& pointer = pointers[*at];
        if (!one.has(pointer.address)) break;
        if (*at >= first || (pointer.in_structure && !all) ||
            is_alive_or_end(known, pointer.address) || is_used_again(one, pointer.address)) {
          continue;
        }
        first = *at;
        memory_of_first = one;
      }
    }
    if (first == pointers.size()) return std::nullopt;
    return std::pair(pointers[first], memory_of_first);
  }
  /// Returns whether a launch of the graph may tell the host that earlier work has ended.
  [[nodiscard]] bool tells_the_host(CUgraphExec executable) {
    const std::lock_guard lock(mutex_);
    const auto found = known_.find(executable);
    return found == known_.end() || found->second.tells_the_host;
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
    std::vector<PassedPointer> pointers{};
    bool tells_the_host = false;
    std::size_t kernels = 0;
    std::size_t conditions = 0;
    std::string names{};  ///< of the first kernels, which identify the graph
  };
  [[nodiscard]] bool keeps_pointers() noexcept {
    return !watcher_.quiet() || watcher_.arguments().on();
  }
  void keep_pointers(Known& made, std::vector<PassedPointer>&& pointers) {
    MemoryTable& memory = watcher_.failed_calls().memory();
    // A kernel may write a word for which the host waits.
    for (const PassedPointer& one : pointers) {
      if (made.tells_the_host) break;
      made.tells_the_host =
          one.side.empty() && memory.kind_of(one.address) == AllocationKind::pinned;
    }
    std::vector<std::size_t> order(pointers.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
      return pointers[a].address < pointers[b].address;
    });
    made.pointers =
        std::make_shared<const Pointers>(Pointers{std::move(pointers), std::move(order)});
  }
  /// The first pointer to that address or a higher one. @pre known.pointers
  [[nodiscard]] static std::vector<std::size_t>::const_iterator not_below(const Known& known,
                                                                          std::uintptr_t address) {
    const auto& [all, by_address] = *known.pointers;
    return std::lower_bound(by_address.begin(), by_address.end(), address,
                            [&places = all](std::size_t one, std::uintptr_t than) {
                              return places[one].address < than;
                            });
  }
  /// Whether the address is in memory that is alive, or the end of such memory of the graph, which
  /// iterators pass. @pre known.pointers
  [[nodiscard]] bool is_alive_or_end(const Known& known, std::uintptr_t address) {
    const std::optional<Allocation> is = watcher_.failed_calls().memory().alive(address);
    if (!is.has_value()) return false;
    if (is->has(address)) return true;
    const auto at = not_below(known, is->begin);
    return at != known.pointers->by_address.end() && is->has(known.pointers->all[*at].address);
  }
  /// Whether the address of freed memory is valid again by other means than the runtime's
  /// allocations: as registered or ordinary memory of the host, or as memory that is mapped or
  /// comes from another process. The driver may know a pool's memory after its free, too.
  [[nodiscard]] static bool is_used_again(const Allocation& was, std::uintptr_t address) noexcept {
    char letter = 0;
    if (was.kind != AllocationKind::device &&
        read_foreign(letter, reinterpret_cast<const void*>(address))) {
      return true;
    }
    unsigned kind = 0;
    const std::string_view by(was.freed_by.data, was.freed_by.size);
    return by.find("Async") == by.npos &&
           call_driver(&Driver::pointer_attribute, static_cast<void*>(&kind),
                       CU_POINTER_ATTRIBUTE_MEMORY_TYPE, CUdeviceptr{address}) == CUDA_SUCCESS &&
           kind != 0;
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
        add_kernel(node, device, found);
      } else if (type == CU_GRAPH_NODE_TYPE_MEMSET) {
        add_fill(node, found);
      } else if (type == CU_GRAPH_NODE_TYPE_MEMCPY) {
        add_copy(node, found);
      } else if (type == CU_GRAPH_NODE_TYPE_GRAPH) {
        if (call_driver(&Driver::child_graph, node, &child) == CUDA_SUCCESS) {
          static_cast<void>(add_nodes(child, device, found));
        }
      } else if (type == CU_GRAPH_NODE_TYPE_CONDITIONAL) {
        ++found.conditions;
        found.tells_the_host = true;  // its graphs are unknown
      } else if (type != CU_GRAPH_NODE_TYPE_EMPTY && type != CU_GRAPH_NODE_TYPE_MEM_ALLOC &&
                 type != CU_GRAPH_NODE_TYPE_MEM_FREE) {
        found.tells_the_host = true;  // a function of the host, a semaphore, a word in memory
      }
    }
    return true;
  }
  void add_kernel(CUgraphNode node, std::int32_t device, Contents& found) {
    std::string& names = found.names;
    Known& made = found.known;
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
        found.pointers.push_back(std::move(pointer));
      }
    }
    if (watcher_.quiet()) return;
    if (*one->library != '\0') made.library = one->library;
    add_pointers(*one, {of.kernelParams, of.extra}, made.accesses);
  }
  void add_fill(CUgraphNode node, Contents& found) {
    CUDA_MEMSET_NODE_PARAMS of{};
    if (call_driver(&Driver::fill_node, node, &of) != CUDA_SUCCESS) return;
    const std::size_t row = of.width * of.elementSize;
    found.known.accesses.push_back({of.dst, row, AccessKind::write, of.height, of.pitch});
    if (keeps_pointers()) found.pointers.push_back({0, of.dst, "", "a fill", "target"});
  }
  void add_copy(CUgraphNode node, Contents& found) {
    CUDA_MEMCPY3D of{};
    if (!watcher_.arguments().on() || call_driver(&Driver::copy_node, node, &of) != CUDA_SUCCESS) {
      return;
    }
    const auto add = [&](CUmemorytype kind, CUdeviceptr device, const void* host,
                         const char* side) {
      if (kind == CU_MEMORYTYPE_ARRAY) return;
      const auto address = kind == CU_MEMORYTYPE_HOST ? reinterpret_cast<std::uintptr_t>(host)
                                                      : static_cast<std::uintptr_t>(device);
      found.pointers.push_back({0, address, "", "a copy", side});
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
      for (const UsedPointer& pointer :
           pointers_without_ends(*one, {of.kernelParams, of.extra}, order)) {
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
