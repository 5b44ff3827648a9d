// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include "../core/kernel/foreign_memory.hpp"
#include "../core/watcher.hpp"
#include "graphs.hpp"
#include "kernel_of.hpp"
#include "known_call.hpp"
#include "launches.hpp"
#include "thread_state.hpp"

#include <cuda.h>
#include <cupti.h>

#include <cstdint>

namespace warpsafe::watch {

/// Handles the driver's calls that build graphs. A refused kernel node is reported as a refused
/// launch.
class NodeCalls {
 public:
  NodeCalls(Watcher& watcher, Graphs& graphs) : watcher_(watcher), graphs_(graphs) {}

  /// Call when the driver call begins: while it destroys a graph, another thread may make one with
  /// the same handle. `by` is the program's call.
  void enter(const KnownCall& known, const CUpti_CallbackData& info, Name by) noexcept {
    if (known.call != Call::graph_exec_destroyed) return;
    destroying(read<cuGraphExecDestroy_params>(info).hGraphExec, by);
  }
  /// Call when the driver call has ended. Returns whether the call needs no further handling.
  bool leave(ThreadState& mine, const KnownCall& known, std::int32_t device,
             const CUpti_CallbackData& info, CUresult status) noexcept {
    switch (known.call) {
      case Call::graph_add:
        return refused(read<cuGraphAddKernelNode_v2_params>(info).nodeParams, mine, device, status);
      case Call::graph_set:
        return refused(read<cuGraphKernelNodeSetParams_v2_params>(info).nodeParams, mine, device,
                       status);
      case Call::graph_exec_set: {
        const auto& of = read<cuGraphExecKernelNodeSetParams_v2_params>(info);
        changed(of.hGraphExec);
        return refused(of.nodeParams, mine, device, status);
      }
      case Call::graph_changed:
        // All of these have the executable graph as their first parameter.
        changed(read<cuGraphExecKernelNodeSetParams_v2_params>(info).hGraphExec);
        return false;
      case Call::graph_exec_destroyed:
        if (status != CUDA_SUCCESS) {
          watcher_.destroyed_handles().made(read<cuGraphExecDestroy_params>(info).hGraphExec);
        }
        return false;
      case Call::graph_add_node:
        return added(read<cuGraphAddNode_v2_params>(info).nodeParams, mine, device, status);
      case Call::graph_instantiate: {
        const auto& of = read<cuGraphInstantiateWithFlags_params>(info);
        if (status != CUDA_SUCCESS || of.phGraphExec == nullptr) return false;
        try {
          graphs_.instantiated(*of.phGraphExec, of.hGraph, device);
        } catch (...) {  // out of memory: its launches are reported without kernel names
        }
        return true;
      }
      default:
        return false;
    }
  }

 private:
  template <class Parameters>
  [[nodiscard]] static const Parameters& read(const CUpti_CallbackData& info) noexcept {
    return *static_cast<const Parameters*>(info.functionParams);
  }
  void changed(CUgraphExec executable) noexcept {
    try {
      graphs_.changed(executable);
    } catch (...) {  // a broken lock: nothing after it is worth reporting
      watcher_.suspicions().order.give_up();
    }
  }
  void destroying(CUgraphExec executable, Name by) noexcept {
    try {
      graphs_.destroyed(executable);
      watcher_.suspicions().order.work_destroyed(executable);
      watcher_.destroyed_handles().destroyed(
          {executable, "executable graph", by, HostStack::here()});
    } catch (...) {  // out of memory: a later error says less
      return;
    }
  }
  // The driver may refuse a call before it reads the node, so the node's address may be anything.
  bool refused(const CUDA_KERNEL_NODE_PARAMS* asked, ThreadState& mine, std::int32_t device,
               CUresult status) noexcept {
    CUDA_KERNEL_NODE_PARAMS node{};
    if (status == CUDA_SUCCESS || !read_foreign(node, asked)) return false;
    Launch launch;
    launch.function = node.func != nullptr ? node.func : reinterpret_cast<CUfunction>(node.kern);
    launch.shape = shape_of_parameters(node);
    launch.device = device;
    // The driver may have refused the call before it looked at the function, which it reads
    // unchecked when it is asked about it.
    const void* word = nullptr;
    const bool is_readable = read_foreign(word, launch.function);
    const char* name = nullptr;
    if (is_readable && !watcher_.platform().may_be_no_kernel(status)) {
      static_cast<void>(call_driver(&Driver::function_name, &name,
                                    static_cast<CUfunction>(const_cast<void*>(launch.function))));
    }
    launch.kernel =
        watcher_.lookup().unverified_kernel(launch.function, device, name, launch.is_named);
    if (launch.kernel == nullptr) return false;
    if (!is_readable) launch.function = nullptr;
    watcher_.launching(mine.launch, launch);
    watcher_.launched(mine.launch, status);
    return true;
  }
  bool added(const CUgraphNodeParams* asked, ThreadState& mine, std::int32_t device,
             CUresult status) noexcept {
    CUgraphNodeParams node{};
    if (!read_foreign(node, asked)) return false;
    if (node.type == CU_GRAPH_NODE_TYPE_EVENT_RECORD ||
        node.type == CU_GRAPH_NODE_TYPE_WAIT_EVENT ||
        node.type == CU_GRAPH_NODE_TYPE_BATCH_MEM_OP ||
        node.type == CU_GRAPH_NODE_TYPE_EXT_SEMAS_WAIT) {
      watcher_.suspicions().order.give_up();
    }
    if (node.type != CU_GRAPH_NODE_TYPE_KERNEL) return false;
    CUDA_KERNEL_NODE_PARAMS same{};
    same.func = node.kernel.func;
    same.kern = node.kernel.kern;
    same.gridDimX = node.kernel.gridDimX;
    same.gridDimY = node.kernel.gridDimY;
    same.gridDimZ = node.kernel.gridDimZ;
    same.blockDimX = node.kernel.blockDimX;
    same.blockDimY = node.kernel.blockDimY;
    same.blockDimZ = node.kernel.blockDimZ;
    same.sharedMemBytes = node.kernel.sharedMemBytes;
    return refused(&same, mine, device, status);
  }

  Watcher& watcher_;
  Graphs& graphs_;
};

}  // namespace warpsafe::watch
