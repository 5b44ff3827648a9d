// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// Stream capture and graphs, as far as a program needs them to capture, launch and destroy.
#include "stream.hpp"

namespace stand_in_hip {
namespace {

template <class Object, class Handle>
Object* live(std::deque<Object>& all, Handle handle) {
  for (Object& object : all) {
    if (reinterpret_cast<Handle>(&object) == handle && object.alive) return &object;
  }
  return nullptr;
}

bool captures_on_a_blocking_stream() {
  for (const Stream& stream : runtime().streams) {
    if (stream.alive && stream.capture == hipStreamCaptureStatusActive &&
        stream.flags != hipStreamNonBlocking) {
      return true;
    }
  }
  return false;
}

// clr hip_graph.cpp:851.
hipError_t is_capturing(hipStream_t handle, hipStreamCaptureStatus* status, CallNote& note) {
  if (status == nullptr) return hipErrorInvalidValue;
  const StreamArgument on = resolve(handle, note);
  if (!on.valid) return refuse(on, rules().capture_stream, "hipStreamIsCapturing");
  if (on.stream == nullptr && rules().null_stream_is_implicit && captures_on_a_blocking_stream())
    return hipErrorStreamCaptureImplicit;
  *status = on.stream == nullptr ? hipStreamCaptureStatusNone : on.stream->capture;
  return hipSuccess;
}

// hipStreamGetCaptureInfo_v2: the nodes are those that the stream captured last.
hipError_t capture_info(hipStream_t handle, hipStreamCaptureStatus* status,
                        const hipGraphNode_t** nodes, std::size_t* count, CallNote& note) {
  if (status == nullptr) return hipErrorInvalidValue;
  const StreamArgument on = resolve(handle, note);
  if (!on.valid) return refuse(on, rules().capture_stream, "hipStreamGetCaptureInfo_v2");
  if (on.stream == nullptr) return hipErrorStreamCaptureImplicit;
  *status = on.stream->capture;
  const bool active = *status == hipStreamCaptureStatusActive;
  if (nodes != nullptr) *nodes = active ? on.stream->tail.data() : nullptr;
  if (count != nullptr) *count = active ? on.stream->tail.size() : 0;
  return hipSuccess;
}

// hipGraphExecUpdate: a different number of nodes is a different topology. Kinds are not modelled.
hipError_t update(hipGraphExec_t exec, hipGraph_t graph, hipGraphExecUpdateResult* result) {
  if (exec == nullptr || graph == nullptr || result == nullptr) return hipErrorInvalidValue;
  GraphExec* const to = live(runtime().graph_execs, exec);
  const Graph* const from = live(runtime().graphs, graph);
  if (to == nullptr || from == nullptr) return runtime().undefined(hipErrorInvalidValue);
  const bool same = to->nodes.size() == from->nodes.size();
  *result = same ? hipGraphExecUpdateSuccess : hipGraphExecUpdateErrorTopologyChanged;
  if (same) to->nodes = from->nodes;
  return same ? hipSuccess : hipErrorGraphExecUpdateFailure;
}

// clr hip_graph.cpp:896.
hipError_t begin_capture(hipStream_t handle, hipStreamCaptureMode mode, CallNote& note) {
  const StreamArgument on = resolve(handle, note);
  if (!on.valid) return refuse(on, rules().capture_stream, "hipStreamBeginCapture");
  if (on.stream == nullptr) return hipErrorStreamCaptureUnsupported;
  if (mode < hipStreamCaptureModeGlobal || mode > hipStreamCaptureModeRelaxed) {
    return hipErrorInvalidValue;
  }
  if (on.stream->capture == hipStreamCaptureStatusActive) return hipErrorIllegalState;
  on.stream->capture = hipStreamCaptureStatusActive;
  on.stream->ended = false;
  on.stream->capture_mode = mode;
  on.stream->capture_thread = std::this_thread::get_id();
  on.stream->capture_origin = on.stream;
  on.stream->joined = true;
  on.stream->graph = &runtime().graphs.emplace_back();
  on.stream->tail.clear();
  return hipSuccess;
}

/// @param broken whether the capture was invalidated
void leave_capture(Stream& stream, bool broken) {
  stream.graph = nullptr;
  stream.joined = true;
  stream.capture_thread = {};
  stream.ended = broken && rules().stays_broken;
  if (stream.ended) return;
  stream.capture = hipStreamCaptureStatusNone;
  stream.capture_origin = nullptr;
}

/// The status of an end that failed. Some releases write a handle all the same.
hipError_t failed_end(hipGraph_t* graph, hipError_t status) {
  static Graph none{{}, false};
  if (rules().failed_end_sets_graph) *graph = reinterpret_cast<hipGraph_t>(&none);
  return status;
}

// clr hip_graph.cpp:977.
hipError_t end_capture(hipStream_t handle, hipGraph_t* graph, CallNote& note) {
  if (graph == nullptr) return hipErrorInvalidValue;
  const StreamArgument on = resolve(handle, note);
  if (!on.valid) return refuse(on);
  if (on.stream == nullptr) return failed_end(graph, rules().end_on_null_stream);
  Stream& origin = *on.stream;
  if (origin.capture == hipStreamCaptureStatusNone) {
    return failed_end(graph, rules().end_without_begin);
  }
  if (origin.capture_origin != &origin) return failed_end(graph, hipErrorStreamCaptureUnmatched);
  if (origin.capture_mode != hipStreamCaptureModeRelaxed &&
      origin.capture_thread != std::this_thread::get_id()) {
    return failed_end(graph, hipErrorStreamCaptureWrongThread);
  }
  const bool invalidated = origin.capture == hipStreamCaptureStatusInvalidated;
  Graph* made = origin.graph;
  bool joined = true;
  for (const Stream& stream : runtime().streams) {
    joined = joined && (stream.capture_origin != &origin || stream.joined);
  }
  const bool unjoined = !invalidated && !joined && rules().demands_join;
  for (Stream& stream : runtime().streams) {
    if (stream.capture_origin != &origin || (unjoined && rules().unjoined_stay)) continue;
    if (&stream == &origin || !rules().forks_stay) leave_capture(stream, invalidated);
  }
  if (unjoined) {
    if (rules().unjoined_end_clears_graph) *graph = nullptr;
    return failed_end(graph, hipErrorStreamCaptureUnjoined);
  }
  *graph = nullptr;
  if (invalidated && !runtime().forgives_broken_captures) {
    made->alive = false;
    return hipErrorStreamCaptureInvalidated;
  }
  if (invalidated) made->nodes.clear();
  *graph = reinterpret_cast<hipGraph_t>(made);
  return hipSuccess;
}

// clr hip_graph.cpp:1296; it does not check whether the graph still exists.
hipError_t instantiate(hipGraphExec_t* exec, hipGraph_t handle) {
  if (exec == nullptr || handle == nullptr) return hipErrorInvalidValue;
  const Graph* graph = live(runtime().graphs, handle);
  if (graph == nullptr) return runtime().undefined(hipErrorInvalidValue);
  GraphExec& made = runtime().graph_execs.emplace_back();
  made.nodes = graph->nodes;
  *exec = reinterpret_cast<hipGraphExec_t>(&made);
  return hipSuccess;
}

}  // namespace
}  // namespace stand_in_hip

using namespace stand_in_hip;

extern "C" {

hipError_t hipStreamIsCapturing(hipStream_t stream, hipStreamCaptureStatus* status) {
  return api("hipStreamIsCapturing",
             [&](CallNote& note) { return is_capturing(stream, status, note); });
}

hipError_t hipStreamIsCapturing_spt(hipStream_t stream, hipStreamCaptureStatus* status);
hipError_t hipStreamIsCapturing_spt(hipStream_t stream, hipStreamCaptureStatus* status) {
  return api("hipStreamIsCapturing_spt",
             [&](CallNote& note) { return is_capturing(per_thread(stream), status, note); });
}

hipError_t hipStreamGetCaptureInfo_v2(hipStream_t stream, hipStreamCaptureStatus* status,
                                      unsigned long long* id, hipGraph_t* graph,
                                      const hipGraphNode_t** nodes, std::size_t* count) {
  return api("hipStreamGetCaptureInfo_v2", [&](CallNote& note) {
    if (id != nullptr || graph != nullptr) return hipErrorNotSupported;  // not modelled
    return capture_info(stream, status, nodes, count, note);
  });
}

hipError_t hipStreamBeginCapture(hipStream_t stream, hipStreamCaptureMode mode) {
  return api("hipStreamBeginCapture",
             [&](CallNote& note) { return begin_capture(stream, mode, note); });
}

hipError_t hipStreamEndCapture(hipStream_t stream, hipGraph_t* graph) {
  return api("hipStreamEndCapture",
             [&](CallNote& note) { return end_capture(stream, graph, note); });
}

// clr hip_graph.cpp:881.
hipError_t hipThreadExchangeStreamCaptureMode(hipStreamCaptureMode* mode) {
  return api("hipThreadExchangeStreamCaptureMode", [&](CallNote&) {
    if (mode == nullptr || *mode < hipStreamCaptureModeGlobal ||
        *mode > hipStreamCaptureModeRelaxed) {
      return hipErrorInvalidValue;
    }
    std::swap(*mode, runtime().thread().capture_mode);
    return hipSuccess;
  });
}

// clr hip_graph.cpp:1086.
hipError_t hipGraphCreate(hipGraph_t* graph, unsigned flags) {
  return api("hipGraphCreate", [&](CallNote&) {
    if (graph == nullptr || flags != 0) return hipErrorInvalidValue;
    *graph = reinterpret_cast<hipGraph_t>(&runtime().graphs.emplace_back());
    return hipSuccess;
  });
}

// clr hip_graph.cpp:1095.
hipError_t hipGraphDestroy(hipGraph_t graph) {
  return api("hipGraphDestroy", [&](CallNote&) {
    if (graph == nullptr) return hipErrorInvalidValue;
    Graph* found = live(runtime().graphs, graph);
    if (found == nullptr) return hipErrorIllegalState;
    found->alive = false;
    return hipSuccess;
  });
}

// Handles of nodes are not modelled: only their number can be queried.
hipError_t hipGraphGetNodes(hipGraph_t graph, hipGraphNode_t* nodes, std::size_t* count) {
  return api("hipGraphGetNodes", [&](CallNote&) {
    const Graph* found = live(runtime().graphs, graph);
    if (found == nullptr || count == nullptr) return hipErrorInvalidValue;
    if (nodes != nullptr) return hipErrorNotSupported;
    *count = found->nodes.size();
    return hipSuccess;
  });
}

hipError_t hipGraphInstantiate(hipGraphExec_t* exec, hipGraph_t graph, hipGraphNode_t*, char*,
                               std::size_t) {
  return api("hipGraphInstantiate", [&](CallNote&) { return instantiate(exec, graph); });
}

// No flag is modelled.
hipError_t hipGraphInstantiateWithFlags(hipGraphExec_t* exec, hipGraph_t graph,
                                        unsigned long long flags) {
  return api("hipGraphInstantiateWithFlags", [&](CallNote&) {
    return flags != 0 ? hipErrorNotSupported : instantiate(exec, graph);
  });
}

hipError_t hipGraphExecUpdate(hipGraphExec_t exec, hipGraph_t graph, hipGraphNode_t* error_node,
                              hipGraphExecUpdateResult* result) {
  return api("hipGraphExecUpdate", [&](CallNote&) {
    if (error_node != nullptr) *error_node = nullptr;
    return update(exec, graph, result);
  });
}

// clr hip_graph.cpp:1418; a second call releases freed memory.
hipError_t hipGraphExecDestroy(hipGraphExec_t exec) {
  return api("hipGraphExecDestroy", [&](CallNote&) {
    if (exec == nullptr) return hipErrorInvalidValue;
    GraphExec* found = live(runtime().graph_execs, exec);
    if (found == nullptr) return runtime().undefined(hipErrorInvalidValue);
    found->alive = false;
    return hipSuccess;
  });
}

// clr hip_graph.cpp:1435.
hipError_t hipGraphLaunch(hipGraphExec_t exec, hipStream_t stream) {
  return api("hipGraphLaunch", [&](CallNote& note) {
    const StreamArgument on = resolve(stream, note);
    const GraphExec* found = live(runtime().graph_execs, exec);
    if (found == nullptr) return hipErrorInvalidValue;
    if (!on.valid) return refuse(on, rules().graph_stream, "hipGraphLaunch");
    for (const Node& node : found->nodes) {
      if (node.refused != hipSuccess) return node.refused;
      runtime().enqueue(on.stream, [run = node.run] { static_cast<void>(run()); });
    }
    return hipSuccess;
  });
}

}  // extern "C"
