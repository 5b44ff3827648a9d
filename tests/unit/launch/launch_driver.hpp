// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include "scripted_runtime.hpp"
#include <warpsafe/core/limits_table.hpp>
#include <warpsafe/stream/detail/device_cache.hpp>

#include <cstdint>

namespace warpsafe::core_test {

/// A runtime whose devices and kernels have the limits that a test gives them, and whose answers
/// are cached as a vendor's are.
struct LaunchDriver : ScriptedRuntime {
  static inline DeviceLimits device_limits;
  static inline KernelLimits kernel_limits;
  static inline int streams_device = 0;
  static inline int resident = 0;  ///< blocks or clusters; negative: the runtime gives no answer

  static int current_device(int& device) noexcept {
    const int status = script.status_of("current_device");
    if (status == 0) device = script.device;
    return status;
  }
  static int limits_of(int device, DeviceLimits& limits) noexcept {
    const int status = script.call("limits_of", device);
    if (status == 0) limits = device_limits;
    return status;
  }
  static int attributes_of(const KernelEntry&, KernelLimits& limits) noexcept {
    const int status = script.call("attributes_of");
    if (status == 0) limits = kernel_limits;
    return status;
  }
  static int raise_dynamic_shared(const KernelEntry&, std::uint64_t bytes) noexcept {
    return script.call("raise_dynamic_shared", bytes);
  }
  static int resident_blocks(const KernelEntry&, std::uint32_t threads, std::uint64_t bytes,
                             int& blocks) noexcept {
    if (resident >= 0) blocks = resident;
    return script.call("resident_blocks", threads, bytes);
  }
  static int max_cluster_blocks(const KernelEntry&, const LaunchShape&, int& blocks) noexcept {
    if (resident >= 0) blocks = resident;
    return script.call("max_cluster_blocks");
  }
  static int stream_device(native_stream, int& device) noexcept {
    device = streams_device;
    return script.call("stream_device");
  }
  static int launch(const KernelEntry&, const LaunchShape& shape, void**,
                    native_stream stream) noexcept {
    return script.call("launch", shape.grid[0], shape.block[0], stream);
  }

  /// What each test begins with: an H100 with three multiprocessors, and nothing known about it.
  static void begin() {
    for (auto& slot : detail::DeviceCache<LaunchDriver>::slots) slot = {};
    device_limits = limits::sm_90;
    device_limits.multiprocessors = 3;
    kernel_limits = {};
    kernel_limits.max_dynamic_shared = 49152;
    resident = 0;
  }
};

}  // namespace warpsafe::core_test
