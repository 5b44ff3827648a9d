// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include "../core/call/call.hpp"
#include "../core/watcher.hpp"
#include "launches.hpp"
#include "thread_state.hpp"

#include <cuda_runtime_api.h>
#include <cupti.h>

#include <cstdint>

namespace warpsafe::watch {

/// Handles the runtime's launches. The runtime either calls the driver or refuses the launch
/// itself.
class RuntimeLaunches {
 public:
  explicit RuntimeLaunches(Watcher& watcher) : watcher_(watcher) {}

  static void enter(ThreadState& mine, Call call, const CUpti_CallbackData& info) noexcept {
    mine.in_runtime = true;
    mine.driver_answered = false;
    if (call == Call::runtime_launch) {
      mine.runtime_shared = parameters(info).sharedMem;
    } else if (const cudaLaunchConfig_t* const config = config_of(info)) {
      mine.runtime_shared = config->dynamicSmemBytes;
    }
  }
  void leave(ThreadState& mine, Call call, std::int32_t device,
             const CUpti_CallbackData& info) noexcept {
    mine.in_runtime = false;
    const int status = *static_cast<const int*>(info.functionReturnValue);
    if (status != 0 && !mine.driver_answered) refused(mine, call, device, info, status);
  }

 private:
  /// The parameters of cudaLaunchKernel and of the cooperative variant, which has the same layout.
  [[nodiscard]] static const cudaLaunchKernel_v7000_params& parameters(
      const CUpti_CallbackData& info) noexcept {
    return *static_cast<const cudaLaunchKernel_v7000_params*>(info.functionParams);
  }
  /// The configuration of cudaLaunchKernelExC; nullptr: the program passed none.
  [[nodiscard]] static const cudaLaunchConfig_t* config_of(
      const CUpti_CallbackData& info) noexcept {
    return static_cast<const cudaLaunchKernelExC_v11060_params*>(info.functionParams)->config;
  }
  /// The runtime refused the launch without calling the driver.
  [[gnu::cold, gnu::noinline]] void refused(ThreadState& mine, Call call, std::int32_t device,
                                            const CUpti_CallbackData& info, int status) noexcept {
    Launch launch;
    launch.device = device;
    const void* function = nullptr;
    if (call == Call::runtime_launch) {
      const auto& of = parameters(info);
      function = of.func;
      launch.stream = of.stream;
      launch.shape = shape_of_runtime(of.gridDim, of.blockDim, of.sharedMem);
    } else if (const cudaLaunchConfig_t* const config = config_of(info)) {
      function = static_cast<const cudaLaunchKernelExC_v11060_params*>(info.functionParams)->func;
      launch.stream = config->stream;
      launch.shape = shape_of_runtime(config->gridDim, config->blockDim, config->dynamicSmemBytes);
    }
    launch.kernel =
        watcher_.lookup().unverified_kernel(function, device, info.symbolName, launch.is_named);
    if (launch.kernel == nullptr) return;
    watcher_.launching(mine.launch, launch);
    watcher_.launched(mine.launch, status);
  }

  Watcher& watcher_;
};

}  // namespace warpsafe::watch
