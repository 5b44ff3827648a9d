// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/backend/kernel_entry.hpp>
#include <warpsafe/core/capture_types.hpp>
#include <warpsafe/core/detail/limit_fields.hpp>
#include <warpsafe/core/launch_shape.hpp>
#include <warpsafe/core/limits.hpp>
#include <warpsafe/core/name.hpp>

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>

// Calls of the CUDA backend outside the plain launch: a device's limits and name, launches with
// attributes, captures and graphs.

namespace warpsafe::inline WARPSAFE_DETAIL_VERSION::detail {

/// The attributes that report a device's limits.
inline constexpr int cuda_attributes[] = {
#define WARPSAFE_DEVICE_LIMIT(type, name, cuda, hip) cuda,
#include <warpsafe/core/limit_rows.hpp>
#undef WARPSAFE_DEVICE_LIMIT
};

/// Reads the raw limits: an attribute that the runtime does not know stays 0.
[[WARPSAFE_DETAIL_RARE]] inline int cuda_limits(int device, DeviceLimits& limits) noexcept {
  cudaError_t status = cudaSuccess;
  const auto ask = [&](int attribute) -> std::uint32_t {
    if (status != cudaSuccess) return 0;
    int value = 0;
    status = cudaDeviceGetAttribute(&value, static_cast<cudaDeviceAttr>(attribute), device);
    // An older runtime does not know the attribute, so the limit is not reported. Other statuses
    // are failures.
    if (status == cudaErrorInvalidValue) status = cudaSuccess;
    return value > 0 ? static_cast<std::uint32_t>(value) : 0U;
  };
  limits.vendor = Vendor::nvidia;
  limits.device = device;
  read_limits(limits, cuda_attributes, ask);
  // CUDA C++ Programming Guide, "Thread Block Clusters": 8 blocks are portable. 16 are possible
  // once the kernel's non-portable attribute is set, if the hardware has room.
  limits.max_cluster_blocks = ask(cudaDevAttrClusterLaunch) != 0 ? 8 : 0;
  limits.max_cluster_blocks_optin = 2 * limits.max_cluster_blocks;
  limits.max_parameter_bytes = CUDART_VERSION >= 12010 && limits.compute_major >= 7 ? 32764 : 4096;
  return status;
}

/// Reads all names at the first call, because the runtime's property query takes milliseconds.
[[WARPSAFE_DETAIL_RARE]] inline Name cuda_device_name(int device) noexcept {
  constexpr int most = 64;
  struct Names {
    char text[most][256] = {};
    Names() noexcept {
      int count = 0;
      if (cudaGetDeviceCount(&count) != cudaSuccess) return;
      for (int i = 0; i < count && i < most; ++i) {
        cudaDeviceProp properties;
        if (cudaGetDeviceProperties(&properties, i) != cudaSuccess) continue;
        for (int j = 0; j < 255 && properties.name[j] != '\0'; ++j) text[i][j] = properties.name[j];
      }
    }
  };
  static const Names names;
  return device >= 0 && device < most ? Name::of(names.text[device]) : Name{};
}

/// Calls cudaLaunchKernelExC with one attribute for each option of the shape.
[[gnu::noinline]] inline int cuda_launch_with_attributes(const void* function,
                                                         const LaunchShape& shape, void** args,
                                                         cudaStream_t stream) noexcept {
  cudaLaunchAttribute attributes[4];
  unsigned count = 0;
  if (shape.has_cluster) {
    if (shape.non_portable_cluster) {
      const cudaError_t status =
          cudaFuncSetAttribute(function, cudaFuncAttributeNonPortableClusterSizeAllowed, 1);
      if (status != cudaSuccess) return status;
    }
    attributes[count].id = cudaLaunchAttributeClusterDimension;
    attributes[count].val.clusterDim.x = shape.cluster[0];
    attributes[count].val.clusterDim.y = shape.cluster[1];
    attributes[count].val.clusterDim.z = shape.cluster[2];
    ++count;
  }
  if (shape.cooperative) {
    attributes[count].id = cudaLaunchAttributeCooperative;
    attributes[count].val.cooperative = 1;
    ++count;
  }
  if (shape.has_priority) {
    attributes[count].id = cudaLaunchAttributePriority;
    attributes[count].val.priority = shape.priority;
    ++count;
  }
  if (shape.programmatic) {
    attributes[count].id = cudaLaunchAttributeProgrammaticStreamSerialization;
    attributes[count].val.programmaticStreamSerializationAllowed = 1;
    ++count;
  }
  cudaLaunchConfig_t config{};
  config.gridDim = dim3(shape.grid[0], shape.grid[1], shape.grid[2]);
  config.blockDim = dim3(shape.block[0], shape.block[1], shape.block[2]);
  config.dynamicSmemBytes = shape.dynamic_shared_32();
  config.stream = stream;
  config.attrs = attributes;
  config.numAttrs = count;
  return cudaLaunchKernelExC(&config, function, args);
}

/// The largest number of blocks in a cluster that can be resident with this block and shared
/// memory.
inline int cuda_max_cluster(const void* function, const LaunchShape& shape, int& blocks) noexcept {
  if (shape.non_portable_cluster) {  // without it the answer never exceeds 8
    const cudaError_t status =
        cudaFuncSetAttribute(function, cudaFuncAttributeNonPortableClusterSizeAllowed, 1);
    if (status != cudaSuccess) return status;
  }
  cudaLaunchConfig_t config{};
  config.gridDim = dim3(shape.grid[0], shape.grid[1], shape.grid[2]);
  config.blockDim = dim3(shape.block[0], shape.block[1], shape.block[2]);
  config.dynamicSmemBytes = shape.dynamic_shared;
  return cudaOccupancyMaxPotentialClusterSize(&blocks, function, &config);
}

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
  static int capture_info(cudaStream_t stream, CaptureInfo& info) noexcept {
    cudaStreamCaptureStatus state{};
    const cudaGraphNode_t* nodes = nullptr;
    std::size_t count = 0;
#if CUDART_VERSION >= 13000
    const cudaGraphEdgeData* edges =
        nullptr;  // without this argument, edges that carry data are an error
    const cudaError_t status =
        cudaStreamGetCaptureInfo(stream, &state, nullptr, nullptr, &nodes, &edges, &count);
#else
    const cudaError_t status =
        cudaStreamGetCaptureInfo_v2(stream, &state, nullptr, nullptr, &nodes, &count);
#endif
    if (status != cudaSuccess) return status;
    info = {state_of(state), 0};
    if (info.state != CaptureState::active) return cudaSuccess;
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
    return cudaGraphInstantiate(&exec, graph, 0);
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
