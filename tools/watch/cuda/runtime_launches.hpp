// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include "../core/call.hpp"
#include "../core/watcher.hpp"
#include "launches.hpp"
#include "thread_state.hpp"

#include <cuda_runtime_api.h>
#include <cupti.h>

#include <cstdint>

namespace warpsafe::watch {

/// The runtime's launches: it calls the driver in them, or refuses them itself.
class RuntimeLaunches {
 public:
  explicit RuntimeLaunches(Watcher& watcher) : watcher_(watcher) {}

  static void enter(ThreadState& mine, Call call, const CUpti_CallbackData& info) noexcept {
    mine.in_runtime = true;
    mine.driver_answered = false;
    if (call == Call::runtime_launch) {
      const auto& of = *static_cast<const cudaLaunchKernel_v7000_params*>(info.functionParams);
      mine.written = shape_of_runtime(of.gridDim, of.blockDim, of.sharedMem);
      mine.runtime_stream = of.stream;
      return;
    }
    const auto& of = *static_cast<const cudaLaunchKernelExC_v11060_params*>(info.functionParams);
    if (of.config == nullptr) return;
    mine.written =
        shape_of_runtime(of.config->gridDim, of.config->blockDim, of.config->dynamicSmemBytes);
    mine.runtime_stream = of.config->stream;
  }
  void leave(ThreadState& mine, std::int32_t device, const CUpti_CallbackData& info) noexcept {
    mine.in_runtime = false;
    const int status = *static_cast<const int*>(info.functionReturnValue);
    if (status == 0 || mine.driver_answered) return;
    Launch launch;
    launch.device = device;
    launch.stream = mine.runtime_stream;
    launch.shape = mine.written;
    launch.kernel = watcher_.kernel(nullptr, device, [&] { return info.symbolName; });
    if (launch.kernel == nullptr) return;
    watcher_.launching(mine.launch, launch);
    watcher_.launched(mine.launch, status);
  }

 private:
  Watcher& watcher_;
};

}  // namespace warpsafe::watch
