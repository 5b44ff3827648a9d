// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/name.hpp>

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace warpsafe::watch {

/// What a call of CUDA is to the watch.
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
  wait_device,         ///< cuCtxSynchronize
  wait_stream,         ///< cuStreamSynchronize
  query_stream,        ///< cuStreamQuery
  wait_event,          ///< cuEventSynchronize, cuEventQuery
  copy_in,             ///< cuMemcpyHtoD and its kin: to, from, bytes
  copy_out,            ///< cuMemcpyDtoH
  copy_in_async,
  copy_out_async,
  wait_copy,  ///< other copies that come back when they are done
  allocate,   ///< cuMemAlloc
  free,       ///< cuMemFree
  begin_capture,
  end_capture,
  unload,             ///< cuModuleUnload, cuLibraryUnload
  noticing,           ///< looked at for the faults that it tells
  runtime_launch,     ///< cudaLaunchKernel and its cooperative kin
  runtime_launch_ex,  ///< cudaLaunchKernelExC
};

/// What CUPTI calls the function, "cuLaunchKernel_ptsz", without what tells versions and default
/// streams apart.
struct CallName {
  std::string_view base;
  bool per_thread = false;  ///< stream 0 is the thread's own
  int version = 1;

  [[nodiscard]] static CallName of(std::string_view name) noexcept {
    CallName found;
    for (const std::string_view suffix : {"_ptsz", "_ptds"}) {
      if (name.size() > suffix.size() && name.substr(name.size() - suffix.size()) == suffix) {
        name.remove_suffix(suffix.size());
        found.per_thread = true;
      }
    }
    // "_v2" of the driver's, "_v13000" of the runtime's.
    const std::size_t at = name.rfind("_v");
    if (at != std::string_view::npos && at + 2 < name.size() &&
        name.find_first_not_of("0123456789", at + 2) == std::string_view::npos) {
      found.version = 0;
      for (const char digit : name.substr(at + 2)) found.version = 10 * found.version + digit - '0';
      name = name.substr(0, at);
      for (const std::string_view suffix : {"_ptsz", "_ptds"}) {
        if (name.size() > suffix.size() && name.substr(name.size() - suffix.size()) == suffix) {
          name.remove_suffix(suffix.size());
          found.per_thread = true;
        }
      }
    }
    found.base = name;
    return found;
  }
};

/// A call that the watch looks at, with its name as texts have it, which lives as long as the
/// process.
struct KnownCall {
  Call call = Call::other;
  bool per_thread = false;
  Name name{};

  [[nodiscard]] static KnownCall of(Call call, const CallName& name, const char* whole) noexcept {
    return {call, name.per_thread, {whole, name.base.size()}};
  }
};

/// What a call of the driver is. The names are those of cuda.h; what is not known to be needed is
/// `other`, and costs the program nothing.
[[nodiscard]] inline Call driver_call(const CallName& name) noexcept {
  struct Row {
    std::string_view name;
    Call call;
  };
  static constexpr Row rows[] = {{"cuLaunchKernel", Call::launch},
                                 {"cuLaunchKernelEx", Call::launch_ex},
                                 {"cuLaunchCooperativeKernel", Call::launch_cooperative},
                                 {"cuGraphAddKernelNode", Call::graph_add},
                                 {"cuGraphAddNode", Call::graph_add_node},
                                 {"cuGraphKernelNodeSetParams", Call::graph_set},
                                 {"cuGraphExecKernelNodeSetParams", Call::graph_exec_set},
                                 {"cuGraphInstantiate", Call::graph_instantiate},
                                 {"cuGraphInstantiateWithFlags", Call::graph_instantiate},
                                 {"cuGraphInstantiateWithParams", Call::graph_instantiate},
                                 {"cuGraphLaunch", Call::graph_launch},
                                 {"cuCtxSynchronize", Call::wait_device},
                                 {"cuStreamSynchronize", Call::wait_stream},
                                 {"cuStreamQuery", Call::query_stream},
                                 {"cuEventSynchronize", Call::wait_event},
                                 {"cuEventQuery", Call::noticing},
                                 {"cuMemcpyHtoD", Call::copy_in},
                                 {"cuMemcpyDtoH", Call::copy_out},
                                 {"cuMemcpyHtoDAsync", Call::copy_in_async},
                                 {"cuMemcpyDtoHAsync", Call::copy_out_async},
                                 {"cuMemcpy", Call::wait_copy},
                                 {"cuMemcpy2D", Call::wait_copy},
                                 {"cuMemcpy2DUnaligned", Call::wait_copy},
                                 {"cuMemcpy3D", Call::wait_copy},
                                 {"cuMemcpyAsync", Call::noticing},
                                 {"cuMemcpyDtoDAsync", Call::noticing},
                                 {"cuMemcpyDtoD", Call::noticing},
                                 {"cuMemcpyPeer", Call::noticing},
                                 {"cuMemsetD8Async", Call::noticing},
                                 {"cuMemsetD32Async", Call::noticing},
                                 {"cuMemsetD8", Call::noticing},
                                 {"cuMemsetD32", Call::noticing},
                                 {"cuMemAlloc", Call::allocate},
                                 {"cuMemFree", Call::free},
                                 {"cuMemAllocAsync", Call::noticing},
                                 {"cuMemFreeAsync", Call::noticing},
                                 {"cuMemFreeHost", Call::noticing},
                                 {"cuMemAllocManaged", Call::noticing},
                                 {"cuMemHostAlloc", Call::noticing},
                                 {"cuEventElapsedTime", Call::noticing},
                                 {"cuStreamCreate", Call::noticing},
                                 {"cuStreamCreateWithPriority", Call::noticing},
                                 {"cuStreamDestroy", Call::noticing},
                                 {"cuStreamBeginCapture", Call::begin_capture},
                                 {"cuStreamBeginCaptureToGraph", Call::begin_capture},
                                 {"cuStreamEndCapture", Call::end_capture},
                                 {"cuModuleUnload", Call::unload},
                                 {"cuLibraryUnload", Call::unload}};
  for (const Row& row : rows) {
    if (row.name != name.base) continue;
    // The parameters of the first kernel nodes, and of the first copies, were laid out otherwise.
    const bool graph = row.call == Call::graph_add || row.call == Call::graph_set ||
                       row.call == Call::graph_exec_set || row.call == Call::graph_add_node;
    const bool memory = row.name.substr(0, 12) == "cuMemcpyHtoD" ||
                        row.name.substr(0, 12) == "cuMemcpyDtoH" || row.call == Call::allocate ||
                        row.call == Call::free;
    return (graph || memory) && name.version < 2 ? Call::noticing : row.call;
  }
  return Call::other;
}

/// What a call of the runtime is: its launches are looked at for what it refuses itself, and for
/// the numbers that it cuts on their way to the driver.
[[nodiscard]] inline Call runtime_call(const CallName& name) noexcept {
  if (name.base == "cudaLaunchKernel" || name.base == "__cudaLaunchKernel" ||
      name.base == "cudaLaunchCooperativeKernel") {
    return Call::runtime_launch;
  }
  return name.base == "cudaLaunchKernelExC" ? Call::runtime_launch_ex : Call::other;
}

}  // namespace warpsafe::watch
