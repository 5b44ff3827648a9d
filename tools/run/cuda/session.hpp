// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include "../core/call/memory_kind.hpp"
#include "../core/call/pool_calls.hpp"
#include "../core/call/stream_calls.hpp"
#include "../core/library/library_calls.hpp"
#include "../core/own_stack.hpp"
#include "../core/stream/captures.hpp"
#include "../core/watcher.hpp"
#include "driver.hpp"
#include "functions.hpp"
#include "graphs.hpp"
#include "guard_calls.hpp"
#include "known_call.hpp"
#include "launch_calls.hpp"
#include "libraries.hpp"
#include "library/library_families.hpp"
#include "node_calls.hpp"
#include "read_call.hpp"
#include "read_runtime_call.hpp"
#include "runtime_launches.hpp"
#include "step_calls.hpp"
#include "thread_state.hpp"
#include <warpsafe/tool_api.hpp>

#include <cuda.h>
#include <cupti.h>

#include <cstdint>
#include <string>
#include <utility>

namespace warpsafe::watch {

/// Turns CUPTI's callbacks into calls of the watch.
class Session {
 public:
  Session(const Platform& platform, Options options) : watcher_(platform, std::move(options)) {}
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;
  [[nodiscard]] Watcher& watcher() noexcept { return watcher_; }
  [[nodiscard]] GuardCalls& guard() noexcept { return guard_; }
  [[nodiscard]] PoolCalls& pools() noexcept { return pools_; }
  [[nodiscard]] LibraryCalls& libraries() noexcept { return libraries_; }

  /// Call at the beginning and the end of a driver call, but not for calls made by the watch
  /// itself.
  void driver_call(ThreadState& mine, const KnownCall& known,
                   const CUpti_CallbackData& info) noexcept {
    const std::int32_t device = device_of(mine, info);
    if (!LaunchCalls::is_launch(known.call)) {
      other_call(mine, known, device, info);
    } else if (info.callbackSite == CUPTI_API_ENTER) {
      launches_.enter(mine, known, device, info);
    } else {
      if (guard_.on() && mine.launching) guard_.launched(*mine.launch.launch.kernel);
      launches_.leave(mine, known, device, info, status_of(info));
    }
  }
  /// Call at the beginning and the end of a runtime's call.
  void runtime_call(ThreadState& mine, const KnownCall& known,
                    const CUpti_CallbackData& info) noexcept {
    if (!is_runtime_launch(known.call)) {
      other_runtime_call(mine, known, info);
    } else if (info.callbackSite == CUPTI_API_ENTER) {
      RuntimeLaunches::enter(mine, known.call, info);
    } else {
      in_runtime_.leave(mine, known.call, device_of(mine, info), info);
    }
  }

  [[gnu::noinline]] void stream_created(CUstream stream) noexcept {
    if (stream == nullptr) return;
    unsigned flags = 0;
    int device = 0;
    static_cast<void>(call_driver(&Driver::stream_flags, stream, &flags));
    static_cast<void>(call_driver(&Driver::context_device, &device));
    try {
      watcher_.streams().made(stream, device, (flags & CU_STREAM_NON_BLOCKING) != 0);
    } catch (...) {  // out of memory: the stream gives no hints
      return;
    }
  }
  /// Call when the driver has loaded machine code, compiled from PTX too.
  [[gnu::noinline]] void module_loaded(const CUpti_ResourceData& resource) noexcept {
    const auto* const module =
        static_cast<const CUpti_ModuleResourceData*>(resource.resourceDescriptor);
    if (!watcher_.reads_code() || module == nullptr || module->pCubin == nullptr) return;
    try {
      codes_.loaded({reinterpret_cast<const unsigned char*>(module->pCubin), module->cubinSize});
    } catch (...) {  // out of memory: these kernels count as ones whose code is unknown
      return;
    }
  }
  [[gnu::noinline]] void stream_destroyed(CUstream stream) noexcept {
    watcher_.streams().destroyed(stream);
  }

 private:
  [[nodiscard]] static CUresult status_of(const CUpti_CallbackData& info) noexcept {
    return *static_cast<const CUresult*>(info.functionReturnValue);
  }
  /// Kept separate, so that a launch does not pay for it.
  [[gnu::noinline]] void other_call(ThreadState& mine, const KnownCall& known, std::int32_t device,
                                    const CUpti_CallbackData& info) noexcept {
    if (info.callbackSite == CUPTI_API_ENTER) {
      libraries_.look();
      if (guard_.on()) guard_.enter(mine, known, device, info, captures_.any());
      if (steps_.on()) steps_.enter(mine, known, info);
      // The driver reads the parameters of a kernel node unchecked.
      if (known.call == Call::graph_add) watcher_.expect_end();
      if (StreamCalls::frees(known.call)) mine.allocations = calls_.allocations();
      nodes_.enter(known, info,
                   mine.runtime_call != nullptr ? mine.runtime_call->name : known.name);
      StreamCall of = read_call(known, device, info, CallStage::begins);
      if (mine.runtime_call != nullptr) of.outer = mine.runtime_call->name;
      calls_.begin(mine.wait, of);
      return;
    }
    const CUresult status = status_of(info);
    if (known.call == Call::address_range) return guard_.hide_zone(info, status);
    // A capture may have begun on another thread meanwhile.
    if (guard_.on() && (mine.guarded != 0 || known.call == Call::allocate ||
                        known.call == Call::allocate_async || !captures_.any()))
      guard_.leave(mine, known, device, info, status);
    const bool is_done = nodes_.leave(mine, known, device, info, status);
    if (steps_.on()) steps_.leave(mine, known, device, info, status);
    if (is_done) return;
    const bool inner = mine.runtime_call != nullptr || mine.in_runtime;
    if (inner && status != CUDA_SUCCESS) keep_log(mine);
    StreamCall of = read_call(known, device, info,
                              status == CUDA_SUCCESS ? CallStage::done : CallStage::failed);
    if (mine.runtime_call != nullptr) of.outer = mine.runtime_call->name;
    if (StreamCalls::frees(known.call)) of.number_of_memory = mine.allocations;
    if (status == CUDA_SUCCESS) keep_function(mine, known, info);
    // From here on the host may access device memory by mistake.
    if (known.call == Call::allocate && status == CUDA_SUCCESS) watcher_.expect_end();
    calls_.end(mine.wait, of, status, inner);
  }
  void keep_function(const ThreadState& mine, const KnownCall& known,
                     const CUpti_CallbackData& info) noexcept {
    try {
      if (known.call == Call::unload) functions_.unloaded(known.name);
      if (known.call != Call::find_function) return;
      const auto& is = detail::parameters_as<cuModuleGetFunction_params>(info);
      if (is.hfunc != nullptr) functions_.found(*is.hfunc, is.name, mine.context);
    } catch (...) {  // out of memory: reports say less
      return;
    }
  }
  /// The runtime reports a failure by its own function, and with what the driver has said.
  [[gnu::noinline]] void other_runtime_call(ThreadState& mine, const KnownCall& known,
                                            const CUpti_CallbackData& info) noexcept {
    if (info.callbackSite == CUPTI_API_ENTER) {
      mine.runtime_call = &known;
      mine.log[0] = '\0';
      return;
    }
    mine.runtime_call = nullptr;
    const int status = *static_cast<const int*>(info.functionReturnValue);
    if (status == 0) return;
    const std::int32_t device = device_of(mine, info);
    calls_.failed(read_runtime_call(known, device, info), status, mine.log);
  }
  /// When the runtime's call ends, the driver's log has a further line.
  [[gnu::cold, gnu::noinline]] void keep_log(ThreadState& mine) noexcept {
    run_on_large_stack([&]() noexcept {
      const std::string log = watcher_.platform().log();
      tool::TextBuffer(mine.log, sizeof mine.log).one_line(Name::of(log.c_str()));
    });
  }
  [[nodiscard]] static std::int32_t device_of(ThreadState& mine,
                                              const CUpti_CallbackData& info) noexcept {
    if (info.context == nullptr) return mine.device;
    if (mine.context != info.contextUid) {
      int device = 0;
      if (call_driver(&Driver::context_device, &device) != CUDA_SUCCESS) return mine.device;
      mine.device = device;
      mine.context = info.contextUid;
    }
    return mine.device;
  }

  /// Returns what the driver knows about an address.
  [[nodiscard]] static MemoryKind kind_of(std::uintptr_t memory) noexcept {
    unsigned kind = 0;
    if (call_driver(&Driver::pointer_attribute, static_cast<void*>(&kind),
                    CU_POINTER_ATTRIBUTE_MEMORY_TYPE, CUdeviceptr{memory}) != CUDA_SUCCESS ||
        kind == 0) {
      return MemoryKind::ordinary;
    }
    return kind == CU_MEMORYTYPE_DEVICE ? MemoryKind::device : MemoryKind::pinned;
  }
  [[nodiscard]] static bool is_capturing(const void* stream) noexcept {
    CUstreamCaptureStatus capturing = CU_STREAM_CAPTURE_STATUS_NONE;
    return call_driver(&Driver::stream_capturing, static_cast<CUstream>(const_cast<void*>(stream)),
                       &capturing) == CUDA_SUCCESS &&
           capturing != CU_STREAM_CAPTURE_STATUS_NONE;
  }

  Watcher watcher_;
  Captures captures_{&is_capturing};
  Graphs graphs_{watcher_};
  Functions functions_{watcher_};
  GuardCalls guard_{watcher_, watcher_.options().guard};
  KernelCodes codes_;
  LaunchWaits waits_{watcher_};
  StepCalls steps_{watcher_, waits_, graphs_};
  LaunchCalls launches_{watcher_, captures_, graphs_, functions_, codes_, waits_, steps_.steps()};
  NodeCalls nodes_{watcher_, graphs_};
  PoolCalls pools_{watcher_, captures_};
  LibraryCalls libraries_{watcher_, cuda_families, cuda_inside};
  RuntimeLaunches in_runtime_{watcher_};
  StreamCalls calls_{watcher_, captures_, &kind_of,
                     []() noexcept { return has_library(cuda_libraries); }};
};

}  // namespace warpsafe::watch
