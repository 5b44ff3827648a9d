// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include "../core/kernel/foreign_memory.hpp"
#include <warpsafe/core/launch_shape.hpp>

#include <cuda.h>
#include <cuda_runtime_api.h>

#include <cstddef>
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

/// Calls `see(attribute)` for each attribute of a launch, until one cannot be read. The driver has
/// not read them yet, so their number and address may be garbage.
template <class See>
void each_attribute(const CUlaunchConfig& config, const See& see) noexcept {
  constexpr unsigned most = 64;  // several times the attributes that exist
  constexpr unsigned at_once = 8;
  CUlaunchAttribute some[at_once];
  const unsigned count = config.numAttrs < most ? config.numAttrs : most;
  for (unsigned i = 0; config.attrs != nullptr && i < count;) {
    const iovec piece{config.attrs + i,
                      (count - i < at_once ? count - i : at_once) * sizeof(CUlaunchAttribute)};
    const std::size_t read = copy_pieces(some, {&piece, 1}) / sizeof(CUlaunchAttribute);
    for (std::size_t k = 0; k < read; ++k) see(some[k]);
    if (read < at_once) return;
    i += at_once;
  }
}

/// For cuLaunchKernelEx: the attributes that the checks use.
[[nodiscard]] inline LaunchShape shape_of_config(const CUlaunchConfig& config) noexcept {
  LaunchShape shape = shape_of_parameters(config);
  each_attribute(config, [&](const CUlaunchAttribute& one) {
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
  });
  return shape;
}
/// Returns whether the launch records an event when it begins or ends.
[[nodiscard]] inline bool records_an_event(const CUlaunchConfig& config) noexcept {
  bool found = false;
  each_attribute(config, [&](const CUlaunchAttribute& one) {
    found = found || one.id == CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_EVENT ||
            one.id == CU_LAUNCH_ATTRIBUTE_LAUNCH_COMPLETION_EVENT;
  });
  return found;
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
