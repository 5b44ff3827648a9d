// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include "../core/rerun/graph_steps.hpp"
#include "../core/watcher.hpp"
#include "driver.hpp"
#include "graphs.hpp"
#include "kernel_of.hpp"
#include "known_call.hpp"
#include "thread_state.hpp"

#include <cuda.h>
#include <cupti.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace warpsafe::watch {

/// A few bytes of the watch's own in each context, which end with it.
struct OwnMemory {
  static inline std::mutex mutex;
  static inline std::map<CUcontext, CUdeviceptr> of;

  /// Call before a context ends: the next one may have its handle.
  static void forget() {
    const std::lock_guard lock(mutex);
    of.clear();
  }
};

/// Copies them on the stream, whose context is the current one. An allocation breaks the captures
/// of others unless the thread's mode is relaxed.
[[nodiscard]] inline CUresult copy_behind(CUstream stream) noexcept {
  constexpr std::size_t half = 64;
  try {
    CUcontext context = nullptr;
    CUresult status = call_driver(&Driver::current_context, &context);
    if (status != CUDA_SUCCESS) return status;
    const std::lock_guard lock(OwnMemory::mutex);
    CUdeviceptr& own = OwnMemory::of[context];
    if (own == 0) {
      CUstreamCaptureMode mode = CU_STREAM_CAPTURE_MODE_RELAXED;
      const bool is_relaxed = call_driver(&Driver::exchange_capture_mode, &mode) == CUDA_SUCCESS;
      status = call_driver(&Driver::allocate, &own, 2 * half);
      if (is_relaxed) static_cast<void>(call_driver(&Driver::exchange_capture_mode, &mode));
    }
    if (status != CUDA_SUCCESS) return status;
    return call_driver(&Driver::copy_on_device, own, own + half, half, stream);
  } catch (...) {
    return CUDA_ERROR_OUT_OF_MEMORY;
  }
}

inline constexpr GraphStepCalls cuda_graph_steps{
    [](void* graph, void* node, bool& on) noexcept {
      unsigned enabled = 0;
      const CUresult status = call_driver(&Driver::node_enabled, static_cast<CUgraphExec>(graph),
                                          static_cast<CUgraphNode>(node), &enabled);
      on = enabled != 0;
      return static_cast<int>(status);
    },
    [](void* graph, void* node, bool on) noexcept {
      return static_cast<int>(call_driver(&Driver::enable_node, static_cast<CUgraphExec>(graph),
                                          static_cast<CUgraphNode>(node), on ? 1U : 0U));
    },
    [](void* graph, const void* stream) noexcept {
      return static_cast<int>(call_driver(&Driver::graph_launch, static_cast<CUgraphExec>(graph),
                                          static_cast<CUstream>(const_cast<void*>(stream))));
    },
    [](const void* stream) noexcept {
      return static_cast<int>(copy_behind(static_cast<CUstream>(const_cast<void*>(stream))));
    }};

/// Writes a kernel node's kernel and dimensions in words. May throw std::bad_alloc.
inline void describe_step(Watcher& watcher, const CUDA_KERNEL_NODE_PARAMS& of, std::int32_t device,
                          std::string& what, std::string& shape) {
  const CUfunction function = of.func != nullptr ? of.func : reinterpret_cast<CUfunction>(of.kern);
  const Kernel* const kernel = kernel_of(watcher, function, device, nullptr);
  what = kernel == nullptr ? "a kernel" : "kernel '" + single_line(kernel->name) + '\'';
  const auto dims = [](unsigned x, unsigned y, unsigned z) {
    return '(' + std::to_string(x) + ',' + std::to_string(y) + ',' + std::to_string(z) + ')';
  };
  shape = "grid=" + dims(of.gridDimX, of.gridDimY, of.gridDimZ) +
          ", block=" + dims(of.blockDimX, of.blockDimY, of.blockDimZ) +
          ", shared=" + std::to_string(of.sharedMemBytes) + " bytes";
}

/// Returns the nodes of a graph in an order in which they can run. Only kernels, copies and fills
/// can be switched off (CUDA Driver API, cuGraphNodeSetEnabled); a graph with others is launched
/// whole. May throw std::bad_alloc.
[[nodiscard]] inline StepGraph step_graph(Watcher& watcher, CUgraph graph, std::int32_t device) {
  StepGraph made;
  std::size_t count = 0;
  if (call_driver(&Driver::graph_nodes, graph, static_cast<CUgraphNode*>(nullptr), &count) !=
      CUDA_SUCCESS) {
    return {{}, "the driver does not list them"};
  }
  std::vector<CUgraphNode> nodes(count);
  if (count != 0 &&
      call_driver(&Driver::graph_nodes, graph, nodes.data(), &count) != CUDA_SUCCESS) {
    return {{}, "the driver does not list them"};
  }
  std::vector<void*> idle;  // nodes that do nothing
  for (const CUgraphNode node : nodes) {
    StepNode one;
    one.handle = node;
    CUgraphNodeType type{};
    if (call_driver(&Driver::node_type, node, &type) != CUDA_SUCCESS) {
      return {{}, "the driver does not tell what they are"};
    }
    CUDA_KERNEL_NODE_PARAMS kernel{};
    switch (type) {
      case CU_GRAPH_NODE_TYPE_KERNEL:
        if (call_driver(&Driver::kernel_node, node, &kernel) == CUDA_SUCCESS) {
          describe_step(watcher, kernel, device, one.what, one.shape);
        } else {
          one.what = "a kernel";
        }
        break;
      case CU_GRAPH_NODE_TYPE_MEMCPY:
        one.what = "a copy";
        break;
      case CU_GRAPH_NODE_TYPE_MEMSET:
        one.what = "a fill";
        break;
      case CU_GRAPH_NODE_TYPE_EMPTY:
        idle.push_back(node);
        break;
      case CU_GRAPH_NODE_TYPE_GRAPH:
        return {{}, "it has a graph as a node"};
      case CU_GRAPH_NODE_TYPE_CONDITIONAL:
        return {{}, "it has a conditional node"};
      default:
        return {{}, "it has a node that is no kernel, copy or fill"};
    }
    std::size_t before = 0;
    if (call_driver(&Driver::node_dependencies, node, static_cast<CUgraphNode*>(nullptr),
                    &before) != CUDA_SUCCESS) {
      return {{}, "the driver does not tell their order"};
    }
    std::vector<CUgraphNode> dependencies(before);
    if (before != 0 && call_driver(&Driver::node_dependencies, node, dependencies.data(),
                                   &before) != CUDA_SUCCESS) {
      return {{}, "the driver does not tell their order"};
    }
    one.after.assign(dependencies.begin(), dependencies.end());
    made.nodes.push_back(std::move(one));
  }
  made.sort(idle);
  return made;
}

/// Handles the driver's calls about graphs for GraphSteps, in a run of --rerun that waits. The
/// driver names the nodes of an executable graph by those of the graph that it was made from, which
/// programs destroy early. So the graph is kept: the program's call destroys an empty one.
class StepCalls {
 public:
  StepCalls(Watcher& watcher, LaunchWaits& waits, Graphs& graphs)
      : watcher_(watcher), graphs_(graphs), steps_(watcher, waits, cuda_graph_steps) {}
  [[nodiscard]] bool on() const noexcept { return watcher_.rerun().waits(); }
  [[nodiscard]] GraphSteps& steps() noexcept { return steps_; }

  /// Call when the driver call begins.
  void enter(ThreadState& mine, const KnownCall& known, const CUpti_CallbackData& info) noexcept {
    if (ends_context(known)) OwnMemory::forget();
    if (known.call == Call::graph_exec_destroyed) {
      steps_.destroyed(parameters<cuGraphExecDestroy_params>(info).hGraphExec);
    }
    if (known.call != Call::graph_destroyed) return;
    auto& of = parameters<cuGraphDestroy_params>(info);
    mine.kept_graph = nullptr;
    try {
      const std::lock_guard lock(mutex_);
      CUgraph empty = nullptr;
      if (kept_.find(of.hGraph) == kept_.end() ||
          call_driver(&Driver::graph_create, &empty, 0U) != CUDA_SUCCESS) {
        return;
      }
      mine.kept_graph = of.hGraph;
      of.hGraph = empty;
    } catch (...) {  // a broken lock
      return;
    }
  }
  /// Call when it has ended.
  void leave(ThreadState& mine, const KnownCall& known, std::int32_t device,
             const CUpti_CallbackData& info, CUresult status) noexcept {
    try {
      switch (known.call) {
        case Call::graph_destroyed:
          if (mine.kept_graph != nullptr) {
            parameters<cuGraphDestroy_params>(info).hGraph = mine.kept_graph;
          }
          break;
        case Call::graph_instantiate: {
          const auto& of = parameters<cuGraphInstantiateWithFlags_params>(info);
          if (status == CUDA_SUCCESS && of.phGraphExec != nullptr) {
            instantiated(*of.phGraphExec, of.hGraph, device);
          }
          break;
        }
        case Call::graph_exec_set: {
          const auto& of = parameters<cuGraphExecKernelNodeSetParams_v2_params>(info);
          if (status != CUDA_SUCCESS) break;
          std::string what;
          std::string shape;
          describe_step(watcher_, *of.nodeParams, device, what, shape);
          steps_.changed(of.hGraphExec, of.hNode, what, shape);
          break;
        }
        case Call::graph_changed:
          // All of these have the executable graph as their first parameter.
          steps_.changed(parameters<cuGraphExecKernelNodeSetParams_v2_params>(info).hGraphExec);
          break;
        case Call::graph_node_destroyed:
          steps_.node_destroyed(parameters<cuGraphDestroyNode_params>(info).hNode);
          break;
        default:
          break;
      }
    } catch (...) {  // out of memory: the graph is launched whole
      return;
    }
  }

 private:
  template <class Parameters>
  [[nodiscard]] static Parameters& parameters(const CUpti_CallbackData& info) noexcept {
    return *static_cast<Parameters*>(const_cast<void*>(info.functionParams));
  }
  void instantiated(CUgraphExec made, CUgraph graph, std::int32_t device) {
    const Kernel* const entry = graphs_.kernel(made, device);
    if (entry == nullptr || !steps_.wants(single_line(entry->name))) return;
    steps_.instantiated(made, step_graph(watcher_, graph, device));
    const std::lock_guard lock(mutex_);
    kept_.insert(graph);
  }

  Watcher& watcher_;
  Graphs& graphs_;
  GraphSteps steps_;
  std::mutex mutex_;
  std::set<CUgraph> kept_;
};

}  // namespace warpsafe::watch
