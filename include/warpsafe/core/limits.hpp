// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/core/config.hpp>
#include <warpsafe/core/name.hpp>

#include <cstddef>
#include <cstdint>

namespace warpsafe::inline WARPSAFE_DETAIL_VERSION {

/// The runtime's maker. It decides the names of codes, and the rules that no limit expresses.
enum class Vendor : std::uint8_t { unknown, nvidia, amd, host };

namespace detail {
using Axes = std::uint32_t[3];
}

/// What a device allows, in the runtime's own terms. limit_rows.hpp has a row for each limit. 0
/// means "not reported": `put_floors` puts the documented floor in its place, because a limit of 0
/// would reject every launch, and sets `floored`. ROCm before 6 does not report the opt-in shared
/// memory.
struct DeviceLimits {
  Vendor vendor = Vendor::unknown;
  std::int32_t device = -1;  ///< ordinal in this process
  Name name{};               ///< marketing name, lives as long as the program
#define WARPSAFE_DEVICE_LIMIT(type, name, cuda, hip) type name{};
#include <warpsafe/core/limit_rows.hpp>
#undef WARPSAFE_DEVICE_LIMIT
  bool floored = false;  ///< at least one limit was not reported and is the documented floor
};

/// What one kernel, as compiled for one device, allows and takes. limit_rows.hpp has a row for each
/// limit.
struct KernelLimits {
  bool known = false;  ///< false: the driver was not asked
#define WARPSAFE_KERNEL_LIMIT(type, name, member, attribute) type name{};
#include <warpsafe/core/limit_rows.hpp>
#undef WARPSAFE_KERNEL_LIMIT
  std::uint32_t resident_blocks = 0;     ///< cooperative launches: blocks that fit at once
  std::uint32_t max_cluster_blocks = 0;  ///< cluster launches: the largest that can be resident
};

/// The needs of a kernel as plain numbers, for `validate`. limit_rows.hpp has a row for each; 0
/// means "not declared".
struct KernelNeeds {
#define WARPSAFE_KERNEL_NEED(type, name, joined) type name{};
#include <warpsafe/core/limit_rows.hpp>
#undef WARPSAFE_KERNEL_NEED
  bool index_assumed = false;  ///< the kernel declares no index type; int is assumed
};

namespace detail {
/// Names the fields of a structured binding that the code around it leaves out on purpose: the
/// binding does not compile without a new field, and tests/compile/forgotten_field.py fails if the
/// field is bound and not used.
template <class... Field>
constexpr void left_out(const Field&...) noexcept {}

/// Puts `documented` in the place of a limit of 0.
template <class T>
[[WARPSAFE_DETAIL_RARE]] constexpr void put_floor(T& limit, const T& documented,
                                                  bool& floored) noexcept {
  if (limit == T{} && documented != T{}) {
    limit = documented;
    floored = true;
  }
}
[[WARPSAFE_DETAIL_RARE]] constexpr void put_floor(Axes& limit, const Axes& documented,
                                                  bool& floored) noexcept {
  for (int axis = 0; axis < 3; ++axis) put_floor(limit[axis], documented[axis], floored);
}
}  // namespace detail

namespace limits {

/// The floor that NVIDIA documents for every CUDA device: CUDA C++ Programming Guide, "Technical
/// Specifications per Compute Capability" (7.5 to 12.x): 1024 threads per block, block 1024 x 1024
/// x 64, grid 2^31-1 x 65535 x 65535, 48 KiB of shared memory per block without opt-in, warps of
/// 32.
inline constexpr DeviceLimits cuda_floor{
    .vendor = Vendor::nvidia,
    .max_threads_per_block = 1024,
    .max_block = {1024, 1024, 64},
    .max_grid = {2147483647, 65535, 65535},
    .shared_per_block = 49152,
    .shared_per_block_optin = 49152,
    .warp_size = 32,
    .max_parameter_bytes = 4096,
    .floored = true,
};

/// The floor that AMD documents for ROCm: HIP "Hardware features" page (1024 threads per block, 64
/// KiB of LDS) and the launch rule of hip_runtime_api.h and the HIP FAQ: gridDim * blockDim of each
/// axis below 2^32. y and z of the grid are documented as 65535, though the runtime reports 65536.
inline constexpr DeviceLimits amd_floor{
    .vendor = Vendor::amd,
    .max_threads_per_block = 1024,
    .max_block = {1024, 1024, 1024},
    .max_grid = {2147483647, 65535, 65535},
    .max_threads_per_axis = 4294967295,
    .shared_per_block = 65536,
    .shared_per_block_optin = 65536,
    .warp_size = 0,  // 32 or 64: the device must report it
    .max_parameter_bytes = 4096,
    .floored = true,
};

/// Replaces limits that are 0 with those of `floor`. Caps AMD's grid y and z at the documented
/// 65535, whatever was reported.
[[WARPSAFE_DETAIL_RARE]] constexpr void put_floors(DeviceLimits& limits,
                                                   const DeviceLimits& floor) noexcept {
  // No device reports this rule of the vendor, so its absence does not count as floored.
  if (limits.max_threads_per_axis == 0) limits.max_threads_per_axis = floor.max_threads_per_axis;
  // ROCm before 6 does not report the opt-in limit. No limit with opt-in is below the one without.
  detail::put_floor(limits.shared_per_block, floor.shared_per_block, limits.floored);
  if (limits.shared_per_block_optin < limits.shared_per_block) {
    limits.shared_per_block_optin = limits.shared_per_block;
  }
#define WARPSAFE_DEVICE_LIMIT(type, name, cuda, hip) \
  detail::put_floor(limits.name, floor.name, limits.floored);
#include <warpsafe/core/limit_rows.hpp>
#undef WARPSAFE_DEVICE_LIMIT
  for (int axis = 0; axis < 3; ++axis) {
    if (floor.vendor == Vendor::amd && limits.max_grid[axis] > floor.max_grid[axis]) {
      limits.max_grid[axis] = floor.max_grid[axis];
    }
  }
}

}  // namespace limits

namespace detail {
/// The library remembers facts about this many devices, a slot or a bit for each. Further devices
/// are asked every time.
inline constexpr int cached_devices = 64;
template <class B>
constexpr const DeviceLimits& floor_member() noexcept {
  if constexpr (requires { B::floor; }) {
    return B::floor;
  } else {
    return limits::cuda_floor;
  }
}
}  // namespace detail

/// The documented floor of a backend's devices, for checks that run before a device is known
/// (SafeGrid). A backend declares its own floor as a member `static constexpr const DeviceLimits&
/// floor`; without that member, CUDA's floor applies.
template <class Backend>
inline constexpr const DeviceLimits& floor_of = detail::floor_member<Backend>();
/// The floor on AMD's platform. SafeGrid needs it without the backend's header.
template <template <class> class Backend>
inline constexpr const DeviceLimits& floor_of<Backend<amd_platform>> = limits::amd_floor;

}  // namespace warpsafe::inline WARPSAFE_DETAIL_VERSION
