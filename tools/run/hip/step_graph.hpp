// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include "../core/kernel/kernel_name.hpp"
#include "../core/rerun/graph_steps.hpp"
#include "hip_kernels.hpp"
#include "next.hpp"

#include <hip/hip_runtime_api.h>

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace warpsafe::watch {

// HIP before 5.5 lacks the first two functions.
inline constexpr GraphStepCalls hip_graph_steps{
    [](void* graph, void* node, bool& on) noexcept {
      unsigned enabled = 0;
      const hipError_t status =
          WARPSAFE_WATCH_NEXT(hipGraphNodeGetEnabled, static_cast<hipGraphExec_t>(graph),
                              static_cast<hipGraphNode_t>(node), &enabled);
      on = enabled != 0;
      return static_cast<int>(status);
    },
    [](void* graph, void* node, bool on) noexcept {
      return static_cast<int>(WARPSAFE_WATCH_NEXT(hipGraphNodeSetEnabled,
                                                  static_cast<hipGraphExec_t>(graph),
                                                  static_cast<hipGraphNode_t>(node), on ? 1U : 0U));
    },
    [](void* graph, const void* stream) noexcept {
      return static_cast<int>(
          WARPSAFE_WATCH_NEXT(hipGraphLaunch, static_cast<hipGraphExec_t>(graph),
                              static_cast<hipStream_t>(const_cast<void*>(stream))));
    },
    // AMD's runtime is not known to say too early that a graph has ended.
    [](const void*) noexcept { return 0; }};

/// Returns the nodes of a graph in an order in which they can run. The numbers of the nodes' types
/// changed between releases of HIP, so the runtime is asked for that of a node without work, which
/// is the sixth. May throw std::bad_alloc.
[[nodiscard]] inline StepGraph step_graph(hipGraph_t graph) {
  StepGraph made;
  std::size_t count = 0;
  hipGraphNode_t* none = nullptr;
  hipGraph_t other = nullptr;
  hipGraphNode_t empty = nullptr;
  hipGraphNodeType empty_type{};
  const hipGraphNode_t* const nothing = nullptr;
  if (WARPSAFE_WATCH_NEXT(hipGraphCreate, &other, 0U) != hipSuccess) {
    return {{}, "the runtime does not tell what they are"};
  }
  const bool known = WARPSAFE_WATCH_NEXT(hipGraphAddEmptyNode, &empty, other, nothing,
                                         std::size_t{0}) == hipSuccess &&
                     WARPSAFE_WATCH_NEXT(hipGraphNodeGetType, empty, &empty_type) == hipSuccess;
  static_cast<void>(WARPSAFE_WATCH_NEXT(hipGraphDestroy, other));
  const int kernel_type = static_cast<int>(empty_type) - 5;
  if (!known || kernel_type < 0) return {{}, "the runtime does not tell what they are"};
  if (WARPSAFE_WATCH_NEXT(hipGraphGetNodes, graph, none, &count) != hipSuccess) {
    return {{}, "the runtime does not list them"};
  }
  std::vector<hipGraphNode_t> nodes(count);
  if (count != 0 &&
      WARPSAFE_WATCH_NEXT(hipGraphGetNodes, graph, nodes.data(), &count) != hipSuccess) {
    return {{}, "the runtime does not list them"};
  }
  std::vector<void*> idle;  // nodes that do nothing
  for (const hipGraphNode_t node : nodes) {
    StepNode one;
    one.handle = node;
    hipGraphNodeType type{};
    if (WARPSAFE_WATCH_NEXT(hipGraphNodeGetType, node, &type) != hipSuccess) {
      return {{}, "the runtime does not tell what they are"};
    }
    if (type == empty_type) {
      idle.push_back(node);
    } else if (static_cast<int>(type) == kernel_type) {
      one.what = "a kernel";
      hipKernelNodeParams of{};
      if (WARPSAFE_WATCH_NEXT(hipGraphKernelNodeGetParams, node, &of) == hipSuccess) {
        const std::string name = HipKernels::get().name(of.func);
        if (!name.empty()) one.what = "kernel '" + kernel_name(name.c_str()) + '\'';
        const auto dims = [](const dim3& axes) {
          return '(' + std::to_string(axes.x) + ',' + std::to_string(axes.y) + ',' +
                 std::to_string(axes.z) + ')';
        };
        one.shape = "grid=" + dims(of.gridDim) + ", block=" + dims(of.blockDim) +
                    ", shared=" + std::to_string(of.sharedMemBytes) + " bytes";
      }
    } else if (static_cast<int>(type) == kernel_type + 1) {
      one.what = "a copy";
    } else if (static_cast<int>(type) == kernel_type + 2) {
      one.what = "a fill";
    } else {
      return {{}, "it has a node that is no kernel, copy or fill"};
    }
    std::size_t before = 0;
    if (WARPSAFE_WATCH_NEXT(hipGraphNodeGetDependencies, node, none, &before) != hipSuccess) {
      return {{}, "the runtime does not tell their order"};
    }
    std::vector<hipGraphNode_t> dependencies(before);
    if (before != 0 && WARPSAFE_WATCH_NEXT(hipGraphNodeGetDependencies, node, dependencies.data(),
                                           &before) != hipSuccess) {
      return {{}, "the runtime does not tell their order"};
    }
    one.after.assign(dependencies.begin(), dependencies.end());
    made.nodes.push_back(std::move(one));
  }
  made.sort(idle);
  return made;
}

}  // namespace warpsafe::watch
