// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include "../core/rerun/graph_steps.hpp"
#include "../core/watcher.hpp"
#include "driver.hpp"
#include "graphs.hpp"
#include "known_call.hpp"
#include "step_graph.hpp"
#include "thread_state.hpp"

#include <cuda.h>
#include <cupti.h>

#include <cstdint>
#include <mutex>
#include <set>
#include <string>

namespace warpsafe::watch {

/// Handles the driver's calls about graphs for GraphSteps, in a run of --rerun that waits. The
/// driver names the nodes of an executable graph by those of the graph that it was made from, which
/// programs destroy early. So such a graph is kept: the program's call destroys an empty one.
class StepCalls {
 public:
  StepCalls(Watcher& watcher, Graphs& graphs)
      : watcher_(watcher), graphs_(graphs), steps_(watcher, cuda_graph_steps) {}
  [[nodiscard]] bool on() const noexcept { return watcher_.rerun().waits(); }
  [[nodiscard]] GraphSteps& steps() noexcept { return steps_; }

  /// Call when the driver call begins.
  void enter(ThreadState& mine, const KnownCall& known, const CUpti_CallbackData& info) noexcept {
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
        case Call::graph_exec_destroyed:
          steps_.destroyed(parameters<cuGraphExecDestroy_params>(info).hGraphExec);
          break;
        case Call::graph_exec_set: {
          const auto& of = parameters<cuGraphExecKernelNodeSetParams_v2_params>(info);
          if (status != CUDA_SUCCESS) break;
          std::string what;
          std::string shape;
          describe_step(watcher_, *of.nodeParams, device, what, shape);
          steps_.changed(of.hGraphExec, of.hNode, what, shape);
          break;
        }
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
