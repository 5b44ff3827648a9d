// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/backend/kernel_entry.hpp>
#include <warpsafe/core/detail/limit_fields.hpp>
#include <warpsafe/core/limits.hpp>
#include <warpsafe/core/name.hpp>

#include <hip/hip_runtime_api.h>

#include <cstddef>
#include <cstdint>

// What the HIP backend asks about a device and about memory: limits, a name, the kind of a pointer,
// and whether a device can use the memory.

namespace warpsafe::inline WARPSAFE_DETAIL_VERSION::detail {

#if defined(__HIP_PLATFORM_NVIDIA__)
inline constexpr Vendor hip_vendor = Vendor::nvidia;
#else
inline constexpr Vendor hip_vendor = Vendor::amd;
#endif

[[WARPSAFE_DETAIL_RARE]] inline bool hip_has_device() noexcept {
  int count = 0;
  return hipGetDeviceCount(&count) == hipSuccess && count > 0;
}

/// The attributes that report a device's limits.
inline constexpr int hip_attributes[] = {
#define WARPSAFE_DEVICE_LIMIT(type, name, cuda, hip) hip,
#include <warpsafe/core/limit_rows.hpp>
#undef WARPSAFE_DEVICE_LIMIT
};

/// The size of a kernel's parameter block in bytes that every release accepts. hipcc does not check
/// it.
inline constexpr std::size_t hip_parameter_bytes = 4096;

/// Reads the raw limits. Uses queries of single attributes, because the layout of hipDeviceProp_t
/// changed between releases under one name.
[[gnu::always_inline]] inline int hip_limits(int device, DeviceLimits& limits) noexcept {
  const auto query = [device](int& value, int attribute) noexcept -> int {
    return hipDeviceGetAttribute(&value, static_cast<hipDeviceAttribute_t>(attribute), device);
  };
  AttributeReader ask(hipErrorInvalidValue, query);
  limits.vendor = hip_vendor;
  limits.device = device;
  read_limits(limits, hip_attributes, ask);
  limits.max_parameter_bytes = hip_parameter_bytes;
#if defined(__HIP_PLATFORM_NVIDIA__)
  // HIP 5.7 has no such query on this platform, but CUDA has.
  if (limits.shared_per_block_optin == 0 && ask.status() == hipSuccess) {
    int bytes = 0;
    static_cast<void>(
        cudaDeviceGetAttribute(&bytes, cudaDevAttrMaxSharedMemoryPerBlockOptin, device));
    limits.shared_per_block_optin = bytes > 0 ? static_cast<std::uint64_t>(bytes) : 0U;
  }
#endif
  return ask.status();
}

/// Reads all names at the first call.
[[gnu::always_inline]] inline Name hip_device_name(int device) noexcept {
  constexpr int most = cached_devices;
  struct Names {
    char text[most][256] = {};
    [[WARPSAFE_DETAIL_RARE]] Names() noexcept {
      int count = 0;
      if (hipGetDeviceCount(&count) != hipSuccess) return;
      for (int i = 0; i < count && i < most; ++i) {
        hipDevice_t handle{};
        if (hipDeviceGet(&handle, i) != hipSuccess) continue;
        if (hipDeviceGetName(text[i], 255, handle) != hipSuccess) text[i][0] = '\0';
      }
    }
  };
  static const Names names;
  return device >= 0 && device < most ? Name::of(names.text[device]) : Name{};
}

/// For plain host memory, AMD's runtime returns an error (hipErrorInvalidValue), others a kind.
inline int hip_pointer_kind(const void* memory, MemoryKind& kind, int& device) noexcept {
  hipPointerAttribute_t attributes{};
  attributes.device = hipInvalidDeviceId;  // release 7 writes nothing for a null pointer
  const hipError_t status = hipPointerGetAttributes(&attributes, memory);
  kind = MemoryKind::unregistered;
  if (status == hipErrorInvalidValue) return hipSuccess;
  if (status != hipSuccess) return status;
  // Releases from 6 on report unknown memory this way (seen on 6.4.3). Its
  // type is 0, which in older headers means host memory.
  if (attributes.device == hipInvalidDeviceId) return hipSuccess;
#if HIP_VERSION >= 60000000
  const hipMemoryType type = attributes.type;
#else
  const hipMemoryType type = attributes.memoryType;
#endif
  device = attributes.device;
#if defined(__HIP_PLATFORM_NVIDIA__)
  const bool managed = type == hipMemoryTypeManaged;  // isManaged is never set on this platform
#else
  const bool managed = attributes.isManaged != 0;
#endif
  if (managed) {
    kind = MemoryKind::managed;
  } else if (type == hipMemoryTypeDevice) {
    kind = MemoryKind::device;
  } else if (type == hipMemoryTypeHost) {
    kind = MemoryKind::pinned;
  }
  return hipSuccess;
}

/// AMD's runtime tells whether a device may access a peer's memory at all, but not whether the
/// program has allowed it (ROCm/clr hipamd/src/hip_peer.cpp), so a possible access counts.
/// NVIDIA's answers for the address, as in the CUDA backend.
inline int hip_can_access(int device, [[maybe_unused]] const void* memory, int memory_device,
                          bool& answer) noexcept {
#if defined(__HIP_PLATFORM_NVIDIA__)
  int before = device;
  hipError_t status = hipGetDevice(&before);
  if (status == hipSuccess && before != device) status = hipSetDevice(device);
  hipPointerAttribute_t attributes{};
  if (status == hipSuccess) status = hipPointerGetAttributes(&attributes, memory);
  answer = attributes.devicePointer != nullptr;
  if (status == hipSuccess && answer && device != memory_device) {
    int possible = 0;
    status = hipDeviceCanAccessPeer(&possible, device, memory_device);
    answer = possible != 0;
  }
  const hipError_t restored = before == device ? hipSuccess : hipSetDevice(before);
  return status == hipSuccess ? restored : status;
#else
  int possible = 0;
  const hipError_t status = hipDeviceCanAccessPeer(&possible, device, memory_device);
  answer = possible != 0;
  return status;
#endif
}

}  // namespace warpsafe::inline WARPSAFE_DETAIL_VERSION::detail
