// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// Stream capture and graphs.
#include "capture.hpp"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <thread>

namespace stand_in_cuda {

cudaError_t unsafe_call() {
  Runtime& r = runtime();
  cudaError_t answer = cudaSuccess;
  const cudaStreamCaptureMode mode = r.thread().capture_mode;
  for (const auto& capture : r.captures) {
    const bool mine = capture->thread == std::this_thread::get_id();
    const bool forbids = (mine && capture->mode != cudaStreamCaptureModeRelaxed &&
                          mode != cudaStreamCaptureModeRelaxed) ||
                         (!mine && capture->mode == cudaStreamCaptureModeGlobal &&
                          mode == cudaStreamCaptureModeGlobal);
    if (!forbids) continue;
    capture->invalidated = true;
    answer = cudaErrorStreamCaptureUnsupported;
  }
  return answer;
}

void spoil(Stream& stream) {
  if (stream.capture != nullptr) stream.capture->invalidated = true;
}

cudaError_t refuse_capturing(Stream& stream) {
  if (stream.capture == nullptr) return cudaSuccess;
  spoil(stream);
  return cudaErrorStreamCaptureUnsupported;
}

void end_beside_a_change(const Stream& stream) {
  if (!stream.begins_or_ends_capture) return;
  std::fprintf(stderr, "a call on a stream whose capture another thread begins or ends\n");
  std::abort();
}

cudaError_t refuse_legacy(Stream& stream) {
  if (stream.kind != Stream::Kind::legacy) return cudaSuccess;
  for (const Stream& other : runtime().streams) {
    if (other.capture != nullptr && other.device == stream.device && other.blocking()) {
      return cudaErrorStreamCaptureImplicit;
    }
  }
  return cudaSuccess;
}

namespace {

HandleValues& node_handles() {
  static HandleValues& all = *new HandleValues;
  return all;
}

}  // namespace

cudaError_t put(Stream& stream, Node work, std::shared_ptr<Mark>* mark, bool on_own_thread) {
  end_beside_a_change(stream);
  Runtime& r = runtime();
  if (mark != nullptr) *mark = nullptr;
  if (stream.capture != nullptr) {
    if (stream.capture->invalidated) return cudaErrorStreamCaptureInvalidated;
    stream.capture->before.push_back(stream.captured_before);
    stream.captured_before.insert(stream.capture->nodes.size());
    stream.capture->nodes.push_back(std::move(work));
    stream.capture->nodes.back().handle = node_handles().shared();
    return cudaSuccess;
  }
  if (stream.kind == Stream::Kind::legacy) {
    bool implicit = false;  // a blocking stream would have to wait for this
    for (Stream& other : r.streams) {
      if (other.capture == nullptr || other.device != stream.device || !other.blocking()) continue;
      spoil(other);
      implicit = true;
    }
    if (implicit) return cudaErrorStreamCaptureImplicit;
  }
  const auto done = r.submit(stream, std::move(work.work), nullptr, on_own_thread);
  if (mark != nullptr) *mark = done;
  return cudaSuccess;
}

namespace {

void end(const std::shared_ptr<Capture>& capture) {
  Runtime& r = runtime();
  capture->ended = true;
  for (Stream& stream : r.streams) {
    if (stream.capture != capture) continue;
    stream.capture = nullptr;
    stream.captured_before.clear();
  }
  r.captures.erase(std::remove(r.captures.begin(), r.captures.end(), capture), r.captures.end());
}

cudaStreamCaptureStatus status_of(const Stream& stream) {
  if (stream.capture == nullptr) return cudaStreamCaptureStatusNone;
  return stream.capture->invalidated ? cudaStreamCaptureStatusInvalidated
                                     : cudaStreamCaptureStatusActive;
}

// Among the nodes before a stream's next node, returns those that no other of them follows. Their
// handles can only be compared.
void tell_dependencies(Stream& stream) {
  stream.dependencies.clear();
  for (const std::size_t node : stream.captured_before) {
    const bool behind = std::any_of(
        stream.captured_before.begin(), stream.captured_before.end(),
        [&](std::size_t other) { return stream.capture->before[other].count(node) != 0; });
    if (behind) continue;
    stream.dependencies.push_back(
        static_cast<cudaGraphNode_t>(stream.capture->nodes[node].handle.get()));
  }
}

// An executable graph has nodes of its own.
std::vector<Node> copied(std::vector<Node> nodes) {
  for (Node& node : nodes) node.handle = nullptr;
  return nodes;
}

/// Lets other threads call while this one begins or ends the stream's capture.
void take_time(std::unique_lock<std::mutex>& lock, Stream& stream) {
  stream.begins_or_ends_capture = true;
  lock.unlock();
  std::this_thread::sleep_for(std::chrono::microseconds(20));
  lock.lock();
  stream.begins_or_ends_capture = false;
}

/// Whether an executable graph of the same nodes exists, and the nodes allocate memory.
bool allocates_for_another(const std::vector<Node>& nodes) {
  const auto& execs = runtime().graph_execs;
  return std::any_of(execs.begin(), execs.end(), [&](const GraphExec& exec) {
    return std::equal(nodes.begin(), nodes.end(), exec.nodes.begin(), exec.nodes.end(),
                      [](const Node& a, const Node& b) { return a.allocates == b.allocates; }) &&
           std::any_of(nodes.begin(), nodes.end(),
                       [](const Node& node) { return node.allocates != nullptr; });
  });
}

cudaError_t instantiate(cudaGraphExec_t* exec, cudaGraph_t handle, unsigned long long flags) {
  const Graph* const graph = find(runtime().graphs, handle);
  if (graph == nullptr || exec == nullptr) return cudaErrorInvalidValue;
  if (const cudaError_t refused = unsafe_call()) return refused;
  if (allocates_for_another(graph->nodes)) return cudaErrorNotSupported;
  GraphExec& made = runtime().graph_execs.emplace_back();
  made.nodes = copied(graph->nodes);
  made.frees_at_launch = (flags & cudaGraphInstantiateFlagAutoFreeOnLaunch) != 0;
  *exec = made.handle();
  return cudaSuccess;
}

// A graph that leaves memory allocated cannot be launched again before the memory is freed, unless
// it was instantiated to free it by itself (H200, driver 580).
cudaError_t note_left_memory(const GraphExec& exec) {
  auto& allocations = runtime().allocations;
  for (const Node& node : exec.nodes) {
    const auto found = allocations.find(node.allocates);
    if (found == allocations.end()) continue;
    if (found->second.is_left && !exec.frees_at_launch) return cudaErrorInvalidValue;
    found->second.is_left = true;
  }
  for (const Node& node : exec.nodes) {
    const auto found = allocations.find(node.frees);
    if (found != allocations.end()) found->second.is_left = false;
  }
  return cudaSuccess;
}

}  // namespace
}  // namespace stand_in_cuda

using namespace stand_in_cuda;

extern "C" {

cudaError_t cudaThreadExchangeStreamCaptureMode(cudaStreamCaptureMode* mode) {
  // Accepts any mode, and fails on nullptr as the runtime does.
  return api("cudaThreadExchangeStreamCaptureMode", "", plain, [&](auto&) {
    std::swap(*mode, runtime().thread().capture_mode);
    return cudaSuccess;
  });
}

cudaError_t cudaStreamBeginCapture(cudaStream_t handle, cudaStreamCaptureMode mode) {
  return api("cudaStreamBeginCapture", text(handle, static_cast<int>(mode)), plain,
             [&](auto& lock) {
               Runtime& r = runtime();
               Stream& stream = r.stream(handle);
               take_time(lock, stream);
               if (mode > cudaStreamCaptureModeRelaxed) return cudaErrorInvalidValue;
               if (stream.kind == Stream::Kind::legacy) return cudaErrorStreamCaptureUnsupported;
               if (stream.capture != nullptr) return cudaErrorIllegalState;
               auto capture = std::make_shared<Capture>();
               capture->id = ++r.captures_begun;
               capture->origin = &stream;
               capture->mode = mode;
               capture->thread = std::this_thread::get_id();
               stream.capture = capture;
               stream.captured_before.clear();
               r.captures.push_back(std::move(capture));
               return cudaSuccess;
             });
}

cudaError_t cudaStreamEndCapture(cudaStream_t handle, cudaGraph_t* graph) {
  return api("cudaStreamEndCapture", text(handle), plain, [&](auto& lock) {
    Runtime& r = runtime();
    Stream& stream = r.stream(handle);
    take_time(lock, stream);
    if (graph == nullptr) return cudaErrorInvalidValue;
    *graph = nullptr;
    const std::shared_ptr<Capture> capture = stream.capture;
    if (capture == nullptr) return cudaErrorIllegalState;
    if (capture->origin != &stream) {
      capture->invalidated = true;
      return cudaErrorStreamCaptureUnmatched;
    }
    const std::set<std::size_t> joined = stream.captured_before;
    end(capture);
    std::vector<Node> nodes = std::move(capture->nodes);
    if (capture->mode != cudaStreamCaptureModeRelaxed &&
        capture->thread != std::this_thread::get_id()) {
      return cudaErrorStreamCaptureWrongThread;
    }
    if (capture->invalidated) return cudaErrorStreamCaptureInvalidated;
    if (joined.size() != nodes.size()) return cudaErrorStreamCaptureUnjoined;
    Graph& made = r.graphs.emplace_back();
    made.nodes = std::move(nodes);
    *graph = made.handle();
    return cudaSuccess;
  });
}

cudaError_t cudaStreamIsCapturing(cudaStream_t handle, cudaStreamCaptureStatus* status) {
  return api("cudaStreamIsCapturing", text(handle), plain, [&](auto&) {
    if (status == nullptr) return cudaErrorInvalidValue;
    Stream& stream = runtime().stream(handle);
    *status = status_of(stream);
    return refuse_legacy(stream);
  });
}

cudaError_t cudaStreamGetCaptureInfo(cudaStream_t handle, cudaStreamCaptureStatus* status,
                                     unsigned long long* id, cudaGraph_t* graph,
                                     const cudaGraphNode_t** dependencies,
                                     const cudaGraphEdgeData** edges, std::size_t* count) {
  return api("cudaStreamGetCaptureInfo", text(handle), plain, [&](auto&) {
    if (status == nullptr) return cudaErrorInvalidValue;
    Stream& stream = runtime().stream(handle);
    *status = status_of(stream);
    if (id != nullptr && stream.capture != nullptr) *id = stream.capture->id;
    if (graph != nullptr) *graph = nullptr;  // a capture's graph is made at its end
    if (stream.capture != nullptr) tell_dependencies(stream);
    const bool any = stream.capture != nullptr && !stream.dependencies.empty();
    if (dependencies != nullptr) *dependencies = any ? stream.dependencies.data() : nullptr;
    if (edges != nullptr) *edges = nullptr;
    if (count != nullptr) *count = any ? stream.dependencies.size() : 0;
    return refuse_legacy(stream);
  });
}

cudaError_t cudaGraphGetNodes(cudaGraph_t handle, cudaGraphNode_t* nodes, std::size_t* count) {
  return api("cudaGraphGetNodes", text(handle), plain, [&](auto&) {
    const Graph* const graph = find(runtime().graphs, handle);
    // Nodes have no handles here; only their number can be queried.
    if (graph == nullptr || count == nullptr || nodes != nullptr) return cudaErrorInvalidValue;
    *count = graph->nodes.size();
    return cudaSuccess;
  });
}

cudaError_t cudaGraphInstantiate(cudaGraphExec_t* exec, cudaGraph_t graph,
                                 unsigned long long flags) {
  return api("cudaGraphInstantiate", text(graph, flags), plain,
             [&](auto&) { return instantiate(exec, graph, flags); });
}

cudaError_t cudaGraphInstantiateWithFlags(cudaGraphExec_t* exec, cudaGraph_t graph,
                                          unsigned long long flags) {
  return api("cudaGraphInstantiateWithFlags", text(graph, flags), plain,
             [&](auto&) { return instantiate(exec, graph, flags); });
}

cudaError_t cudaGraphExecUpdate(cudaGraphExec_t exec_handle, cudaGraph_t graph_handle,
                                cudaGraphExecUpdateResultInfo* info) {
  // What the call's own failure leaves there.
  if (info != nullptr) *info = {cudaGraphExecUpdateError, nullptr, nullptr};
  return api("cudaGraphExecUpdate", text(exec_handle, graph_handle), plain, [&](auto&) {
    GraphExec* const exec = find(runtime().graph_execs, exec_handle);
    const Graph* const graph = find(runtime().graphs, graph_handle);
    if (exec == nullptr || graph == nullptr) return cudaErrorInvalidValue;
    cudaGraphExecUpdateResultInfo unasked;
    if (info == nullptr) info = &unasked;
    *info = {};
    if (exec->nodes.size() != graph->nodes.size()) {
      info->result = cudaGraphExecUpdateErrorTopologyChanged;
      return cudaErrorGraphExecUpdateFailure;
    }
    for (std::size_t i = 0; i < exec->nodes.size(); ++i) {
      if (exec->nodes[i].kind == graph->nodes[i].kind) continue;
      info->result = cudaGraphExecUpdateErrorNodeTypeChanged;
      return cudaErrorGraphExecUpdateFailure;
    }
    exec->nodes = copied(graph->nodes);
    return cudaSuccess;
  });
}

cudaError_t cudaGraphLaunch(cudaGraphExec_t handle, cudaStream_t stream) {
  return api("cudaGraphLaunch", text(handle, stream), plain, [&](auto&) {
    const GraphExec* const exec = find(runtime().graph_execs, handle);
    if (exec == nullptr) return cudaErrorInvalidValue;
    if (const cudaError_t refused = refuse_capturing(runtime().stream(stream))) return refused;
    if (const cudaError_t refused = note_left_memory(*exec)) return refused;
    // One without nodes is no work: on the legacy stream it orders nothing, as on an H200.
    if (exec->nodes.empty()) return cudaSuccess;
    return put(runtime().stream(stream), [nodes = exec->nodes] {
      for (const Node& node : nodes) node();
    });
  });
}

cudaError_t cudaGraphDestroy(cudaGraph_t handle) {
  return api("cudaGraphDestroy", text(handle), plain, [&](auto&) {
    Graph* const graph = find(runtime().graphs, handle);
    if (graph == nullptr) return cudaErrorInvalidValue;
    graph->nodes.clear();
    graph->destroy();
    return cudaSuccess;
  });
}

cudaError_t cudaGraphExecDestroy(cudaGraphExec_t handle) {
  return api("cudaGraphExecDestroy", text(handle), plain, [&](auto&) {
    GraphExec* const exec = find(runtime().graph_execs, handle);
    if (exec == nullptr) return cudaErrorInvalidValue;
    if (const cudaError_t refused = unsafe_call()) return refused;
    for (const Node& node : exec->nodes) {
      const auto found = runtime().allocations.find(node.allocates);
      if (found != runtime().allocations.end()) {
        found->second.lost_its_exec = found->second.is_left;
      }
    }
    exec->nodes.clear();
    exec->destroy();
    return cudaSuccess;
  });
}

}  // extern "C"
