// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/core/capture_types.hpp>
#include <warpsafe/core/config.hpp>

#include <hip/hip_runtime_api.h>

#include <cstddef>
#include <cstdint>

namespace warpsafe::inline WARPSAFE_DETAIL_VERSION::detail {

/// HIP's calls for captures and graphs. See backend/backend.hpp.
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
  static int capture_state(hipStream_t stream, CaptureState& state) noexcept {
    hipStreamCaptureStatus status{};
    const hipError_t asked = hipStreamIsCapturing(stream, &status);
    state = state_of(status);
    return asked;
  }
  static int capture_info(hipStream_t stream, CaptureInfo& info) noexcept {
    hipStreamCaptureStatus state{};
    const hipGraphNode_t* nodes = nullptr;
    std::size_t count = 0;
    hipGraph_t graph = nullptr;  // AMD's runtime gives only the first stream of a capture its id
#if defined(__HIP_PLATFORM_NVIDIA__) && CUDART_VERSION >= 13000
    // HIP's function uses one that CUDA 13 removed, so call CUDA's; the nodes are CUDA's own.
    const cudaGraphEdgeData* edges = nullptr;
    const hipError_t status = hipCUDAErrorTohipError(
        cudaStreamGetCaptureInfo(stream, &state, nullptr, &graph, &nodes, &edges, &count));
    constexpr bool has_nodes = true;
#else
    const hipError_t status =
        hipStreamGetCaptureInfo_v2(stream, &state, nullptr, &graph, &nodes, &count);
    const bool has_nodes = nodes != nullptr;
#endif
    if (status != hipSuccess) return status;
    info = {state_of(state), 0};
    if (info.state != CaptureState::active) return hipSuccess;
    info.id = reinterpret_cast<std::uintptr_t>(graph);
    if (!has_nodes) return hipSuccess;
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
