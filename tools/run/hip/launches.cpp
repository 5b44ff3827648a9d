// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// The library that LD_PRELOAD loads before AMD's libamdhip64: the functions that launch, and those
// that register a kernel's name. A program that loads no libamdhip64 calls none of them.

#include "../core/kernel/foreign_memory.hpp"
#include "entry.hpp"
#include "ext_launch.hpp"
#include "hip_kernels.hpp"

#include <hip/hip_runtime_api.h>

#include <cstddef>
#include <cstdint>

using namespace warpsafe::watch;

namespace {

HipLaunch kernel(const void* function, dim3 grid, dim3 block, std::size_t bytes, hipStream_t stream,
                 void** parameters, void** extra = nullptr) noexcept {
  HipLaunch of;
  of.function = function;
  of.grid = grid;
  of.block = block;
  of.bytes = bytes;
  of.stream = stream;
  of.parameters = parameters;
  of.extra = extra;
  return of;
}
/// Returns the number of blocks of `block` threads that contain `threads`; for a block of 0,
/// returns `threads`.
std::uint32_t blocks_of(std::uint32_t threads, std::uint32_t block) noexcept {
  return block == 0 ? threads : threads / block + (threads % block != 0 ? 1 : 0);
}

/// The refusal of a graph's node is judged as a refused launch. The runtime may not have read the
/// node, so its address may be anything.
void refused_node(const hipKernelNodeParams* asked, hipError_t status) {
  hipKernelNodeParams of{};
  if (!read_foreign(of, asked)) return;
  const HipLaunch launch =
      kernel(of.func, of.gridDim, of.blockDim, of.sharedMemBytes, nullptr, nullptr);
  begins(launch);
  ended(launch, status);
}

/// `next` is the runtime's function that the program called.
hipError_t launch_threads(NextFunction& next, hipFunction_t function, std::uint32_t threads_x,
                          std::uint32_t threads_y, std::uint32_t threads_z, std::uint32_t block_x,
                          std::uint32_t block_y, std::uint32_t block_z, std::size_t bytes,
                          hipStream_t stream, void** parameters, void** extra, hipEvent_t started,
                          hipEvent_t stopped, std::uint32_t flags) {
  HipLaunch of = kernel(function,
                        dim3(blocks_of(threads_x, block_x), blocks_of(threads_y, block_y),
                             blocks_of(threads_z, block_z)),
                        dim3(block_x, block_y, block_z), bytes, stream, parameters, extra);
  of.started = started;
  of.stopped = stopped;
  return watched(of, [&] {
    return call_next(next.get(), function, threads_x, threads_y, threads_z, block_x, block_y,
                     block_z, bytes, stream, parameters, extra, started, stopped, flags);
  });
}

}  // namespace

hipError_t hipExtModuleLaunchKernel(hipFunction_t function, std::uint32_t threads_x,
                                    std::uint32_t threads_y, std::uint32_t threads_z,
                                    std::uint32_t block_x, std::uint32_t block_y,
                                    std::uint32_t block_z, std::size_t bytes, hipStream_t stream,
                                    void** parameters, void** extra, hipEvent_t started,
                                    hipEvent_t stopped, std::uint32_t flags) {
  static constinit NextFunction next(
      "_Z24hipExtModuleLaunchKernelP18ihipModuleSymbol_tjjjjjjmP12ihipStream_tPPvS4_"
      "P11ihipEvent_tS6_j");
  return launch_threads(next, function, threads_x, threads_y, threads_z, block_x, block_y, block_z,
                        bytes, stream, parameters, extra, started, stopped, flags);
}
hipError_t ext_module_launch_kernel(hipFunction_t function, std::uint32_t threads_x,
                                    std::uint32_t threads_y, std::uint32_t threads_z,
                                    std::uint32_t block_x, std::uint32_t block_y,
                                    std::uint32_t block_z, std::size_t bytes, hipStream_t stream,
                                    void** parameters, void** extra, hipEvent_t started,
                                    hipEvent_t stopped, std::uint32_t flags) {
  static constinit NextFunction next("hipExtModuleLaunchKernel");
  return launch_threads(next, function, threads_x, threads_y, threads_z, block_x, block_y, block_z,
                        bytes, stream, parameters, extra, started, stopped, flags);
}

extern "C" {

// The compiler's host code calls this function (ROCm/clr hipamd/src/hip_platform.cpp); no header
// declares it.
[[gnu::visibility("default")]] void __hipRegisterFunction(void** modules, const void* stub,
                                                          char* device_function,
                                                          const char* device_name,
                                                          unsigned thread_limit, void* thread_id,
                                                          void* block_id, dim3* block, dim3* grid,
                                                          int* warp_size) {
  try {
    if (HipKernels::get().of_program(stub, device_name)) stubs_reused();
  } catch (...) {  // then it has no name in texts
  }
  static constinit warpsafe::watch::NextFunction next("__hipRegisterFunction");
  void* const found = next.get();
  if (found == nullptr) return;
  reinterpret_cast<decltype(&__hipRegisterFunction)>(found)(modules, stub, device_function,
                                                            device_name, thread_limit, thread_id,
                                                            block_id, block, grid, warp_size);
}
hipError_t hipModuleGetFunction(hipFunction_t* function, hipModule_t module, const char* name) {
  return watched(call_of(Call::noticing, "hipModuleGetFunction"), [&] {
    const hipError_t status = WARPSAFE_WATCH_NEXT(hipModuleGetFunction, function, module, name);
    try {
      if (status == hipSuccess) HipKernels::get().of_module(*function, name, module);
    } catch (...) {  // then it has no name in texts
    }
    return status;
  });
}
hipError_t hipModuleUnload(hipModule_t module) {
  return watched(call_of(Call::unload, "hipModuleUnload"), [&] {
    const hipError_t status = WARPSAFE_WATCH_NEXT(hipModuleUnload, module);
    HipKernels::get().forget_module(module);
    return status;
  });
}
// It unloads all modules of the device.
hipError_t hipDeviceReset() {
  return watched(call_of(Call::unload, "hipDeviceReset"), [&] {
    static constinit NextFunction next("hipDeviceReset");
    const hipError_t status = call_next(next.get());
    HipKernels::get().forget_modules();
    return status;
  });
}

hipError_t hipLaunchKernel(const void* stub, dim3 grid, dim3 block, void** arguments,
                           std::size_t bytes, hipStream_t stream) {
  return watched(kernel(stub, grid, block, bytes, stream, arguments), [&] {
    return WARPSAFE_WATCH_NEXT(hipLaunchKernel, stub, grid, block, arguments, bytes, stream);
  });
}
// The compiler calls this function under -fgpu-default-stream=per-thread. No header declares it.
[[gnu::visibility("default")]] hipError_t hipLaunchKernel_spt(const void* stub, dim3 grid,
                                                              dim3 block, void** arguments,
                                                              std::size_t bytes,
                                                              hipStream_t stream) {
  HipLaunch of = kernel(stub, grid, block, bytes, stream, arguments);
  of.per_thread = true;
  return watched(of, [&] {
    return WARPSAFE_WATCH_NEXT(hipLaunchKernel_spt, stub, grid, block, arguments, bytes, stream);
  });
}
hipError_t hipExtLaunchKernel(const void* stub, dim3 grid, dim3 block, void** arguments,
                              std::size_t bytes, hipStream_t stream, hipEvent_t started,
                              hipEvent_t stopped, int flags) {
  HipLaunch of = kernel(stub, grid, block, bytes, stream, arguments);
  of.started = started;
  of.stopped = stopped;
  return watched(of, [&] {
    return WARPSAFE_WATCH_NEXT(hipExtLaunchKernel, stub, grid, block, arguments, bytes, stream,
                               started, stopped, flags);
  });
}
hipError_t hipLaunchCooperativeKernel(const void* stub, dim3 grid, dim3 block, void** arguments,
                                      unsigned bytes, hipStream_t stream) {
  HipLaunch of = kernel(stub, grid, block, bytes, stream, arguments);
  of.cooperative = true;
  return watched(of, [&] {
    return WARPSAFE_WATCH_NEXT(hipLaunchCooperativeKernel, stub, grid, block, arguments, bytes,
                               stream);
  });
}
[[gnu::visibility("default")]] hipError_t hipLaunchCooperativeKernel_spt(const void* stub,
                                                                         dim3 grid, dim3 block,
                                                                         void** arguments,
                                                                         std::uint32_t bytes,
                                                                         hipStream_t stream) {
  HipLaunch of = kernel(stub, grid, block, bytes, stream, arguments);
  of.cooperative = true;
  of.per_thread = true;
  return watched(of, [&] {
    return WARPSAFE_WATCH_NEXT(hipLaunchCooperativeKernel_spt, stub, grid, block, arguments, bytes,
                               stream);
  });
}
hipError_t hipModuleLaunchKernel(hipFunction_t function, unsigned grid_x, unsigned grid_y,
                                 unsigned grid_z, unsigned block_x, unsigned block_y,
                                 unsigned block_z, unsigned bytes, hipStream_t stream,
                                 void** parameters, void** extra) {
  return watched(kernel(function, dim3(grid_x, grid_y, grid_z), dim3(block_x, block_y, block_z),
                        bytes, stream, parameters, extra),
                 [&] {
                   return WARPSAFE_WATCH_NEXT(hipModuleLaunchKernel, function, grid_x, grid_y,
                                              grid_z, block_x, block_y, block_z, bytes, stream,
                                              parameters, extra);
                 });
}
// HIP 5.2's headers do not declare it.
[[gnu::visibility("default")]] hipError_t hipModuleLaunchCooperativeKernel(
    hipFunction_t function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x,
    unsigned block_y, unsigned block_z, unsigned bytes, hipStream_t stream, void** parameters) {
  HipLaunch of = kernel(function, dim3(grid_x, grid_y, grid_z), dim3(block_x, block_y, block_z),
                        bytes, stream, parameters);
  of.cooperative = true;
  return watched(of, [&] {
    return WARPSAFE_WATCH_NEXT(hipModuleLaunchCooperativeKernel, function, grid_x, grid_y, grid_z,
                               block_x, block_y, block_z, bytes, stream, parameters);
  });
}
hipError_t hipGraphAddKernelNode(hipGraphNode_t* node, hipGraph_t graph,
                                 const hipGraphNode_t* before, std::size_t count,
                                 const hipKernelNodeParams* of) {
  const bool outermost = enter();
  const hipError_t status =
      WARPSAFE_WATCH_NEXT(hipGraphAddKernelNode, node, graph, before, count, of);
  if (!outermost) return status;
  if (status != hipSuccess) refused_node(of, status);
  leave();
  return status;
}
hipError_t hipGraphLaunch(hipGraphExec_t graph, hipStream_t stream) {
  HipLaunch of;
  of.is_graph = true;
  of.graph = graph;
  of.stream = stream;
  return watched(of, [&] { return WARPSAFE_WATCH_NEXT(hipGraphLaunch, graph, stream); });
}

}  // extern "C"
