// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/core/detail/limit_fields.hpp>
#include <warpsafe/core/limits.hpp>
#include <warpsafe/core/name.hpp>

#include <cuda_runtime_api.h>

#include <cstdint>

// What the CUDA backend asks about a device: its limits and its name.

namespace warpsafe::inline WARPSAFE_DETAIL_VERSION::detail {

/// The attributes that report a device's limits.
inline constexpr int cuda_attributes[] = {
#define WARPSAFE_DEVICE_LIMIT(type, name, cuda, hip) cuda,
#include <warpsafe/core/limit_rows.hpp>
#undef WARPSAFE_DEVICE_LIMIT
};

/// Reads the raw limits.
[[gnu::always_inline]] inline int cuda_limits(int device, DeviceLimits& limits) noexcept {
  const auto query = [device](int& value, int attribute) noexcept -> int {
    return cudaDeviceGetAttribute(&value, static_cast<cudaDeviceAttr>(attribute), device);
  };
  AttributeReader ask(cudaErrorInvalidValue, query);
  limits.vendor = Vendor::nvidia;
  limits.device = device;
  read_limits(limits, cuda_attributes, ask);
  // CUDA C++ Programming Guide, "Thread Block Clusters": 8 blocks are portable. 16 are possible
  // once the kernel's non-portable attribute is set, if the hardware has room.
  limits.max_cluster_blocks = ask(cudaDevAttrClusterLaunch) != 0 ? 8 : 0;
  limits.max_cluster_blocks_optin = 2 * limits.max_cluster_blocks;
  limits.max_parameter_bytes = CUDART_VERSION >= 12010 && limits.compute_major >= 7 ? 32764 : 4096;
  return ask.status();
}

/// Reads all names at the first call, because the runtime's property query takes milliseconds.
[[gnu::always_inline]] inline Name cuda_device_name(int device) noexcept {
  constexpr int most = cached_devices;
  struct Names {
    char text[most][256] = {};
    [[WARPSAFE_DETAIL_RARE]] Names() noexcept {
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

}  // namespace warpsafe::inline WARPSAFE_DETAIL_VERSION::detail
