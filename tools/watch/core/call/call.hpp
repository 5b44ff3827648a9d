// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <cstdint>

namespace warpsafe::watch {

/// What a call of a vendor's runtime is to the watch. A comment names the functions of CUDA's
/// driver where they are not the name in other words; HIP's have like names.
enum class Call : std::uint8_t {
  other,
  launch,              ///< cuLaunchKernel
  launch_ex,           ///< cuLaunchKernelEx
  launch_cooperative,  ///< cuLaunchCooperativeKernel
  graph_add,           ///< cuGraphAddKernelNode
  graph_add_node,      ///< cuGraphAddNode, with its edges' data
  graph_set,           ///< cuGraphKernelNodeSetParams
  graph_exec_set,      ///< cuGraphExecKernelNodeSetParams
  graph_instantiate,   ///< cuGraphInstantiate and its kin: the executable graph, then the graph
  graph_launch,        ///< cuGraphLaunch
  begin_capture,
  end_capture,
  unload,             ///< cuModuleUnload, cuLibraryUnload
  noticing,           ///< looked at for the faults that it tells
  runtime_launch,     ///< cudaLaunchKernel and its cooperative kin
  runtime_launch_ex,  ///< cudaLaunchKernelExC
  wait_device,        ///< cuCtxSynchronize
  wait_stream,        ///< cuStreamSynchronize
  query_stream,
  wait_event,  ///< cuEventSynchronize
  query_event,
  copy_in,   ///< cuMemcpyHtoD: comes back when it is done
  copy_out,  ///< cuMemcpyDtoH
  copy_in_async,
  copy_out_async,
  wait_copy,     ///< other copies that come back when they are done
  allocate,      ///< cuMemAlloc
  free,          ///< cuMemFree
  elapsed_time,  ///< both events are done
  copy_any,      ///< cuMemcpy, of whatever is at the two addresses
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
  // From here on: suspicions alone look at them.
  allocate_pitch,
  stream_waits,  ///< cuStreamWaitEvent
  event_created,
  event_destroyed,
  event_record,   ///< with or without flags
  graph_changed,  ///< an executable graph does something else from now on
  host_function,  ///< cuLaunchHostFunc, cuStreamAddCallback
  unfollowed,     ///< touches or orders what is not followed
  unknown_order,  ///< waits for memory, another process, a graph's event: order is not known at all
};
/// Whether only suspicions need it.
[[nodiscard]] inline bool is_for_suspicions(Call call) noexcept {
  return call >= Call::allocate_pitch;
}

}  // namespace warpsafe::watch
