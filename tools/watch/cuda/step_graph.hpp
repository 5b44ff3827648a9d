// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include "../core/rerun/graph_steps.hpp"
#include "../core/watcher.hpp"
#include "driver.hpp"
#include "kernel_of.hpp"

#include <cuda.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace warpsafe::watch {

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
    }};

/// Writes a kernel node's kernel and dimensions in words. May throw std::bad_alloc.
inline void describe_step(Watcher& watcher, const CUDA_KERNEL_NODE_PARAMS& of, std::int32_t device,
                          std::string& what, std::string& shape) {
  const CUfunction function =
      of.func != nullptr ? of.func : reinterpret_cast<CUfunction>(of.kern);
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

}  // namespace warpsafe::watch
