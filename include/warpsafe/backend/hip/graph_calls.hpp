// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/core/capture_types.hpp>
#include <warpsafe/core/config.hpp>

#include <hip/hip_runtime_api.h>
#include <sched.h>

#include <cstddef>
#include <cstdint>

namespace warpsafe::inline WARPSAFE_DETAIL_VERSION::detail {

/// HIP's calls for captures and graphs, and the waits that captures refuse. See
/// backend/backend.hpp.
struct HipGraphCalls {
  using native_graph = hipGraph_t;
  using native_graph_exec = hipGraphExec_t;

  static int capture_begin(hipStream_t stream, CaptureMode mode) noexcept {
    return hipStreamBeginCapture(stream, mode == CaptureMode::global ? hipStreamCaptureModeGlobal
                                         : mode == CaptureMode::thread
                                             ? hipStreamCaptureModeThreadLocal
                                             : hipStreamCaptureModeRelaxed);
  }
  static int capture_end(hipStream_t stream, native_graph& graph) noexcept {
    const hipError_t status = hipStreamEndCapture(stream, &graph);
    if (status == hipErrorStreamCaptureInvalidated) make_usable(stream);
    return status;
  }
  /// In AMD's runtime 6.4 a stream keeps its broken capture after the end and refuses all work
  /// with hipErrorStreamCaptureInvalidated, until it has captured once more (seen on 6.4.3).
  static void make_usable([[maybe_unused]] hipStream_t stream) noexcept {
#if !defined(__HIP_PLATFORM_NVIDIA__)
    hipStreamCaptureStatus state = hipStreamCaptureStatusNone;
    const hipError_t asked = hipStreamIsCapturing(stream, &state);
    if (asked != hipSuccess || state != hipStreamCaptureStatusInvalidated) return;
    native_graph empty = nullptr;
    if (hipStreamBeginCapture(stream, hipStreamCaptureModeRelaxed) != hipSuccess) return;
    if (hipStreamEndCapture(stream, &empty) != hipSuccess) return;
    static_cast<void>(hipGraphDestroy(empty));
#endif
  }
  static int stream_synchronize(hipStream_t stream) noexcept {
    const hipError_t status = hipStreamSynchronize(stream);
    return is_mistaken(status) ? ask_at_end(stream, &wait_by_queries, status) : status;
  }
  static int stream_query(hipStream_t stream) noexcept {
    const hipError_t status = hipStreamQuery(stream);
    return is_mistaken(status) ? ask_at_end(stream, &hipEventQuery, status) : status;
  }
  /// In 5.7 and mode relaxed, an event that other code recorded in a capture counts as complete, as
  /// for hipEventQuery there. This library's captures know their events.
  static int event_synchronize(hipEvent_t event) noexcept {
    const hipError_t status = hipEventSynchronize(event);
    return is_mistaken(status) ? wait_by_queries(event) : status;
  }
  static int capture_info(hipStream_t stream, CaptureInfo& info) noexcept {
    hipStreamCaptureStatus state{};
    const hipGraphNode_t* nodes = nullptr;
    std::size_t count = 0;
#if defined(__HIP_PLATFORM_NVIDIA__) && CUDART_VERSION >= 13000
    // HIP's function uses one that CUDA 13 removed, so call CUDA's; the nodes are CUDA's own.
    const cudaGraphEdgeData* edges = nullptr;
    const hipError_t status = hipCUDAErrorTohipError(
        cudaStreamGetCaptureInfo(stream, &state, nullptr, nullptr, &nodes, &edges, &count));
    constexpr bool has_nodes = true;
#else
    const hipError_t status =
        hipStreamGetCaptureInfo_v2(stream, &state, nullptr, nullptr, &nodes, &count);
    const bool has_nodes = nodes != nullptr;
#endif
    if (status != hipSuccess) return status;
    info = {state_of(state), 0};
    if (info.state != CaptureState::active || !has_nodes) return hipSuccess;
    for (std::size_t i = 0; i < count; ++i) {
      info.tail = mix_tail(info.tail, reinterpret_cast<std::uintptr_t>(nodes[i]));
    }
    info.tail = finish_tail(info.tail);
    return hipSuccess;
  }

  static int graph_destroy(native_graph graph) noexcept { return hipGraphDestroy(graph); }
  static int graph_nodes(native_graph graph, std::size_t& count) noexcept {
    return hipGraphGetNodes(graph, nullptr, &count);
  }
  static int graph_instantiate(native_graph_exec& exec, native_graph graph) noexcept {
    return hipGraphInstantiateWithFlags(&exec, graph, 0);
  }
  static int graph_exec_destroy(native_graph_exec exec) noexcept {
    return hipGraphExecDestroy(exec);
  }
  static int graph_launch(native_graph_exec exec, hipStream_t stream) noexcept {
    return hipGraphLaunch(exec, stream);
  }
  static int graph_update(native_graph_exec exec, native_graph graph,
                          GraphChange& change) noexcept {
    hipGraphExecUpdateResult result{};
    hipGraphNode_t node = nullptr;
    const hipError_t status = hipGraphExecUpdate(exec, graph, &node, &result);
    change = change_of(result);
    return status;
  }

 private:
  static hipError_t wait_by_queries(hipEvent_t event) noexcept {
    hipError_t status = hipEventQuery(event);
    for (; status == hipErrorNotReady; status = hipEventQuery(event)) sched_yield();
    return status;
  }
#if defined(__HIP_PLATFORM_AMD__) && HIP_VERSION < 60000000
  /// Whether the status refuses a wait that the thread's mode, relaxed, allows. During a capture of
  /// mode global, release 5.7 looks at the mode of the waited stream instead (hip_stream.cpp,
  /// Stream::StreamCaptureOngoing). It refuses no query of an event.
  [[WARPSAFE_DETAIL_RARE]] static bool is_mistaken(hipError_t status) noexcept {
    if (status != hipErrorStreamCaptureUnsupported) return false;
    auto mode = hipStreamCaptureModeRelaxed;
    if (hipThreadExchangeStreamCaptureMode(&mode) != hipSuccess) return false;
    const bool relaxed = mode == hipStreamCaptureModeRelaxed;
    static_cast<void>(hipThreadExchangeStreamCaptureMode(&mode));
    return relaxed;
  }
  /// Asks about an event after the stream's work. A stream that captures stays refused.
  static hipError_t ask_at_end(hipStream_t stream, hipError_t (*ask)(hipEvent_t),
                               hipError_t refused) noexcept {
    hipStreamCaptureStatus state{};
    if (hipStreamIsCapturing(stream, &state) != hipSuccess) return refused;
    int before = 0;
    const int device = hipGetStreamDeviceId(stream);
    if (state != hipStreamCaptureStatusNone || hipGetDevice(&before) != hipSuccess || device < 0 ||
        hipSetDevice(device) != hipSuccess) {
      return refused;
    }
    hipEvent_t event = nullptr;
    hipError_t status = hipEventCreateWithFlags(&event, hipEventDisableTiming);
    static_cast<void>(hipSetDevice(before));
    if (status != hipSuccess) return refused;
    status = hipEventRecord(event, stream);
    if (status == hipSuccess) status = ask(event);
    static_cast<void>(hipEventDestroy(event));
    return status;
  }
#else
  static constexpr bool is_mistaken(hipError_t) noexcept { return false; }
  static hipError_t ask_at_end(hipStream_t, hipError_t (*)(hipEvent_t),
                               hipError_t refused) noexcept {
    return refused;
  }
#endif
  static GraphChange change_of(hipGraphExecUpdateResult result) noexcept {
    struct Row {
      hipGraphExecUpdateResult result;
      GraphChange change;
    };
    static constexpr Row rows[] = {
        {hipGraphExecUpdateSuccess, GraphChange::none},
        {hipGraphExecUpdateErrorTopologyChanged, GraphChange::topology},
        {hipGraphExecUpdateErrorNodeTypeChanged, GraphChange::node_kind},
        {hipGraphExecUpdateErrorFunctionChanged, GraphChange::function},
        {hipGraphExecUpdateErrorUnsupportedFunctionChange, GraphChange::function},
        {hipGraphExecUpdateErrorParametersChanged, GraphChange::parameters},
        {hipGraphExecUpdateErrorNotSupported, GraphChange::unsupported},
    };
    for (const Row& row : rows) {
      if (row.result == result) return row.change;
    }
    return GraphChange::unknown;
  }
  static CaptureState state_of(hipStreamCaptureStatus state) noexcept {
    if (state == hipStreamCaptureStatusNone) return CaptureState::none;
    return state == hipStreamCaptureStatusActive ? CaptureState::active : CaptureState::broken;
  }
};

}  // namespace warpsafe::inline WARPSAFE_DETAIL_VERSION::detail
