// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// Part of the library that LD_PRELOAD loads before AMD's libamdhip64 (launches.cpp): the functions
// that make and destroy graphs. Only a run of --rerun that waits uses them.

#include "entry.hpp"

#include <hip/hip_runtime_api.h>

#include <cstddef>

using namespace warpsafe::watch;

namespace {

/// `call()` makes an executable graph. Returns its status.
template <class Call>
hipError_t instantiates(hipGraphExec_t* made, hipGraph_t graph, const Call& call) {
  const bool outermost = enter();
  const hipError_t status = call();
  if (!outermost) return status;
  if (status == hipSuccess && made != nullptr) made_graph(*made, graph);
  leave();
  return status;
}

}  // namespace

extern "C" {

hipError_t hipGraphInstantiate(hipGraphExec_t* made, hipGraph_t graph, hipGraphNode_t* failed,
                               char* log, std::size_t bytes) {
  return instantiates(made, graph, [&] {
    return WARPSAFE_WATCH_NEXT(hipGraphInstantiate, made, graph, failed, log, bytes);
  });
}
hipError_t hipGraphInstantiateWithFlags(hipGraphExec_t* made, hipGraph_t graph,
                                        unsigned long long flags) {
  return instantiates(made, graph, [&] {
    return WARPSAFE_WATCH_NEXT(hipGraphInstantiateWithFlags, made, graph, flags);
  });
}
hipError_t hipGraphExecDestroy(hipGraphExec_t graph) {
  const bool outermost = enter();
  if (outermost) {
    executable_destroyed(graph);
    leave();
  }
  return WARPSAFE_WATCH_NEXT(hipGraphExecDestroy, graph);
}
// The runtime names the nodes of an executable graph by those of this one.
hipError_t hipGraphDestroy(hipGraph_t graph) {
  bool kept = false;
  if (enter()) {
    kept = keeps_graph(graph);
    leave();
  }
  return kept ? hipSuccess : WARPSAFE_WATCH_NEXT(hipGraphDestroy, graph);
}
hipError_t hipGraphDestroyNode(hipGraphNode_t node) {
  if (enter()) {
    node_destroyed(node);
    leave();
  }
  return WARPSAFE_WATCH_NEXT(hipGraphDestroyNode, node);
}

}  // extern "C"
