// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include "../core/call/call.hpp"
#include "call_name.hpp"

#include <string_view>

namespace warpsafe::watch {

/// One function of the driver.
struct CallRow {
  std::string_view name;
  Call call;
  int since;  ///< version from which on its parameters have the layout that is read here
};
/// Names as in cuda.h, without their versions.
inline constexpr CallRow driver_calls_table[] = {
    {"cuLaunchKernel", Call::launch, 1},
    {"cuLaunchKernelEx", Call::launch_ex, 1},
    {"cuLaunchCooperativeKernel", Call::launch_cooperative, 1},
    {"cuGraphAddKernelNode", Call::graph_add, 2},
    {"cuGraphAddNode", Call::graph_add_node, 2},
    {"cuGraphKernelNodeSetParams", Call::graph_set, 2},
    {"cuGraphExecKernelNodeSetParams", Call::graph_exec_set, 2},
    {"cuGraphInstantiate", Call::graph_instantiate, 1},
    {"cuGraphInstantiateWithFlags", Call::graph_instantiate, 1},
    {"cuGraphInstantiateWithParams", Call::graph_instantiate, 1},
    {"cuGraphLaunch", Call::graph_launch, 1},
    {"cuCtxSynchronize", Call::wait_device, 1},
    {"cuStreamSynchronize", Call::wait_stream, 1},
    {"cuStreamQuery", Call::query_stream, 1},
    {"cuEventSynchronize", Call::wait_event, 1},
    {"cuEventQuery", Call::query_event, 1},
    {"cuEventElapsedTime", Call::elapsed_time, 1},
    {"cuMemcpyHtoD", Call::copy_in, 2},
    {"cuMemcpyDtoH", Call::copy_out, 2},
    {"cuMemcpyHtoDAsync", Call::copy_in_async, 2},
    {"cuMemcpyDtoHAsync", Call::copy_out_async, 2},
    {"cuMemcpy", Call::copy_any, 1},
    {"cuMemcpyAsync", Call::copy_any_async, 1},
    {"cuMemcpyDtoD", Call::copy_device, 2},
    {"cuMemcpyDtoDAsync", Call::copy_device_async, 2},
    {"cuMemcpy2D", Call::wait_copy, 1},
    {"cuMemcpy2DUnaligned", Call::wait_copy, 1},
    {"cuMemcpy3D", Call::wait_copy, 1},
    {"cuMemcpy2DAsync", Call::unfollowed_async, 1},
    {"cuMemcpy3DAsync", Call::unfollowed_async, 1},
    {"cuMemcpyPeer", Call::unfollowed, 1},
    {"cuMemcpyPeerAsync", Call::unfollowed, 1},
    {"cuMemcpyHtoA", Call::unfollowed, 1},
    {"cuMemcpyAtoH", Call::unfollowed, 1},
    {"cuMemcpyDtoA", Call::unfollowed, 1},
    {"cuMemcpyAtoD", Call::unfollowed, 1},
    {"cuMemcpyHtoAAsync", Call::unfollowed, 1},
    {"cuMemcpyAtoHAsync", Call::unfollowed, 1},
    {"cuMemcpyBatchAsync", Call::unfollowed, 1},
    {"cuMemcpy3DBatchAsync", Call::unfollowed, 1},
    {"cuMemsetD2D8", Call::unfollowed, 1},
    {"cuMemsetD2D16", Call::unfollowed, 1},
    {"cuMemsetD2D32", Call::unfollowed, 1},
    {"cuMemsetD2D8Async", Call::unfollowed_async, 1},
    {"cuMemsetD2D16Async", Call::unfollowed_async, 1},
    {"cuMemsetD2D32Async", Call::unfollowed_async, 1},
    {"cuMemsetD8", Call::fill, 2},
    {"cuMemsetD16", Call::fill, 2},
    {"cuMemsetD32", Call::fill, 2},
    {"cuMemsetD8Async", Call::fill_async, 1},
    {"cuMemsetD16Async", Call::fill_async, 1},
    {"cuMemsetD32Async", Call::fill_async, 1},
    {"cuMemAlloc", Call::allocate, 2},
    {"cuMemAllocPitch", Call::allocate_pitch, 2},
    {"cuMemAllocManaged", Call::allocate_managed, 1},
    {"cuMemAllocAsync", Call::allocate_async, 1},
    {"cuMemAllocFromPoolAsync", Call::allocate_async, 1},
    {"cuMemFree", Call::free, 2},
    {"cuMemFreeAsync", Call::free_async, 1},
    {"cuMemGetAddressRange", Call::address_range, 2},
    {"cuMemFreeHost", Call::free_host, 1},
    {"cuMemHostAlloc", Call::allocate_host, 1},
    {"cuMemAllocHost", Call::allocate_host, 2},
    {"cuMemHostRegister", Call::noticing, 1},
    {"cuMemHostUnregister", Call::noticing, 1},
    {"cuMemPrefetchAsync", Call::noticing, 1},
    {"cuMemAdvise", Call::noticing, 1},
    {"cuArrayCreate", Call::noticing, 1},
    {"cuArray3DCreate", Call::noticing, 1},
    {"cuModuleLoad", Call::load_module, 1},
    {"cuModuleLoadData", Call::load_module, 1},
    {"cuModuleLoadDataEx", Call::load_module, 1},
    {"cuModuleLoadFatBinary", Call::load_module, 1},
    {"cuLibraryLoadData", Call::load_module, 1},
    {"cuLibraryLoadFromFile", Call::load_module, 1},
    {"cuModuleGetFunction", Call::find_function, 1},
    {"cuModuleGetGlobal", Call::find_variable, 1},
    {"cuFuncSetAttribute", Call::noticing, 1},
    {"cuCtxSetLimit", Call::noticing, 1},
    {"cuCtxEnablePeerAccess", Call::noticing, 1},
    {"cuTexObjectCreate", Call::noticing, 1},
    {"cuStreamCreate", Call::stream_created, 1},
    {"cuStreamCreateWithPriority", Call::stream_created, 1},
    {"cuStreamDestroy", Call::stream_destroyed, 1},
    {"cuStreamWaitEvent", Call::stream_waits, 1},
    {"cuEventCreate", Call::event_created, 1},
    {"cuEventDestroy", Call::event_destroyed, 1},
    {"cuEventRecord", Call::event_record, 1},
    {"cuEventRecordWithFlags", Call::event_record, 1},
    {"cuGraphExecUpdate", Call::graph_changed, 1},
    {"cuGraphExecNodeSetParams", Call::graph_changed, 1},
    {"cuGraphNodeSetEnabled", Call::graph_changed, 1},
    {"cuGraphExecMemcpyNodeSetParams", Call::graph_changed, 1},
    {"cuGraphExecMemsetNodeSetParams", Call::graph_changed, 1},
    {"cuGraphExecChildGraphNodeSetParams", Call::graph_changed, 1},
    {"cuLaunchHostFunc", Call::host_function, 1},
    {"cuStreamAddCallback", Call::host_function, 1},
    {"cuStreamWriteValue32", Call::host_function, 1},
    {"cuStreamWriteValue64", Call::host_function, 1},
    {"cuSignalExternalSemaphoresAsync", Call::unfollowed, 1},
    {"cuStreamWaitValue32", Call::unknown_order, 1},
    {"cuStreamWaitValue64", Call::unknown_order, 1},
    {"cuStreamBatchMemOp", Call::unknown_order, 1},
    {"cuWaitExternalSemaphoresAsync", Call::unknown_order, 1},
    {"cuCtxRecordEvent", Call::unknown_order, 1},
    {"cuCtxWaitEvent", Call::unknown_order, 1},
    {"cuGreenCtxRecordEvent", Call::unknown_order, 1},
    {"cuGreenCtxWaitEvent", Call::unknown_order, 1},
    {"cuGraphAddEventRecordNode", Call::unknown_order, 1},
    {"cuGraphAddEventWaitNode", Call::unknown_order, 1},
    {"cuGraphAddBatchMemOpNode", Call::unknown_order, 1},
    {"cuGraphAddExternalSemaphoresWaitNode", Call::unknown_order, 1},
    {"cuStreamBeginCapture", Call::begin_capture, 1},
    {"cuStreamBeginCaptureToGraph", Call::begin_capture, 1},
    {"cuStreamEndCapture", Call::end_capture, 1},
    {"cuGraphExecDestroy", Call::graph_exec_destroyed, 1},
    {"cuGraphDestroy", Call::graph_destroyed, 1},
    {"cuGraphDestroyNode", Call::graph_node_destroyed, 1},
    {"cuCtxDestroy", Call::unload, 1},
    {"cuDevicePrimaryCtxReset", Call::unload, 1},
    {"cuDevicePrimaryCtxRelease", Call::unload, 1},
    {"cuModuleUnload", Call::unload, 1},
    {"cuLibraryUnload", Call::unload, 1}};

/// Returns the role of a driver call. Calls that nothing needs are `other`, and cost the program
/// nothing.
[[nodiscard]] inline Call driver_call(const CallName& name) noexcept {
  for (const CallRow& row : driver_calls_table) {
    if (row.name == name.base) return name.version < row.since ? Call::noticing : row.call;
  }
  return Call::other;
}

/// Functions of the runtime: its launches, because it refuses some itself and truncates numbers
/// before it calls the driver, and calls that it may refuse, so that their reports name what the
/// program wrote. Calls that take less than a microsecond are left to the driver.
inline constexpr CallRow runtime_calls_table[] = {
    {"cudaLaunchKernel", Call::runtime_launch, 1},
    {"__cudaLaunchKernel", Call::runtime_launch, 1},
    {"cudaLaunchCooperativeKernel", Call::runtime_launch, 1},
    {"cudaLaunchKernelExC", Call::runtime_launch_ex, 1},
    {"cudaMalloc", Call::allocate, 1},
    {"cudaMallocPitch", Call::allocate_pitch, 1},
    {"cudaMallocManaged", Call::allocate_managed, 1},
    {"cudaMallocAsync", Call::allocate_async, 1},
    {"cudaMallocFromPoolAsync", Call::allocate_async, 1},
    {"cudaMallocHost", Call::allocate_host, 1},
    {"cudaHostAlloc", Call::allocate_host, 1},
    {"cudaMalloc3D", Call::noticing, 1},
    {"cudaMallocArray", Call::noticing, 1},
    {"cudaMalloc3DArray", Call::noticing, 1},
    {"cudaFree", Call::free, 1},
    {"cudaFreeAsync", Call::free_async, 1},
    {"cudaFreeHost", Call::free_host, 1},
    {"cudaHostRegister", Call::noticing, 1},
    {"cudaHostUnregister", Call::noticing, 1},
    {"cudaMemcpy", Call::copy_any, 1},
    {"cudaMemcpyAsync", Call::copy_any_async, 1},
    {"cudaMemcpy2D", Call::wait_copy, 1},
    {"cudaMemcpy2DAsync", Call::unfollowed, 1},
    {"cudaMemcpy3D", Call::wait_copy, 1},
    {"cudaMemcpy3DAsync", Call::unfollowed, 1},
    {"cudaMemcpyToSymbol", Call::wait_copy, 1},
    {"cudaMemcpyFromSymbol", Call::wait_copy, 1},
    {"cudaMemcpyToSymbolAsync", Call::unfollowed, 1},
    {"cudaMemcpyFromSymbolAsync", Call::unfollowed, 1},
    {"cudaMemset", Call::fill, 1},
    {"cudaMemsetAsync", Call::fill_async, 1},
    {"cudaMemset2D", Call::unfollowed, 1},
    {"cudaMemPrefetchAsync", Call::noticing, 1},
    {"cudaSetDevice", Call::set_device, 1},
    {"cudaDeviceReset", Call::noticing, 1},
    {"cudaDeviceSetLimit", Call::noticing, 1},
    {"cudaDeviceEnablePeerAccess", Call::noticing, 1},
    {"cudaFuncSetAttribute", Call::set_attribute, 1},
    {"cudaStreamCreate", Call::stream_created, 1},
    {"cudaStreamCreateWithFlags", Call::stream_created, 1},
    {"cudaStreamCreateWithPriority", Call::stream_created, 1},
    {"cudaStreamDestroy", Call::stream_destroyed, 1},
    {"cudaStreamBeginCapture", Call::begin_capture, 1},
    {"cudaStreamEndCapture", Call::end_capture, 1},
    {"cudaEventElapsedTime", Call::elapsed_time, 1},
    {"cudaEventDestroy", Call::event_destroyed, 1},
    {"cudaGraphInstantiate", Call::graph_instantiate, 1},
    {"cudaGraphInstantiateWithFlags", Call::graph_instantiate, 1},
    {"cudaCreateTextureObject", Call::noticing, 1},
    {"cudaCreateSurfaceObject", Call::noticing, 1}};

[[nodiscard]] inline Call runtime_call(const CallName& name) noexcept {
  for (const CallRow& row : runtime_calls_table) {
    if (row.name == name.base) return row.call;
  }
  return Call::other;
}
/// Returns whether a runtime call is a launch.
[[nodiscard]] inline bool is_runtime_launch(Call call) noexcept {
  return call == Call::runtime_launch || call == Call::runtime_launch_ex;
}

}  // namespace warpsafe::watch
