// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <cuda.h>
#include <dlfcn.h>

#include <cstddef>
#include <type_traits>

namespace warpsafe::watch {

/// The driver functions that the watch calls, taken from the driver that the program has loaded.
/// The library does not link the driver, so it can be loaded without one. A function that an older
/// driver lacks is nullptr.
struct Driver {
  decltype(&::cuDriverGetVersion) driver_version;
  decltype(&::cuDeviceGetCount) device_count;
  decltype(&::cuDeviceGetAttribute) device_attribute;
  decltype(&::cuDeviceGetName) device_name;
  decltype(&::cuCtxGetDevice) context_device;
  decltype(&::cuGetErrorName) error_name;
  decltype(&::cuGetErrorString) error_text;
  decltype(&::cuFuncGetAttribute) function_attribute;
  decltype(&::cuFuncGetName) function_name;
  decltype(&::cuKernelGetFunction) kernel_function;
  decltype(&::cuOccupancyMaxActiveBlocksPerMultiprocessor) resident_blocks;
  decltype(&::cuOccupancyMaxPotentialClusterSize) cluster_size;
  decltype(&::cuStreamSynchronize) stream_synchronize;
  decltype(&::cuStreamQuery) stream_query;
  decltype(&::cuStreamIsCapturing) stream_capturing;
  decltype(&::cuStreamGetFlags) stream_flags;
  decltype(&::cuThreadExchangeStreamCaptureMode) exchange_capture_mode;
  decltype(&::cuGraphGetNodes) graph_nodes;
  decltype(&::cuGraphNodeGetType) node_type;
  CUresult(CUDAAPI* kernel_node)(CUgraphNode, CUDA_KERNEL_NODE_PARAMS*);
  decltype(&::cuGraphMemsetNodeGetParams) fill_node;
  decltype(&::cuGraphMemcpyNodeGetParams) copy_node;
  decltype(&::cuGraphChildGraphNodeGetGraph) child_graph;
  // For --rerun. The second is without edge data.
  decltype(&::cuGraphLaunch) graph_launch;
  CUresult(CUDAAPI* node_dependencies)(CUgraphNode, CUgraphNode*, std::size_t*);
  decltype(&::cuGraphNodeGetEnabled) node_enabled;
  decltype(&::cuGraphNodeSetEnabled) enable_node;
  decltype(&::cuGraphCreate) graph_create;
  decltype(&::cuCtxGetCurrent) current_context;
  decltype(&::cuMemAlloc) allocate;
  decltype(&::cuMemcpyDtoDAsync) copy_on_device;
  decltype(&::cuFuncGetParamInfo) parameter;
  decltype(&::cuPointerGetAttribute) pointer_attribute;
  decltype(&::cuMemGetInfo) memory_info;
  // For the memory guard.
  decltype(&::cuMemGetAddressRange) address_range;
  decltype(&::cuMemFree) free_memory;
  decltype(&::cuMemsetD32Async) fill_words;
  decltype(&::cuMemsetD8Async) fill_bytes;
  decltype(&::cuMemcpyDtoHAsync) copy_out;
  decltype(&::cuStreamCreate) stream_create;
  decltype(&::cuStreamDestroy) stream_destroy;
  CUresult(CUDAAPI* context_synchronize)();
  decltype(&::cuMemAllocAsync) allocate_in_order;
  decltype(&::cuMemFreeAsync) free_in_order;
  decltype(&::cuStreamWaitEvent) stream_waits;
  decltype(&::cuEventCreate) event_create;
  decltype(&::cuEventRecord) event_record;
  decltype(&::cuEventQuery) event_query;
  decltype(&::cuEventDestroy) event_destroy;
  /// cuLogsDumpToMemory, which CUDA's headers before 12.9 do not declare.
  CUresult(CUDAAPI* log_to_memory)(unsigned* position, char* text, std::size_t* bytes,
                                   unsigned flags);

  [[nodiscard]] static const Driver& get() noexcept {
    static const Driver found = load();
    return found;
  }

 private:
  [[nodiscard]] static Driver load() noexcept {
    void* library = dlopen("libcuda.so.1", RTLD_LAZY | RTLD_NOLOAD);
    if (library == nullptr) library = RTLD_DEFAULT;
    Driver found{};
    const auto find = [&](auto& function, const char* name) {
      function =
          reinterpret_cast<std::remove_reference_t<decltype(function)>>(dlsym(library, name));
    };
    find(found.driver_version, "cuDriverGetVersion");
    find(found.device_count, "cuDeviceGetCount");
    find(found.device_attribute, "cuDeviceGetAttribute");
    find(found.device_name, "cuDeviceGetName");
    find(found.context_device, "cuCtxGetDevice");
    find(found.error_name, "cuGetErrorName");
    find(found.error_text, "cuGetErrorString");
    find(found.function_attribute, "cuFuncGetAttribute");
    find(found.function_name, "cuFuncGetName");
    find(found.kernel_function, "cuKernelGetFunction");
    find(found.resident_blocks, "cuOccupancyMaxActiveBlocksPerMultiprocessor");
    find(found.cluster_size, "cuOccupancyMaxPotentialClusterSize");
    find(found.stream_synchronize, "cuStreamSynchronize");
    find(found.stream_query, "cuStreamQuery");
    find(found.stream_capturing, "cuStreamIsCapturing");
    find(found.stream_flags, "cuStreamGetFlags");
    find(found.exchange_capture_mode, "cuThreadExchangeStreamCaptureMode");
    find(found.graph_nodes, "cuGraphGetNodes");
    find(found.node_type, "cuGraphNodeGetType");
    find(found.kernel_node, "cuGraphKernelNodeGetParams_v2");
    find(found.fill_node, "cuGraphMemsetNodeGetParams");
    find(found.copy_node, "cuGraphMemcpyNodeGetParams");
    find(found.child_graph, "cuGraphChildGraphNodeGetGraph");
    find(found.graph_launch, "cuGraphLaunch");
    find(found.node_dependencies, "cuGraphNodeGetDependencies");
    find(found.node_enabled, "cuGraphNodeGetEnabled");
    find(found.enable_node, "cuGraphNodeSetEnabled");
    find(found.graph_create, "cuGraphCreate");
    find(found.current_context, "cuCtxGetCurrent");
    find(found.allocate, "cuMemAlloc_v2");
    find(found.copy_on_device, "cuMemcpyDtoDAsync_v2");
    find(found.parameter, "cuFuncGetParamInfo");
    find(found.pointer_attribute, "cuPointerGetAttribute");
    find(found.memory_info, "cuMemGetInfo_v2");
    find(found.address_range, "cuMemGetAddressRange_v2");
    find(found.free_memory, "cuMemFree_v2");
    find(found.fill_words, "cuMemsetD32Async");
    find(found.fill_bytes, "cuMemsetD8Async");
    find(found.copy_out, "cuMemcpyDtoHAsync_v2");
    find(found.stream_create, "cuStreamCreate");
    find(found.stream_destroy, "cuStreamDestroy_v2");
    find(found.context_synchronize, "cuCtxSynchronize");
    find(found.allocate_in_order, "cuMemAllocAsync");
    find(found.free_in_order, "cuMemFreeAsync");
    find(found.stream_waits, "cuStreamWaitEvent");
    find(found.event_create, "cuEventCreate");
    find(found.event_record, "cuEventRecord");
    find(found.event_query, "cuEventQuery");
    find(found.event_destroy, "cuEventDestroy_v2");
    find(found.log_to_memory, "cuLogsDumpToMemory");
    return found;
  }
};

/// Calls `function` with these arguments; returns CUDA_ERROR_NOT_FOUND if the driver lacks it.
template <class Function, class... A>
[[nodiscard]] CUresult call_driver(Function Driver::*function, A... arguments) noexcept {
  const auto found = Driver::get().*function;
  return found == nullptr ? CUDA_ERROR_NOT_FOUND : found(arguments...);
}

}  // namespace warpsafe::watch
