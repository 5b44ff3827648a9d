// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// The library that LD_PRELOAD puts before AMD's libamdhip64: the functions that launch and wait are
// its own, which tell the watch and call the program's. A program that loads no libamdhip64 calls
// none of them.

#include "../core/watcher.hpp"
#include "hip_kernels.hpp"
#include "next.hpp"
#include <warpsafe/backend/hip.hpp>

#include <hip/hip_runtime_api.h>
#include <pthread.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <thread>

namespace warpsafe::watch {
namespace {

/// Platform::describe for HIP.
void describe_kernel(const void* handle, std::int32_t device, const Launch* launch,
                     Kernel& kernel) noexcept {
  try {
    KernelLimits& limits = kernel.limits;
    if (HipKernels::get().is_of_module(handle)) {
      auto* const function = static_cast<hipFunction_t>(const_cast<void*>(handle));
      int value = 0;
      if (hipFuncGetAttribute(&value, HIP_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, function) !=
          hipSuccess) {
        return;
      }
      limits.max_threads_per_block = static_cast<std::uint32_t>(value);
      if (hipFuncGetAttribute(&value, HIP_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES, function) ==
          hipSuccess) {
        limits.static_shared = static_cast<std::uint64_t>(value);
      }
      limits.known = true;
      return;
    }
    KernelEntry entry{};
    entry.function = handle;
    if (hip_backend::attributes_of(entry, limits) != hipSuccess) return;
    limits.known = true;
    if (launch == nullptr || !launch->shape.cooperative) return;
    int blocks = 0;
    int multiprocessors = 0;
    if (hip_backend::resident_blocks(entry,
                                     static_cast<std::uint32_t>(launch->shape.threads_per_block()),
                                     launch->shape.dynamic_shared, blocks) == hipSuccess &&
        hipDeviceGetAttribute(&multiprocessors, hipDeviceAttributeMultiprocessorCount, device) ==
            hipSuccess) {
      limits.resident_blocks = static_cast<std::uint32_t>(blocks * multiprocessors);
    }
  } catch (...) {  // its limits stay unknown
    return;
  }
}

Watcher* watcher_in_use = nullptr;

/// nullptr: there is no memory for it.
Watcher* watcher() noexcept {
  static const bool begun = [] {
    try {
      static const Platform platform =
          platform_of<hip_backend>(&describe_kernel, []() noexcept -> const char* { return ""; });
      watcher_in_use = new Watcher(platform, Options::parse(std::getenv("WARPSAFE_RUN")));
      std::atexit([] { watcher_in_use->finish(); });
      pthread_atfork(nullptr, nullptr, [] { watcher_in_use->forked(); });
      return true;
    } catch (...) {
      return false;
    }
  }();
  return begun ? watcher_in_use : nullptr;
}

/// Whether the thread is in a call already: the runtime, and the watch, call its functions too.
thread_local bool inside = false;

/// The outermost call of a thread; nullptr for those inside of it.
class Outermost {
 public:
  Outermost() noexcept : watch_(inside ? nullptr : watcher()) {
    if (watch_ != nullptr) inside = true;
  }
  Outermost(const Outermost&) = delete;
  Outermost& operator=(const Outermost&) = delete;
  ~Outermost() {
    if (watch_ != nullptr) inside = false;
  }
  [[nodiscard]] Watcher* watch() const noexcept { return watch_; }

 private:
  Watcher* watch_;
};

[[nodiscard]] std::int32_t current_device() noexcept {
  int device = 0;
  return hipGetDevice(&device) == hipSuccess ? device : 0;
}
[[nodiscard]] LaunchShape shape_of(const dim3& grid, const dim3& block,
                                   std::uint64_t bytes) noexcept {
  LaunchShape shape;
  const std::uint32_t blocks[] = {grid.x, grid.y, grid.z};
  const std::uint32_t threads[] = {block.x, block.y, block.z};
  for (int axis = 0; axis < 3; ++axis) {
    shape.grid[axis] = blocks[axis];
    shape.block[axis] = threads[axis];
  }
  shape.dynamic_shared = bytes;
  return shape;
}

/// What is to be done after a call has failed, on a thread of its own: what the watch asks the
/// runtime then must not take the place of the program's last error, which is its thread's.
template <class Body>
void aside(std::int32_t device, const Body& body) noexcept {
  try {
    std::thread([&] {
      inside = true;
      static_cast<void>(hipSetDevice(device));
      body();
    }).join();
  } catch (...) {  // no thread: the failure is the program's alone to tell
    return;
  }
}

/// A launch between its beginning and its end.
template <class Call>
hipError_t answered(Watcher& watch, LaunchSeen& seen, const Launch& asked,
                    const Call& call) noexcept {
  watch.launching(seen, asked);
  const hipError_t status = call();
  if (status == hipSuccess) {
    watch.launched(seen, status);
  } else {
    aside(asked.device, [&] { watch.launched(seen, status); });
  }
  return status;
}
/// A launch: `call()` is the program's.
template <class Call>
hipError_t launch(const void* handle, const LaunchShape& shape, hipStream_t stream,
                  const Call& call) noexcept {
  const Outermost outer;
  if (outer.watch() == nullptr) return call();
  LaunchSeen seen;
  Launch asked;
  asked.shape = shape;
  asked.function = handle;
  asked.stream = stream;
  asked.device = current_device();
  std::string name;
  asked.kernel = outer.watch()->kernel(handle, asked.device, [&] {
    name = HipKernels::get().name(handle);
    return name.c_str();
  });
  if (asked.kernel == nullptr) return call();
  outer.watch()->suspicions().legacy.launched(*asked.kernel, stream == nullptr);
  return answered(*outer.watch(), seen, asked, call);
}
/// A wait, of a stream or (nullptr) of a device.
template <class Call>
hipError_t wait(Name what, hipStream_t stream, WaitScope scope, const Call& call) noexcept {
  const Outermost outer;
  if (outer.watch() == nullptr) return call();
  WaitSeen seen;
  const std::int32_t device = current_device();
  outer.watch()->waiting(seen, what, stream, device);
  const hipError_t status = call();
  if (status == hipSuccess || status == hipErrorNotReady) {
    outer.watch()->waited(seen, hipSuccess, status == hipSuccess ? scope : WaitScope::nothing);
  } else {
    aside(device, [&] { outer.watch()->waited(seen, status, WaitScope::nothing); });
  }
  return status;
}
/// Any other call that may tell of a fault.
template <class Call>
hipError_t notice(Name what, const Call& call) noexcept {
  const Outermost outer;
  const std::int32_t device = outer.watch() != nullptr ? current_device() : 0;
  const hipError_t status = call();
  if (outer.watch() != nullptr && status != hipSuccess) {
    aside(device, [&] { outer.watch()->failed(status, what, Stage::runtime_call, device); });
  }
  return status;
}
void made(const Outermost& outer, hipError_t status, const hipStream_t* stream,
          unsigned flags) noexcept {
  if (outer.watch() == nullptr || status != hipSuccess) return;
  try {
    outer.watch()->streams().made(*stream, current_device(), (flags & hipStreamNonBlocking) != 0);
  } catch (...) {  // hints about it are missing
    return;
  }
}

}  // namespace
}  // namespace warpsafe::watch

using namespace warpsafe::watch;
using warpsafe::Name;

extern "C" {

// As the compiler's host code calls it (ROCm/clr hipamd/src/hip_platform.cpp); no header has it.
[[gnu::visibility("default")]] void __hipRegisterFunction(void** modules, const void* stub,
                                                          char* device_function,
                                                          const char* device_name,
                                                          unsigned thread_limit, void* thread_id,
                                                          void* block_id, dim3* block, dim3* grid,
                                                          int* warp_size) {
  try {
    HipKernels::get().of_program(stub, device_name);
  } catch (...) {  // then it has no name in texts
  }
  static void* const found = find_next("__hipRegisterFunction");
  if (found == nullptr) return;
  reinterpret_cast<decltype(&__hipRegisterFunction)>(found)(modules, stub, device_function,
                                                            device_name, thread_limit, thread_id,
                                                            block_id, block, grid, warp_size);
}
hipError_t hipModuleGetFunction(hipFunction_t* function, hipModule_t module, const char* name) {
  const hipError_t status = WARPSAFE_WATCH_NEXT(hipModuleGetFunction, function, module, name);
  try {
    if (status == hipSuccess) HipKernels::get().of_module(*function, name);
  } catch (...) {  // then it has no name in texts
  }
  return status;
}
hipError_t hipModuleUnload(hipModule_t module) {
  const hipError_t status = WARPSAFE_WATCH_NEXT(hipModuleUnload, module);
  HipKernels::get().forget_modules();
  if (Watcher* const watch = watcher()) watch->kernels().forget_handles();
  return status;
}

hipError_t hipLaunchKernel(const void* stub, dim3 grid, dim3 block, void** arguments,
                           std::size_t bytes, hipStream_t stream) {
  return launch(stub, shape_of(grid, block, bytes), stream, [&] {
    return WARPSAFE_WATCH_NEXT(hipLaunchKernel, stub, grid, block, arguments, bytes, stream);
  });
}
hipError_t hipExtLaunchKernel(const void* stub, dim3 grid, dim3 block, void** arguments,
                              std::size_t bytes, hipStream_t stream, hipEvent_t start,
                              hipEvent_t stop, int flags) {
  return launch(stub, shape_of(grid, block, bytes), stream, [&] {
    return WARPSAFE_WATCH_NEXT(hipExtLaunchKernel, stub, grid, block, arguments, bytes, stream,
                               start, stop, flags);
  });
}
hipError_t hipLaunchCooperativeKernel(const void* stub, dim3 grid, dim3 block, void** arguments,
                                      unsigned bytes, hipStream_t stream) {
  warpsafe::LaunchShape shape = shape_of(grid, block, bytes);
  shape.cooperative = true;
  return launch(stub, shape, stream, [&] {
    return WARPSAFE_WATCH_NEXT(hipLaunchCooperativeKernel, stub, grid, block, arguments, bytes,
                               stream);
  });
}
hipError_t hipModuleLaunchKernel(hipFunction_t function, unsigned grid_x, unsigned grid_y,
                                 unsigned grid_z, unsigned block_x, unsigned block_y,
                                 unsigned block_z, unsigned bytes, hipStream_t stream,
                                 void** arguments, void** extra) {
  return launch(
      function, shape_of(dim3(grid_x, grid_y, grid_z), dim3(block_x, block_y, block_z), bytes),
      stream, [&] {
        return WARPSAFE_WATCH_NEXT(hipModuleLaunchKernel, function, grid_x, grid_y, grid_z, block_x,
                                   block_y, block_z, bytes, stream, arguments, extra);
      });
}
hipError_t hipGraphAddKernelNode(hipGraphNode_t* node, hipGraph_t graph,
                                 const hipGraphNode_t* before, std::size_t count,
                                 const hipKernelNodeParams* of) {
  const auto call = [&] {
    return WARPSAFE_WATCH_NEXT(hipGraphAddKernelNode, node, graph, before, count, of);
  };
  hipError_t status = hipSuccess;
  {
    const Outermost outer;
    status = call();
  }
  if (status == hipSuccess || of == nullptr) return status;
  // It is judged as a launch that was refused so.
  return launch(of->func, shape_of(of->gridDim, of->blockDim, of->sharedMemBytes), nullptr,
                [&] { return status; });
}
hipError_t hipGraphLaunch(hipGraphExec_t graph, hipStream_t stream) {
  const Outermost outer;
  const auto call = [&] { return WARPSAFE_WATCH_NEXT(hipGraphLaunch, graph, stream); };
  if (outer.watch() == nullptr) return call();
  LaunchSeen seen;
  Launch asked;
  asked.is_graph = true;
  asked.stream = stream;
  asked.device = current_device();
  asked.kernel = outer.watch()->kernel(nullptr, asked.device, [] { return "graph"; });
  if (asked.kernel == nullptr) return call();
  return answered(*outer.watch(), seen, asked, call);
}

hipError_t hipStreamCreate(hipStream_t* stream) {
  const Outermost outer;
  const hipError_t status = WARPSAFE_WATCH_NEXT(hipStreamCreate, stream);
  made(outer, status, stream, 0);
  return status;
}
hipError_t hipStreamCreateWithFlags(hipStream_t* stream, unsigned flags) {
  const Outermost outer;
  const hipError_t status = WARPSAFE_WATCH_NEXT(hipStreamCreateWithFlags, stream, flags);
  made(outer, status, stream, flags);
  return status;
}
hipError_t hipStreamCreateWithPriority(hipStream_t* stream, unsigned flags, int priority) {
  const Outermost outer;
  const hipError_t status =
      WARPSAFE_WATCH_NEXT(hipStreamCreateWithPriority, stream, flags, priority);
  made(outer, status, stream, flags);
  return status;
}
hipError_t hipStreamDestroy(hipStream_t stream) {
  const Outermost outer;
  if (outer.watch() != nullptr) outer.watch()->streams().destroyed(stream);
  return WARPSAFE_WATCH_NEXT(hipStreamDestroy, stream);
}

hipError_t hipDeviceSynchronize() {
  return wait(Name::of("hipDeviceSynchronize"), nullptr, WaitScope::device, [] {
    static void* const found = find_next("hipDeviceSynchronize");
    return call_next(found);
  });
}
hipError_t hipStreamSynchronize(hipStream_t stream) {
  return wait(Name::of("hipStreamSynchronize"), stream, WaitScope::stream,
              [&] { return WARPSAFE_WATCH_NEXT(hipStreamSynchronize, stream); });
}
hipError_t hipStreamQuery(hipStream_t stream) {
  return wait(Name::of("hipStreamQuery"), stream, WaitScope::stream,
              [&] { return WARPSAFE_WATCH_NEXT(hipStreamQuery, stream); });
}
hipError_t hipEventSynchronize(hipEvent_t event) {
  return wait(Name::of("hipEventSynchronize"), nullptr, WaitScope::nothing,
              [&] { return WARPSAFE_WATCH_NEXT(hipEventSynchronize, event); });
}
hipError_t hipMemcpy(void* to, const void* from, std::size_t bytes, hipMemcpyKind kind) {
  return wait(Name::of("hipMemcpy"), nullptr, WaitScope::nothing,
              [&] { return WARPSAFE_WATCH_NEXT(hipMemcpy, to, from, bytes, kind); });
}
hipError_t hipMemcpyAsync(void* to, const void* from, std::size_t bytes, hipMemcpyKind kind,
                          hipStream_t stream) {
  return notice(Name::of("hipMemcpyAsync"),
                [&] { return WARPSAFE_WATCH_NEXT(hipMemcpyAsync, to, from, bytes, kind, stream); });
}
hipError_t hipMalloc(void** memory, std::size_t bytes) {
  return notice(Name::of("hipMalloc"),
                [&] { return WARPSAFE_WATCH_NEXT(hipMalloc, memory, bytes); });
}
hipError_t hipFree(void* memory) {
  return wait(Name::of("hipFree"), nullptr, WaitScope::nothing,
              [&] { return WARPSAFE_WATCH_NEXT(hipFree, memory); });
}

}  // extern "C"
