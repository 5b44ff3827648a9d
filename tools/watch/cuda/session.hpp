// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include "../core/watcher.hpp"
#include "calls.hpp"
#include "driver.hpp"
#include "launches.hpp"

#include <cuda.h>
#include <cupti.h>

#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <vector>

namespace warpsafe::watch {

/// What CUPTI tells of the program's calls, made into what the watch takes.
class Session {
 public:
  Session(const Platform& platform, Options options) : watcher_(platform, std::move(options)) {}
  [[nodiscard]] Watcher& watcher() noexcept { return watcher_; }

  /// A call of the driver, at its beginning or its end. Not for calls of the watch's own.
  void driver_call(const KnownCall& known, const CUpti_CallbackData& info) noexcept {
    const std::int32_t device = device_of(info);
    if (info.callbackSite == CUPTI_API_ENTER) {
      enter(known, device, info);
    } else {
      leave(known, device, info, *static_cast<const CUresult*>(info.functionReturnValue));
    }
  }
  /// A launch of the runtime's, which calls the driver in it, or refuses it itself.
  void runtime_call(Call call, const CUpti_CallbackData& info) noexcept {
    Thread& mine = thread();
    if (info.callbackSite == CUPTI_API_ENTER) {
      mine.in_runtime = true;
      mine.driver_answered = false;
      if (call == Call::runtime_launch) {
        const auto& of = *static_cast<const cudaLaunchKernel_v7000_params*>(info.functionParams);
        mine.written = shape_of_runtime(of.gridDim, of.blockDim, of.sharedMem);
        mine.runtime_stream = of.stream;
      } else {
        const auto& of =
            *static_cast<const cudaLaunchKernelExC_v11060_params*>(info.functionParams);
        if (of.config != nullptr) {
          mine.written = shape_of_runtime(of.config->gridDim, of.config->blockDim,
                                          of.config->dynamicSmemBytes);
          mine.runtime_stream = of.config->stream;
        }
      }
      return;
    }
    mine.in_runtime = false;
    const int status = *static_cast<const int*>(info.functionReturnValue);
    if (status == 0 || mine.driver_answered) return;
    Launch launch;
    launch.device = device_of(info);
    launch.stream = mine.runtime_stream;
    launch.shape = mine.written;
    launch.kernel = watcher_.kernel(nullptr, launch.device, [&] { return info.symbolName; });
    if (launch.kernel == nullptr) return;
    watcher_.launching(mine.launch, launch);
    watcher_.launched(mine.launch, status);
  }

  void stream_made(CUstream stream, CUcontext context) noexcept {
    static_cast<void>(context);
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
  /// What a thread is in. Calls of the driver do not nest in each other.
  struct Thread {
    LaunchSeen launch;
    WaitSeen wait;
    bool launching = false;
    bool in_runtime = false;
    bool driver_answered = false;
    LaunchShape written;
    const void* runtime_stream = nullptr;
    std::uint32_t context = ~0U;
    std::int32_t device = 0;
  };
  [[nodiscard]] static Thread& thread() noexcept {
    thread_local Thread mine;
    return mine;
  }

  [[nodiscard]] static std::int32_t device_of(const CUpti_CallbackData& info) noexcept {
    Thread& mine = thread();
    if (info.context == nullptr) return mine.device;
    if (mine.context != info.contextUid) {
      int device = 0;
      if (call_driver(&Driver::context_device, &device) != CUDA_SUCCESS) return mine.device;
      mine.device = device;
      mine.context = info.contextUid;
    }
    return mine.device;
  }
  /// Whether it is the legacy default stream.
  [[nodiscard]] static bool is_legacy(CUstream stream, bool per_thread) noexcept {
    return stream == CU_STREAM_LEGACY || (stream == nullptr && !per_thread);
  }
  [[nodiscard]] static const void* name_of(CUstream stream, bool per_thread) noexcept {
    if (is_legacy(stream, per_thread)) return nullptr;
    return stream == nullptr ? CU_STREAM_PER_THREAD : stream;
  }
  /// Of a wait for the legacy default stream: it waits for the device where no stream is apart.
  [[nodiscard]] WaitScope scope_of(CUstream stream, bool per_thread, std::int32_t device) {
    if (!is_legacy(stream, per_thread)) return WaitScope::stream;
    return watcher_.streams().any_apart(device) ? WaitScope::stream : WaitScope::device;
  }

  [[nodiscard]] Kernel* kernel_of(CUfunction function, std::int32_t device, const char* symbol) {
    return watcher_.kernel(function, device, [&] {
      const char* name = symbol;
      if (name == nullptr) static_cast<void>(call_driver(&Driver::function_name, &name, function));
      return name;
    });
  }
  [[nodiscard]] Launch launch_of(CUfunction function, const LaunchShape& shape, CUstream stream,
                                 bool per_thread, std::int32_t device, const char* symbol) {
    Launch launch;
    launch.shape = shape;
    launch.function = function;
    launch.stream = name_of(stream, per_thread);
    launch.device = device;
    launch.kernel = kernel_of(function, device, symbol);
    // What the runtime was given before it cut it to 32 bits.
    const Thread& mine = thread();
    if (mine.in_runtime &&
        static_cast<std::uint32_t>(mine.written.dynamic_shared) == shape.dynamic_shared) {
      launch.shape.dynamic_shared = mine.written.dynamic_shared;
    }
    return launch;
  }

  void begin_launch(const Launch& launch, bool legacy) noexcept {
    Thread& mine = thread();
    if (launch.kernel == nullptr) return;
    watcher_.suspicions().launched(*launch.kernel, legacy);
    watcher_.launching(mine.launch, launch);
    mine.launching = true;
  }
  void end_launch(CUstream stream, CUresult status) noexcept {
    Thread& mine = thread();
    if (!mine.launching) return;
    mine.launching = false;
    mine.driver_answered = true;
    if (status == CUDA_SUCCESS && __atomic_load_n(&captures_, __ATOMIC_RELAXED) != 0) {
      CUstreamCaptureStatus capturing = CU_STREAM_CAPTURE_STATUS_NONE;
      if (call_driver(&Driver::stream_capturing, stream, &capturing) == CUDA_SUCCESS &&
          capturing != CU_STREAM_CAPTURE_STATUS_NONE) {
        watcher_.not_launched(mine.launch);
        return;
      }
    }
    watcher_.launched(mine.launch, status);
  }

  template <class Parameters>
  [[nodiscard]] static const Parameters& read(const CUpti_CallbackData& info) noexcept {
    return *static_cast<const Parameters*>(info.functionParams);
  }

  void enter(const KnownCall& known, std::int32_t device, const CUpti_CallbackData& info) noexcept {
    Thread& mine = thread();
    const bool per_thread = known.per_thread;
    const auto wait_for = [&](CUstream stream) {
      watcher_.waiting(mine.wait, known.name, name_of(stream, per_thread), device);
    };
    switch (known.call) {
      case Call::launch: {
        const auto& of = read<cuLaunchKernel_params>(info);
        begin_launch(launch_of(of.f, shape_of_parameters(of), of.hStream, per_thread, device,
                               info.symbolName),
                     is_legacy(of.hStream, per_thread));
        break;
      }
      case Call::launch_cooperative: {
        const auto& of = read<cuLaunchCooperativeKernel_params>(info);
        LaunchShape shape = shape_of_parameters(of);
        shape.cooperative = true;
        begin_launch(launch_of(of.f, shape, of.hStream, per_thread, device, info.symbolName),
                     is_legacy(of.hStream, per_thread));
        break;
      }
      case Call::launch_ex: {
        const auto& of = read<cuLaunchKernelEx_params>(info);
        if (of.config == nullptr) break;
        begin_launch(launch_of(of.f, shape_of_config(*of.config), of.config->hStream, per_thread,
                               device, info.symbolName),
                     is_legacy(of.config->hStream, per_thread));
        break;
      }
      case Call::graph_launch: {
        const auto& of = read<cuGraphLaunch_params>(info);
        Launch launch;
        launch.is_graph = true;
        launch.stream = name_of(of.hStream, per_thread);
        launch.device = device;
        launch.kernel = graph(of.hGraph, device);
        begin_launch(launch, is_legacy(of.hStream, per_thread));
        break;
      }
      case Call::wait_stream:
      case Call::query_stream:
        wait_for(read<cuStreamSynchronize_params>(info).hStream);
        break;
      case Call::wait_device:
      case Call::wait_event:
      case Call::copy_in:
      case Call::copy_out:
      case Call::wait_copy:
      case Call::free:
        wait_for(nullptr);
        break;
      default:
        break;
    }
  }

  void leave(const KnownCall& known, std::int32_t device, const CUpti_CallbackData& info,
             CUresult status) noexcept {
    Thread& mine = thread();
    const bool per_thread = known.per_thread;
    const auto end_wait = [&](WaitScope scope) { watcher_.waited(mine.wait, status, scope); };
    const auto refused_node = [&](const CUDA_KERNEL_NODE_PARAMS* node) {
      if (status == CUDA_SUCCESS || node == nullptr) return false;
      const CUfunction function =
          node->func != nullptr ? node->func : reinterpret_cast<CUfunction>(node->kern);
      const Launch launch =
          launch_of(function, shape_of_parameters(*node), nullptr, false, device, nullptr);
      if (launch.kernel == nullptr) return false;
      watcher_.launching(mine.launch, launch);
      watcher_.launched(mine.launch, status);
      return true;
    };
    switch (known.call) {
      case Call::launch:
        return end_launch(read<cuLaunchKernel_params>(info).hStream, status);
      case Call::launch_cooperative:
        return end_launch(read<cuLaunchCooperativeKernel_params>(info).hStream, status);
      case Call::launch_ex:
        if (const CUlaunchConfig* const config = read<cuLaunchKernelEx_params>(info).config) {
          end_launch(config->hStream, status);
        }
        return;
      case Call::graph_launch:
        return end_launch(read<cuGraphLaunch_params>(info).hStream, status);
      case Call::graph_add:
        if (refused_node(read<cuGraphAddKernelNode_v2_params>(info).nodeParams)) return;
        break;
      case Call::graph_add_node:
        if (const CUgraphNodeParams* const node = read<cuGraphAddNode_v2_params>(info).nodeParams;
            node != nullptr && node->type == CU_GRAPH_NODE_TYPE_KERNEL) {
          CUDA_KERNEL_NODE_PARAMS same{};
          same.func = node->kernel.func;
          same.kern = node->kernel.kern;
          same.gridDimX = node->kernel.gridDimX;
          same.gridDimY = node->kernel.gridDimY;
          same.gridDimZ = node->kernel.gridDimZ;
          same.blockDimX = node->kernel.blockDimX;
          same.blockDimY = node->kernel.blockDimY;
          same.blockDimZ = node->kernel.blockDimZ;
          same.sharedMemBytes = node->kernel.sharedMemBytes;
          if (refused_node(&same)) return;
        }
        break;
      case Call::graph_set:
        if (refused_node(read<cuGraphKernelNodeSetParams_v2_params>(info).nodeParams)) return;
        break;
      case Call::graph_exec_set:
        if (refused_node(read<cuGraphExecKernelNodeSetParams_v2_params>(info).nodeParams)) return;
        break;
      case Call::graph_instantiate: {
        const auto& of = read<cuGraphInstantiateWithFlags_params>(info);
        if (status == CUDA_SUCCESS && of.phGraphExec != nullptr) {
          instantiated(*of.phGraphExec, of.hGraph, device);
        }
        break;
      }
      case Call::wait_stream: {
        const CUstream stream = read<cuStreamSynchronize_params>(info).hStream;
        return end_wait(scope_of(stream, per_thread, device));
      }
      case Call::query_stream: {
        const CUstream stream = read<cuStreamSynchronize_params>(info).hStream;
        return end_wait(scope_of(stream, per_thread, device));
      }
      case Call::wait_device:
        return end_wait(WaitScope::device);
      case Call::wait_event:
      case Call::wait_copy:
        return end_wait(WaitScope::nothing);
      case Call::copy_in: {
        const auto& of = read<cuMemcpyHtoD_v2_params>(info);
        copied(of.dstDevice, of.ByteCount);
        return end_wait(WaitScope::nothing);
      }
      case Call::copy_out: {
        const auto& of = read<cuMemcpyDtoH_v2_params>(info);
        copied(of.srcDevice, of.ByteCount);
        return end_wait(scope_of(nullptr, per_thread, device));
      }
      case Call::copy_in_async: {
        const auto& of = read<cuMemcpyHtoDAsync_v2_params>(info);
        copied(of.dstDevice, of.ByteCount);
        break;
      }
      case Call::copy_out_async: {
        const auto& of = read<cuMemcpyDtoHAsync_v2_params>(info);
        copied(of.srcDevice, of.ByteCount);
        break;
      }
      case Call::allocate: {
        const auto& of = read<cuMemAlloc_v2_params>(info);
        if (status == CUDA_SUCCESS && of.dptr != nullptr && !watcher_.quiet()) {
          try {
            watcher_.suspicions().allocated(*of.dptr, of.bytesize);
          } catch (...) {  // nothing is suspected of it
            break;
          }
        }
        break;
      }
      case Call::free:
        if (!watcher_.quiet()) watcher_.suspicions().freed(read<cuMemFree_v2_params>(info).dptr);
        return end_wait(WaitScope::nothing);
      case Call::begin_capture:
        if (status == CUDA_SUCCESS) __atomic_add_fetch(&captures_, 1, __ATOMIC_RELAXED);
        break;
      case Call::end_capture:
        if (__atomic_load_n(&captures_, __ATOMIC_RELAXED) > 0) {
          __atomic_sub_fetch(&captures_, 1, __ATOMIC_RELAXED);
        }
        break;
      case Call::unload:
        watcher_.kernels().forget_handles();
        break;
      default:
        break;
    }
    if (status != CUDA_SUCCESS) {
      watcher_.failed(status, known.name, Stage::runtime_call, device);
    }
  }

  void copied(CUdeviceptr memory, std::size_t bytes) noexcept {
    if (!watcher_.quiet()) watcher_.suspicions().copied(memory, bytes);
  }

  /// An executable graph, with the names of its kernels.
  void instantiated(CUgraphExec executable, CUgraph graph, std::int32_t device) noexcept {
    try {
      std::size_t count = 0;
      if (call_driver(&Driver::graph_nodes, graph, static_cast<CUgraphNode*>(nullptr), &count) !=
          CUDA_SUCCESS) {
        return;
      }
      std::vector<CUgraphNode> nodes(count);
      if (count != 0 &&
          call_driver(&Driver::graph_nodes, graph, nodes.data(), &count) != CUDA_SUCCESS) {
        return;
      }
      std::string names;
      std::size_t kernels = 0;
      for (const CUgraphNode node : nodes) {
        CUgraphNodeType type{};
        CUDA_KERNEL_NODE_PARAMS of{};
        if (call_driver(&Driver::node_type, node, &type) != CUDA_SUCCESS ||
            type != CU_GRAPH_NODE_TYPE_KERNEL) {
          continue;
        }
        ++kernels;
        if (names.size() > longest_name ||
            call_driver(&Driver::kernel_node, node, &of) != CUDA_SUCCESS) {
          continue;
        }
        const CUfunction function =
            of.func != nullptr ? of.func : reinterpret_cast<CUfunction>(of.kern);
        if (const Kernel* const one = kernel_of(function, device, nullptr)) {
          names += (names.empty() ? ": " : ", ") + one->name;
        }
      }
      const std::string name = "graph of " + std::to_string(kernels) + " kernels" + names;
      Kernel* const made = watcher_.kernel(nullptr, device, [&] { return name.c_str(); });
      const std::lock_guard lock(mutex_);
      graphs_[executable] = made;
    } catch (...) {  // it is launched without its kernels' names
      return;
    }
  }
  [[nodiscard]] Kernel* graph(CUgraphExec executable, std::int32_t device) {
    {
      const std::lock_guard lock(mutex_);
      const auto found = graphs_.find(executable);
      if (found != graphs_.end() && found->second != nullptr) return found->second;
    }
    return watcher_.kernel(nullptr, device, [] { return "graph"; });
  }

  Watcher watcher_;
  int captures_ = 0;  ///< that are open
  std::mutex mutex_;
  std::map<CUgraphExec, Kernel*> graphs_;
};

}  // namespace warpsafe::watch
