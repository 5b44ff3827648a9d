// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include "../core/call/memory_kind.hpp"
#include "../core/call/stream_calls.hpp"
#include "../core/stream/captures.hpp"
#include "../core/watcher.hpp"
#include "driver.hpp"
#include "graphs.hpp"
#include "known_call.hpp"
#include "launch_calls.hpp"
#include "libraries.hpp"
#include "node_calls.hpp"
#include "read_call.hpp"
#include "runtime_launches.hpp"
#include "thread_state.hpp"

#include <cuda.h>
#include <cupti.h>

#include <cstdint>
#include <utility>

namespace warpsafe::watch {

/// Turns CUPTI's callbacks into calls of the watch.
class Session {
 public:
  Session(const Platform& platform, Options options) : watcher_(platform, std::move(options)) {}
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;
  [[nodiscard]] Watcher& watcher() noexcept { return watcher_; }

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
      launches_.leave(mine, known, device, info, status_of(info));
    }
  }
  /// Call for a launch of the runtime.
  void runtime_call(ThreadState& mine, Call call, const CUpti_CallbackData& info) noexcept {
    if (info.callbackSite == CUPTI_API_ENTER) {
      RuntimeLaunches::enter(mine, call, info);
    } else {
      in_runtime_.leave(mine, call, device_of(mine, info), info);
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
      calls_.begin(mine.wait, read_call(known, device, info, false));
      return;
    }
    const CUresult status = status_of(info);
    if (nodes_.leave(mine, known, device, info, status)) return;
    calls_.end(mine.wait, read_call(known, device, info, status == CUDA_SUCCESS), status);
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
  LaunchCalls launches_{watcher_, captures_, graphs_};
  NodeCalls nodes_{watcher_, graphs_};
  RuntimeLaunches in_runtime_{watcher_};
  StreamCalls calls_{watcher_, captures_, &kind_of,
                     []() noexcept { return has_library(cuda_libraries); }};
};

}  // namespace warpsafe::watch
