// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/core/launch_shape.hpp>

#include <cuda.h>
#include <cuda_runtime_api.h>

#include <cstdint>

// Converts the arguments of CUDA's launch functions to a LaunchShape.

namespace warpsafe::watch {

inline void put_dims(std::uint32_t (&axes)[3], std::uint32_t x, std::uint32_t y,
                     std::uint32_t z) noexcept {
  axes[0] = x;
  axes[1] = y;
  axes[2] = z;
}

/// For cuLaunchKernel, cuLaunchCooperativeKernel and kernel nodes of graphs, whose parameters have
/// the same names.
template <class Parameters>
[[nodiscard]] LaunchShape shape_of_parameters(const Parameters& of) noexcept {
  LaunchShape shape;
  put_dims(shape.grid, of.gridDimX, of.gridDimY, of.gridDimZ);
  put_dims(shape.block, of.blockDimX, of.blockDimY, of.blockDimZ);
  shape.dynamic_shared = of.sharedMemBytes;
  return shape;
}

/// For cuLaunchKernelEx: the attributes that the checks use.
[[nodiscard]] inline LaunchShape shape_of_config(const CUlaunchConfig& config) noexcept {
  LaunchShape shape = shape_of_parameters(config);
  for (unsigned i = 0; config.attrs != nullptr && i < config.numAttrs; ++i) {
    const CUlaunchAttribute& one = config.attrs[i];
    switch (one.id) {
      case CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION:
        put_dims(shape.cluster, one.value.clusterDim.x, one.value.clusterDim.y,
                 one.value.clusterDim.z);
        shape.has_cluster = true;
        break;
      case CU_LAUNCH_ATTRIBUTE_COOPERATIVE:
        shape.cooperative = one.value.cooperative != 0;
        break;
      case CU_LAUNCH_ATTRIBUTE_PRIORITY:
        shape.priority = one.value.priority;
        shape.has_priority = true;
        break;
      case CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION:
        shape.programmatic = one.value.programmaticStreamSerializationAllowed != 0;
        break;
      default:
        break;
    }
  }
  return shape;
}

/// For the runtime's launches, before the runtime truncates the bytes to 32 bits.
[[nodiscard]] inline LaunchShape shape_of_runtime(const dim3& grid, const dim3& block,
                                                  std::uint64_t bytes) noexcept {
  LaunchShape shape;
  put_dims(shape.grid, grid.x, grid.y, grid.z);
  put_dims(shape.block, block.x, block.y, block.z);
  shape.dynamic_shared = bytes;
  return shape;
}

}  // namespace warpsafe::watch
