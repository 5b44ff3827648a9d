// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include "../core/launch/judge.hpp"
#include "driver.hpp"

#include <cstddef>
#include <cstdint>

namespace warpsafe::watch {

namespace detail {

/// Fills in how much of a launch fits on the device at once.
inline void describe_residency(CUfunction function, const LaunchShape& shape, std::int32_t device,
                               KernelLimits& limits) noexcept {
  int fits = 0;
  if (shape.cooperative) {
    int multiprocessors = 0;
    if (call_driver(&Driver::resident_blocks, &fits, function,
                    static_cast<int>(shape.threads_per_block()),
                    static_cast<std::size_t>(shape.dynamic_shared)) == CUDA_SUCCESS &&
        call_driver(&Driver::device_attribute, &multiprocessors,
                    CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, device) == CUDA_SUCCESS) {
      limits.resident_blocks = static_cast<std::uint32_t>(fits * multiprocessors);
    }
  }
  if (shape.has_cluster) {
    CUlaunchConfig config{};
    config.gridDimX = shape.grid[0];
    config.gridDimY = shape.grid[1];
    config.gridDimZ = shape.grid[2];
    config.blockDimX = shape.block[0];
    config.blockDimY = shape.block[1];
    config.blockDimZ = shape.block[2];
    config.sharedMemBytes = shape.dynamic_shared_32();
    if (call_driver(&Driver::cluster_size, &fits, function, &config) == CUDA_SUCCESS) {
      limits.max_cluster_blocks = static_cast<std::uint32_t>(fits);
    }
  }
}

/// Fills in the layout of its parameters. A driver before CUDA 12.4 does not report it. Where the
/// kernel's name shows how many there are, no further one is queried: the driver would write the
/// failure into its log.
inline void describe_parameters(CUfunction function, Kernel& kernel) noexcept {
  try {
    std::size_t offset = 0;
    std::size_t bytes = 0;
    for (std::size_t i = 0;
         (kernel.named_parameters == 0 || i < kernel.named_parameters) &&
         call_driver(&Driver::parameter, function, i, &offset, &bytes) == CUDA_SUCCESS;
         ++i) {
      kernel.parameters.push_back({offset, bytes});
    }
  } catch (...) {  // out of memory: the memory that it touches stays unknown
    kernel.parameters.clear();
  }
}

}  // namespace detail

/// Platform::describe for CUDA's driver: the attributes of a CUfunction, or of a CUkernel that a
/// launch may name instead.
inline void describe_function(const void* handle, std::int32_t device, const Launch* launch,
                              Kernel& kernel) noexcept {
  auto function = static_cast<CUfunction>(const_cast<void*>(handle));
  int value = 0;
  const auto ask = [&](CUfunction_attribute attribute) {
    return call_driver(&Driver::function_attribute, &value, attribute, function) == CUDA_SUCCESS;
  };
  if (!ask(CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK)) {
    CUfunction of_kernel = nullptr;
    if (call_driver(&Driver::kernel_function, &of_kernel, reinterpret_cast<CUkernel>(function)) !=
        CUDA_SUCCESS) {
      return;
    }
    function = of_kernel;
    if (!ask(CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK)) return;
  }
  kernel.limits.known = true;
#define WARPSAFE_KERNEL_LIMIT(type, name, member, attribute) \
  if (ask(CU_##attribute)) kernel.limits.name = static_cast<type>(value);
#include <warpsafe/core/limit_rows.hpp>
#undef WARPSAFE_KERNEL_LIMIT
  for (int axis = 0; axis < 3; ++axis) {
    if (ask(static_cast<CUfunction_attribute>(CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH + axis))) {
      kernel.cluster[axis] = static_cast<std::uint32_t>(value);
    }
  }
  if (ask(CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED)) {
    kernel.non_portable_cluster = value != 0;
  }
  if (launch != nullptr) {
    detail::describe_residency(function, launch->shape, device, kernel.limits);
  }
  if (kernel.parameters.empty()) detail::describe_parameters(function, kernel);
}

}  // namespace warpsafe::watch
