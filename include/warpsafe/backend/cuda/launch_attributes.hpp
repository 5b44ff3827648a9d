// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/core/launch_shape.hpp>

#include <cuda_runtime_api.h>

// Launches that need attributes, and the largest cluster that such a launch may ask for.

namespace warpsafe::inline WARPSAFE_DETAIL_VERSION::detail {

/// Calls cudaLaunchKernelExC with one attribute for each option of the shape.
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

/// The largest number of blocks in a cluster that can be resident with this block and shared
/// memory.
inline int cuda_max_cluster(const void* function, const LaunchShape& shape, int& blocks) noexcept {
  if (shape.non_portable_cluster) {  // without it the answer never exceeds 8
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

}  // namespace warpsafe::inline WARPSAFE_DETAIL_VERSION::detail
