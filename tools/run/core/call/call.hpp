// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <cstdint>

namespace warpsafe::watch {

/// The role of a vendor's runtime call. A comment gives the name of CUDA's driver function if it
/// differs from the enumerator; HIP's functions have similar names.
enum class Call : std::uint8_t {
  other,
  launch,              ///< cuLaunchKernel
  launch_ex,           ///< cuLaunchKernelEx
  launch_cooperative,  ///< cuLaunchCooperativeKernel
  graph_add,           ///< cuGraphAddKernelNode
  graph_add_node,      ///< cuGraphAddNode, including edge data
  graph_set,           ///< cuGraphKernelNodeSetParams
  graph_exec_set,      ///< cuGraphExecKernelNodeSetParams
  graph_instantiate,   ///< cuGraphInstantiate and its variants: the executable graph comes first,
                       ///< then the graph
  graph_launch,        ///< cuGraphLaunch
  begin_capture,
  end_capture,
  graph_exec_destroyed,
  graph_destroyed,       ///< only --rerun needs it
  graph_node_destroyed,  ///< only --rerun needs it
  unload,                ///< cuModuleUnload, cuLibraryUnload, and the end of a context
  address_range,         ///< returns the size of an allocation; only the memory guard needs it
  noticing,              ///< checked only for faults that it reports
  runtime_launch,        ///< cudaLaunchKernel and the cooperative variant
  runtime_launch_ex,     ///< cudaLaunchKernelExC
  wait_device,           ///< cuCtxSynchronize
  wait_stream,           ///< cuStreamSynchronize
  query_stream,
  wait_event,  ///< cuEventSynchronize
  query_event,
  copy_in,   ///< cuMemcpyHtoD: returns when the copy is complete
  copy_out,  ///< cuMemcpyDtoH
  copy_in_async,
  copy_out_async,
  wait_copy,     ///< other copies that return when they are complete
  allocate,      ///< cuMemAlloc
  free,          ///< cuMemFree
  elapsed_time,  ///< both events are complete
  copy_any,      ///< cuMemcpy: any kind of memory at either address
  copy_any_async,
  copy_device,  ///< cuMemcpyDtoD
  copy_device_async,
  fill,  ///< cuMemsetD8, D16, D32
  fill_async,
  allocate_managed,
  allocate_async,  ///< cuMemAllocAsync, cuMemAllocFromPoolAsync
  free_async,
  stream_created,
  stream_destroyed,
  allocate_host,  ///< cuMemHostAlloc, cuMemAllocHost
  free_host,      ///< cuMemFreeHost
  load_module,    ///< cuModuleLoad, cuLibraryLoadData and their variants
  find_function,  ///< cuModuleGetFunction, cuLibraryGetKernel
  find_variable,  ///< cuModuleGetGlobal
  set_device,     ///< cudaSetDevice
  set_attribute,  ///< cudaFuncSetAttribute
  allocate_pitch,
  stream_waits,  ///< cuStreamWaitEvent
  event_created,
  event_destroyed,
  event_record,      ///< with or without flags
  graph_changed,     ///< changes what an executable graph does
  host_function,     ///< cuLaunchHostFunc, cuStreamAddCallback, cuStreamWriteValue32
  unfollowed,        ///< touches memory or orders work in a way that is not tracked
  unfollowed_async,  ///< the same in the order of its stream alone, for which the host may wait
  unknown_order,     ///< waits for memory, another process or a graph's event: the order is unknown
};
/// Returns whether the host knows no more about the device's work after the call than before it.
/// Asynchronous copies of memory that is not pinned are an exception.
[[nodiscard]] inline bool never_waits(Call call) noexcept {
  switch (call) {
    case Call::other:
    case Call::noticing:
    case Call::graph_add:
    case Call::graph_add_node:
    case Call::graph_set:
    case Call::graph_exec_set:
    case Call::graph_instantiate:
    case Call::graph_changed:
    case Call::graph_destroyed:
    case Call::graph_node_destroyed:
    case Call::begin_capture:
    case Call::end_capture:
    case Call::copy_in_async:
    case Call::copy_out_async:
    case Call::copy_any_async:
    case Call::copy_device_async:
    case Call::fill_async:
    case Call::allocate:
    case Call::allocate_managed:
    case Call::allocate_pitch:
    case Call::allocate_async:
    case Call::allocate_host:
    case Call::free_async:
    case Call::free_host:
    case Call::address_range:
    case Call::stream_created:
    case Call::stream_destroyed:
    case Call::stream_waits:
    case Call::event_created:
    case Call::event_destroyed:
    case Call::event_record:
    case Call::load_module:
    case Call::find_function:
    case Call::find_variable:
    case Call::set_device:
    case Call::set_attribute:
      return true;
    default:
      return false;
  }
}
/// Returns whether the call gives the device work or memory, or waits for it. Programs release
/// things when they end, and query them, without need for a device.
[[nodiscard]] inline bool is_device_call(Call call) noexcept {
  switch (call) {
    case Call::launch:
    case Call::launch_ex:
    case Call::launch_cooperative:
    case Call::graph_launch:
    case Call::runtime_launch:
    case Call::runtime_launch_ex:
    case Call::wait_device:
    case Call::wait_stream:
    case Call::copy_in:
    case Call::copy_out:
    case Call::copy_in_async:
    case Call::copy_out_async:
    case Call::copy_any:
    case Call::copy_any_async:
    case Call::allocate:
    case Call::allocate_managed:
    case Call::allocate_async:
    case Call::fill:
    case Call::fill_async:
      return true;
    default:
      return false;
  }
}

}  // namespace warpsafe::watch
