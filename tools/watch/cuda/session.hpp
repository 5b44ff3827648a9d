// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include "../core/watcher.hpp"
#include "captures.hpp"
#include "driver.hpp"
#include "graphs.hpp"
#include "known_call.hpp"
#include "launch_calls.hpp"
#include "memory_calls.hpp"
#include "node_calls.hpp"
#include "order_calls.hpp"
#include "runtime_launches.hpp"
#include "stream_names.hpp"
#include "thread_state.hpp"

#include <cuda.h>
#include <cupti.h>

#include <cstdint>
#include <utility>

namespace warpsafe::watch {

/// What CUPTI tells of the program's calls, made into what the watch takes.
class Session {
 public:
  Session(const Platform& platform, Options options) : watcher_(platform, std::move(options)) {}
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;
  [[nodiscard]] Watcher& watcher() noexcept { return watcher_; }

  /// A call of the driver, at its beginning or its end. Not for calls of the watch's own.
  void driver_call(ThreadState& mine, const KnownCall& known,
                   const CUpti_CallbackData& info) noexcept {
    const std::int32_t device = device_of(mine, info);
    if (info.callbackSite == CUPTI_API_ENTER) {
      if (!launches_.enter(mine, known, device, info)) begin_wait(mine, known, device, info);
      return;
    }
    const auto status = *static_cast<const CUresult*>(info.functionReturnValue);
    if (launches_.leave(mine, known, device, info, status)) return;
    if (nodes_.leave(mine, known, device, info, status)) return;
    // A capture that failed has ended, too.
    if (known.call == Call::end_capture) captures_.ended();
    const bool waited = end_wait(mine, known, device, info, status);
    if (status == CUDA_SUCCESS) {
      done(known, device, info);
    } else if (!waited) {
      watcher_.failed(status, known.name, Stage::runtime_call, device);
    }
  }
  /// A launch of the runtime's.
  void runtime_call(ThreadState& mine, Call call, const CUpti_CallbackData& info) noexcept {
    if (info.callbackSite == CUPTI_API_ENTER) {
      RuntimeLaunches::enter(mine, call, info);
    } else {
      in_runtime_.leave(mine, device_of(mine, info), info);
    }
  }

  void stream_made(CUstream stream) noexcept {
    if (stream == nullptr) return;
    unsigned flags = 0;
    int device = 0;
    static_cast<void>(call_driver(&Driver::stream_flags, stream, &flags));
    static_cast<void>(call_driver(&Driver::context_device, &device));
    try {
      watcher_.streams().made(stream, device, (flags & CU_STREAM_NON_BLOCKING) != 0);
    } catch (...) {  // then hints about it are missing
      return;
    }
  }
  void stream_gone(CUstream stream) noexcept { watcher_.streams().destroyed(stream); }

 private:
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

  void begin_wait(ThreadState& mine, const KnownCall& known, std::int32_t device,
                  const CUpti_CallbackData& info) noexcept {
    const void* stream = nullptr;
    switch (known.call) {
      case Call::wait_stream:
      case Call::query_stream:
        stream = name_of(stream_of(info), known.per_thread);
        break;
      case Call::wait_device:
      case Call::wait_event:
      case Call::copy_in:
      case Call::copy_out:
      case Call::wait_copy:
      case Call::copy_any:
      case Call::free:
        break;
      default:
        return;
    }
    watcher_.waiting(mine.wait, known.name, stream, device);
  }
  /// Whether the call is one that waits.
  bool end_wait(ThreadState& mine, const KnownCall& known, std::int32_t device,
                const CUpti_CallbackData& info, CUresult status) noexcept {
    WaitScope scope = WaitScope::nothing;
    switch (known.call) {
      case Call::wait_stream:
      case Call::query_stream:
        scope = scope_of(stream_of(info), known.per_thread, device);
        break;
      case Call::copy_out:
        scope = scope_of(nullptr, known.per_thread, device);
        break;
      case Call::wait_device:
        scope = WaitScope::device;
        break;
      case Call::wait_event:
      case Call::copy_in:
      case Call::wait_copy:
      case Call::copy_any:
      case Call::free:
        break;
      default:
        return false;
    }
    watcher_.waited(mine.wait, status, scope);
    return true;
  }
  [[nodiscard]] static CUstream stream_of(const CUpti_CallbackData& info) noexcept {
    return static_cast<const cuStreamSynchronize_params*>(info.functionParams)->hStream;
  }
  /// Of a wait for the legacy default stream: it waits for the device where no stream is apart.
  [[nodiscard]] WaitScope scope_of(CUstream stream, bool per_thread, std::int32_t device) noexcept {
    if (!is_legacy(stream, per_thread)) return WaitScope::stream;
    return watcher_.streams().any_apart(device) ? WaitScope::stream : WaitScope::device;
  }

  /// The driver took the call, which is no launch.
  void done(const KnownCall& known, std::int32_t device, const CUpti_CallbackData& info) noexcept {
    if (known.call == Call::begin_capture) captures_.begun();
    if (known.call == Call::unload) watcher_.kernels().forget_handles();
    if (watcher_.quiet()) return;
    try {
      memory_.done(known, device, info);
      order_.done(known, device, info);
    } catch (...) {  // without memory nothing more is suspected
      watcher_.suspicions().order.give_up();
    }
  }

  Watcher watcher_;
  Captures captures_;
  Graphs graphs_{watcher_};
  LaunchCalls launches_{watcher_, captures_, graphs_};
  NodeCalls nodes_{watcher_, graphs_};
  RuntimeLaunches in_runtime_{watcher_};
  MemoryCalls memory_{watcher_, captures_};
  OrderCalls order_{watcher_, captures_};
};

}  // namespace warpsafe::watch
