// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/backend/backend.hpp>

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>

// What the CUDA backend does off the straight path: a device's limits and name, launches with
// attributes.

namespace warpsafe::detail {

/// Raw: an attribute that the runtime does not know stays 0.
[[gnu::cold]] inline int cuda_limits(int device, DeviceLimits& limits) noexcept {
  cudaError_t status = cudaSuccess;
  const auto ask = [&](cudaDeviceAttr attribute) -> std::uint32_t {
    int value = 0;
    const cudaError_t answer = cudaDeviceGetAttribute(&value, attribute, device);
    // An attribute that an older runtime does not know is "not reported", anything else a failure.
    if (answer != cudaSuccess && answer != cudaErrorInvalidValue && status == cudaSuccess)
      status = answer;
    return answer == cudaSuccess && value > 0 ? static_cast<std::uint32_t>(value) : 0U;
  };
  limits.vendor = Vendor::nvidia;
  limits.device = device;
  limits.max_threads_per_block = ask(cudaDevAttrMaxThreadsPerBlock);
  if (status != cudaSuccess) return status;
  limits.max_block[0] = ask(cudaDevAttrMaxBlockDimX);
  limits.max_block[1] = ask(cudaDevAttrMaxBlockDimY);
  limits.max_block[2] = ask(cudaDevAttrMaxBlockDimZ);
  limits.max_grid[0] = ask(cudaDevAttrMaxGridDimX);
  limits.max_grid[1] = ask(cudaDevAttrMaxGridDimY);
  limits.max_grid[2] = ask(cudaDevAttrMaxGridDimZ);
  limits.shared_per_block = ask(cudaDevAttrMaxSharedMemoryPerBlock);
  limits.shared_per_block_optin = ask(cudaDevAttrMaxSharedMemoryPerBlockOptin);
  limits.shared_per_multiprocessor = ask(cudaDevAttrMaxSharedMemoryPerMultiprocessor);
  limits.reserved_shared_per_block = ask(cudaDevAttrReservedSharedMemoryPerBlock);
  limits.warp_size = ask(cudaDevAttrWarpSize);
  limits.registers_per_block = ask(cudaDevAttrMaxRegistersPerBlock);
  limits.multiprocessors = ask(cudaDevAttrMultiProcessorCount);
  limits.max_threads_per_multiprocessor = ask(cudaDevAttrMaxThreadsPerMultiProcessor);
  limits.max_blocks_per_multiprocessor = ask(cudaDevAttrMaxBlocksPerMultiprocessor);
  limits.compute_major = ask(cudaDevAttrComputeCapabilityMajor);
  limits.compute_minor = ask(cudaDevAttrComputeCapabilityMinor);
  // CUDA C++ Programming Guide, "Thread Block Clusters": 8 blocks are portable; 16 after the
  // kernel's non-portable attribute is set, where the hardware has room.
  const bool clusters = ask(cudaDevAttrClusterLaunch) != 0;
  limits.max_cluster_blocks = clusters ? 8 : 0;
  limits.max_cluster_blocks_optin = clusters ? 16 : 0;
  limits.max_parameter_bytes = CUDART_VERSION >= 12010 && limits.compute_major >= 7 ? 32764 : 4096;
  limits.cooperative_launch = ask(cudaDevAttrCooperativeLaunch) != 0;
  limits.memory_pools = ask(cudaDevAttrMemoryPoolsSupported) != 0;
  limits.concurrent_managed_access = ask(cudaDevAttrConcurrentManagedAccess) != 0;
  return status;
}

/// All names at once, at the first question: the runtime's property query takes milliseconds.
[[gnu::cold]] inline Name cuda_device_name(int device) noexcept {
  constexpr int most = 64;
  struct Names {
    char text[most][256] = {};
    Names() noexcept {
      int count = 0;
      if (cudaGetDeviceCount(&count) != cudaSuccess) return;
      for (int i = 0; i < count && i < most; ++i) {
        cudaDeviceProp properties;
        if (cudaGetDeviceProperties(&properties, i) != cudaSuccess) continue;
        for (int j = 0; j < 255 && properties.name[j] != '\0'; ++j) text[i][j] = properties.name[j];
      }
    }
  };
  static const Names names;
  return device >= 0 && device < most ? Name::of(names.text[device]) : Name{};
}

/// cudaLaunchKernelExC with one attribute for each option of the shape.
[[gnu::noinline]] inline int cuda_launch_with_attributes(const void* function,
                                                         const LaunchShape& shape, void** args,
                                                         cudaStream_t stream) noexcept {
  cudaLaunchAttribute attributes[4];
  unsigned count = 0;
  if (shape.has_cluster) {
    if (shape.non_portable_cluster) {
      const cudaError_t status =
          cudaFuncSetAttribute(function, cudaFuncAttributeNonPortableClusterSizeAllowed, 1);
      if (status != cudaSuccess) return status;
    }
    attributes[count].id = cudaLaunchAttributeClusterDimension;
    attributes[count].val.clusterDim.x = shape.cluster[0];
    attributes[count].val.clusterDim.y = shape.cluster[1];
    attributes[count].val.clusterDim.z = shape.cluster[2];
    ++count;
  }
  if (shape.cooperative) {
    attributes[count].id = cudaLaunchAttributeCooperative;
    attributes[count].val.cooperative = 1;
    ++count;
  }
  if (shape.has_priority) {
    attributes[count].id = cudaLaunchAttributePriority;
    attributes[count].val.priority = shape.priority;
    ++count;
  }
  if (shape.programmatic) {
    attributes[count].id = cudaLaunchAttributeProgrammaticStreamSerialization;
    attributes[count].val.programmaticStreamSerializationAllowed = 1;
    ++count;
  }
  cudaLaunchConfig_t config{};
  config.gridDim = dim3(shape.grid[0], shape.grid[1], shape.grid[2]);
  config.blockDim = dim3(shape.block[0], shape.block[1], shape.block[2]);
  config.dynamicSmemBytes = shape.dynamic_shared_32();
  config.stream = stream;
  config.attrs = attributes;
  config.numAttrs = count;
  return cudaLaunchKernelExC(&config, function, args);
}

/// The largest cluster, in blocks, that can be resident with this block and shared memory.
inline int cuda_max_cluster(const void* function, const LaunchShape& shape, int& blocks) noexcept {
  if (shape.non_portable_cluster) {  // without it the answer is never more than 8
    const cudaError_t status =
        cudaFuncSetAttribute(function, cudaFuncAttributeNonPortableClusterSizeAllowed, 1);
    if (status != cudaSuccess) return status;
  }
  cudaLaunchConfig_t config{};
  config.gridDim = dim3(shape.grid[0], shape.grid[1], shape.grid[2]);
  config.blockDim = dim3(shape.block[0], shape.block[1], shape.block[2]);
  config.dynamicSmemBytes = shape.dynamic_shared;
  return cudaOccupancyMaxPotentialClusterSize(&blocks, function, &config);
}

}  // namespace warpsafe::detail
