// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// Faults of kernels, and the graphs of later releases, for the tests of --rerun: a library between
// the watch and AMD's runtime. A kernel whose first argument is the address 16 faults on the
// software agent, and AMD's runtime then ends the process itself.

#include "../../../../tests/amd_runtime/agent/soft_hsa.h"

#include <dlfcn.h>
#include <hip/hip_runtime_api.h>
#include <pthread.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <set>
#include <utility>
#include <vector>

struct ihipGraph {
  std::vector<hipGraphNode_t> nodes;
};
struct hipGraphNode {
  hipKernelNodeParams kernel;
  bool is_empty;
  std::vector<hipGraphNode_t> before;
  void* argument;
  bool is_gone;
};
struct hipGraphExec {
  std::vector<std::pair<hipGraphNode_t, bool>> nodes;
};

namespace {

std::set<hipStream_t> destroyed;  ///< the runtime may use a handle again
pthread_t own_stream_of{};        ///< the thread that launched on its own default stream
const void* const wrong = reinterpret_cast<const void*>(16);

template <class Function>
Function* next(Function*, const char* name) {
  return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}
using Twin = void (*)(const char*, SoftHsaTwin, void*);
using FaultNext = void (*)(SoftHsaFault);
/// The kernel faults when it is its turn.
void give_twin() {
  static const bool once = [] {
    reinterpret_cast<Twin>(dlsym(RTLD_DEFAULT, "soft_hsa_twin"))(
        "_ZN4demo7scatterEPf",
        [](const SoftHsaDispatch* dispatch, void*) {
          const void* to = nullptr;
          __builtin_memcpy(&to, dispatch->kernarg, sizeof to);
          static auto* const fault =
              reinterpret_cast<FaultNext>(dlsym(RTLD_DEFAULT, "soft_hsa_fault_next"));
          if (to == wrong) fault(SOFT_HSA_MEMORY_FAULT);
        },
        nullptr);
    return true;
  }();
  static_cast<void>(once);
}
thread_local hipError_t planted = hipSuccess;  ///< the last error, where a query has set it
bool& state(hipGraphExec_t graph, hipGraphNode_t node) {
  if (node->is_gone) std::abort();
  for (auto& [one, is_on] : graph->nodes) {
    if (one == node) return is_on;
  }
  std::abort();
}

}  // namespace

extern "C" {

hipError_t hipLaunchKernel(const void* stub, dim3 grid, dim3 block, void** arguments,
                           std::size_t bytes, hipStream_t stream) {
  if (destroyed.find(stream) != destroyed.end()) return hipErrorContextIsDestroyed;
  if (stream == hipStreamPerThread) own_stream_of = pthread_self();
  give_twin();
  return next(&hipLaunchKernel, "hipLaunchKernel")(stub, grid, block, arguments, bytes, stream);
}
hipError_t hipStreamDestroy(hipStream_t stream) {
  destroyed.insert(stream);
  return hipSuccess;
}
/// The work ends at the second query. A status that is no success becomes the thread's last error.
hipError_t hipStreamQuery(hipStream_t stream) {
  static bool asked = false;
  if (destroyed.find(stream) != destroyed.end()) std::abort();
  if (stream == hipStreamPerThread && pthread_equal(own_stream_of, pthread_self()) == 0) {
    return hipSuccess;  // the stream of another thread
  }
  if ((asked = !asked)) return planted = hipErrorNotReady;
  return next(&hipStreamQuery, "hipStreamQuery")(stream);
}
hipError_t hipGetLastError() {
  const hipError_t own = std::exchange(planted, hipSuccess);
  const hipError_t of_runtime = next(&hipGetLastError, "hipGetLastError")();
  return own != hipSuccess ? own : of_runtime;
}
hipError_t hipPeekAtLastError() {
  return planted != hipSuccess ? planted : next(&hipPeekAtLastError, "hipPeekAtLastError")();
}

hipError_t hipGraphCreate(hipGraph_t* graph, unsigned) {
  *graph = new ihipGraph;
  return hipSuccess;
}
hipError_t hipGraphDestroy(hipGraph_t graph) {
  for (const hipGraphNode_t node : graph->nodes) node->is_gone = true;
  delete graph;
  return hipSuccess;
}
hipError_t hipGraphAddKernelNode(hipGraphNode_t* node, hipGraph_t graph,
                                 const hipGraphNode_t* before, std::size_t count,
                                 const hipKernelNodeParams* of) {
  *node = new hipGraphNode{
      *of, false, {before, before + count}, *static_cast<void**>(of->kernelParams[0]), false};
  graph->nodes.push_back(*node);
  return hipSuccess;
}
hipError_t hipGraphAddEmptyNode(hipGraphNode_t* node, hipGraph_t graph,
                                const hipGraphNode_t* before, std::size_t count) {
  *node = new hipGraphNode{{}, true, {before, before + count}, nullptr, false};
  graph->nodes.push_back(*node);
  return hipSuccess;
}
hipError_t hipGraphGetNodes(hipGraph_t graph, hipGraphNode_t* nodes, std::size_t* count) {
  for (std::size_t i = 0; nodes != nullptr && i < graph->nodes.size(); ++i) {
    nodes[i] = graph->nodes[i];
  }
  *count = graph->nodes.size();
  return hipSuccess;
}
/// The numbers of HIP 6, where a kernel is 0.
hipError_t hipGraphNodeGetType(hipGraphNode_t node, hipGraphNodeType* type) {
  *type = static_cast<hipGraphNodeType>(node->is_empty ? 5 : 0);
  return hipSuccess;
}
hipError_t hipGraphNodeGetDependencies(hipGraphNode_t node, hipGraphNode_t* before,
                                       std::size_t* count) {
  for (std::size_t i = 0; before != nullptr && i < node->before.size(); ++i) {
    before[i] = node->before[i];
  }
  *count = node->before.size();
  return hipSuccess;
}
hipError_t hipGraphKernelNodeGetParams(hipGraphNode_t node, hipKernelNodeParams* of) {
  *of = node->kernel;
  return hipSuccess;
}
hipError_t hipGraphInstantiate(hipGraphExec_t* made, hipGraph_t graph, hipGraphNode_t*, char*,
                               std::size_t) {
  *made = new hipGraphExec;
  for (const hipGraphNode_t node : graph->nodes) (*made)->nodes.push_back({node, true});
  return hipSuccess;
}
hipError_t hipGraphNodeGetEnabled(hipGraphExec_t graph, hipGraphNode_t node, unsigned* on) {
  *on = state(graph, node) ? 1 : 0;
  return hipSuccess;
}
hipError_t hipGraphNodeSetEnabled(hipGraphExec_t graph, hipGraphNode_t node, unsigned on) {
  state(graph, node) = on != 0;
  return hipSuccess;
}
hipError_t hipGraphLaunch(hipGraphExec_t graph, hipStream_t stream) {
  for (const auto& [node, is_on] : graph->nodes) {
    if (!is_on || node->is_empty) continue;
    const hipKernelNodeParams& of = node->kernel;
    void* arguments[] = {&node->argument};
    const hipError_t status =
        hipLaunchKernel(of.func, of.gridDim, of.blockDim, arguments, of.sharedMemBytes, stream);
    if (status != hipSuccess) return status;
  }
  return hipSuccess;
}

}  // extern "C"
