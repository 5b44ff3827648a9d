// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/core/capture_types.hpp>
#include <warpsafe/core/config.hpp>

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>

namespace warpsafe::inline WARPSAFE_DETAIL_VERSION::detail {

/// CUDA's calls for captures and graphs. See backend/backend.hpp.
struct CudaGraphCalls {
  using native_graph = cudaGraph_t;
  using native_graph_exec = cudaGraphExec_t;

  static int capture_begin(cudaStream_t stream, CaptureMode mode) noexcept {
    return cudaStreamBeginCapture(stream, mode == CaptureMode::global ? cudaStreamCaptureModeGlobal
                                          : mode == CaptureMode::thread
                                              ? cudaStreamCaptureModeThreadLocal
                                              : cudaStreamCaptureModeRelaxed);
  }
  static int capture_end(cudaStream_t stream, native_graph& graph) noexcept {
    return cudaStreamEndCapture(stream, &graph);
  }
  static int capture_state(cudaStream_t stream, CaptureState& state) noexcept {
    cudaStreamCaptureStatus status{};
    const cudaError_t asked = cudaStreamIsCapturing(stream, &status);
    state = state_of(status);
    return asked;
  }
  /// The driver crashes in this call, also without the nodes, if another thread captures the stream
  /// meanwhile (an H200, driver 580.159.04); not in the one above.
  static int capture_info(cudaStream_t stream, CaptureInfo& info) noexcept {
    cudaStreamCaptureStatus state{};
    const cudaGraphNode_t* nodes = nullptr;
    std::size_t count = 0;
    unsigned long long id = 0;
#if CUDART_VERSION >= 13000
    const cudaGraphEdgeData* edges =
        nullptr;  // without this argument, edges that carry data are an error
    const cudaError_t status =
        cudaStreamGetCaptureInfo(stream, &state, &id, nullptr, &nodes, &edges, &count);
#else
    const cudaError_t status =
        cudaStreamGetCaptureInfo_v2(stream, &state, &id, nullptr, &nodes, &count);
#endif
    if (status != cudaSuccess) return status;
    info = {state_of(state), 0};
    if (info.state != CaptureState::active) return cudaSuccess;
    info.id = id;
    for (std::size_t i = 0; i < count; ++i) {
      info.tail = mix_tail(info.tail, reinterpret_cast<std::uintptr_t>(nodes[i]));
    }
    info.tail = finish_tail(info.tail);
    return cudaSuccess;
  }

  static int graph_destroy(native_graph graph) noexcept { return cudaGraphDestroy(graph); }
  static int graph_nodes(native_graph graph, std::size_t& count) noexcept {
    return cudaGraphGetNodes(graph, nullptr, &count);
  }
  static int graph_instantiate(native_graph_exec& exec, native_graph graph) noexcept {
    // Without this, a second launch of a graph that leaves memory allocated is an invalid argument.
    return cudaGraphInstantiate(&exec, graph, cudaGraphInstantiateFlagAutoFreeOnLaunch);
  }
  static int graph_exec_destroy(native_graph_exec exec) noexcept {
    return cudaGraphExecDestroy(exec);
  }
  static int graph_launch(native_graph_exec exec, cudaStream_t stream) noexcept {
    return cudaGraphLaunch(exec, stream);
  }
  static int graph_update(native_graph_exec exec, native_graph graph,
                          GraphChange& change) noexcept {
    cudaGraphExecUpdateResultInfo info{};
    const cudaError_t status = cudaGraphExecUpdate(exec, graph, &info);
    change = change_of(info.result);
    return status;
  }

 private:
  static GraphChange change_of(cudaGraphExecUpdateResult result) noexcept {
    struct Row {
      cudaGraphExecUpdateResult result;
      GraphChange change;
    };
    static constexpr Row rows[] = {
        {cudaGraphExecUpdateSuccess, GraphChange::none},
        {cudaGraphExecUpdateErrorTopologyChanged, GraphChange::topology},
        {cudaGraphExecUpdateErrorNodeTypeChanged, GraphChange::node_kind},
        {cudaGraphExecUpdateErrorFunctionChanged, GraphChange::function},
        {cudaGraphExecUpdateErrorUnsupportedFunctionChange, GraphChange::function},
        {cudaGraphExecUpdateErrorParametersChanged, GraphChange::parameters},
        {cudaGraphExecUpdateErrorAttributesChanged, GraphChange::parameters},
        {cudaGraphExecUpdateErrorNotSupported, GraphChange::unsupported},
    };
    for (const Row& row : rows) {
      if (row.result == result) return row.change;
    }
    return GraphChange::unknown;
  }
  static CaptureState state_of(cudaStreamCaptureStatus state) noexcept {
    if (state == cudaStreamCaptureStatusNone) return CaptureState::none;
    return state == cudaStreamCaptureStatusActive ? CaptureState::active : CaptureState::broken;
  }
};

}  // namespace warpsafe::inline WARPSAFE_DETAIL_VERSION::detail
