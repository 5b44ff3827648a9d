// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/core/limits.hpp>

#include <cstdint>

namespace warpsafe::inline WARPSAFE_DETAIL_VERSION::limits {

/// `reported`, with the documented floor for what is missing.
[[nodiscard]] constexpr DeviceLimits or_floor(DeviceLimits reported,
                                              const DeviceLimits& floor) noexcept {
  put_floors(reported, floor);
  return reported;
}

/// The limits of an architecture, for use without a device: its own numbers and, where these are 0,
/// the vendor's floor. `device` stays -1, because no device reported them. `multiprocessors` stays
/// 0, because it differs between products.
[[nodiscard]] constexpr DeviceLimits architecture(const DeviceLimits& floor,
                                                  DeviceLimits numbers) noexcept {
  put_floors(numbers, floor);
  numbers.vendor = floor.vendor;
  numbers.cooperative_launch = true;
  numbers.memory_pools = true;
  numbers.floored = false;
  return numbers;
}

// NVIDIA: CUDA C++ Programming Guide, "Technical Specifications per Compute Capability" (shared
// memory, registers, threads and blocks per multiprocessor), "Thread Block Clusters" (8 blocks are
// portable, 16 need cudaFuncAttributeNonPortableClusterSizeAllowed), "__global__ Function
// Parameters" (32764 bytes from CUDA 12.1 on). The shared memory that the runtime reserves is from
// CCCL's arch_traits.h.

/// Turing, e.g. T4.
inline constexpr DeviceLimits sm_75 =
    architecture(cuda_floor, {
                                 .name = Name::of("sm_75"),
                                 .shared_per_block_optin = 65536,
                                 .shared_per_multiprocessor = 65536,
                                 .warp_size = 32,
                                 .registers_per_block = 65536,
                                 .max_threads_per_multiprocessor = 1024,
                                 .max_blocks_per_multiprocessor = 16,
                                 .compute_major = 7,
                                 .compute_minor = 5,
                                 .max_parameter_bytes = 32764,
                             });
/// Ampere, e.g. A100. The opt-in limit is 163 KiB; the runtime reserves the last of the 164.
inline constexpr DeviceLimits sm_80 =
    architecture(cuda_floor, {
                                 .name = Name::of("sm_80"),
                                 .shared_per_block_optin = 166912,
                                 .shared_per_multiprocessor = 167936,
                                 .reserved_shared_per_block = 1024,
                                 .warp_size = 32,
                                 .registers_per_block = 65536,
                                 .max_threads_per_multiprocessor = 2048,
                                 .max_blocks_per_multiprocessor = 32,
                                 .compute_major = 8,
                                 .max_parameter_bytes = 32764,
                             });
/// Hopper, e.g. H100, H200.
inline constexpr DeviceLimits sm_90 =
    architecture(cuda_floor, {
                                 .name = Name::of("sm_90"),
                                 .shared_per_block_optin = 232448,
                                 .shared_per_multiprocessor = 233472,
                                 .reserved_shared_per_block = 1024,
                                 .warp_size = 32,
                                 .registers_per_block = 65536,
                                 .max_threads_per_multiprocessor = 2048,
                                 .max_blocks_per_multiprocessor = 32,
                                 .max_cluster_blocks = 8,
                                 .max_cluster_blocks_optin = 16,
                                 .compute_major = 9,
                                 .max_parameter_bytes = 32764,
                             });
/// Blackwell, e.g. B200.
inline constexpr DeviceLimits sm_100 =
    architecture(cuda_floor, {
                                 .name = Name::of("sm_100"),
                                 .shared_per_block_optin = 232448,
                                 .shared_per_multiprocessor = 233472,
                                 .reserved_shared_per_block = 1024,
                                 .warp_size = 32,
                                 .registers_per_block = 65536,
                                 .max_threads_per_multiprocessor = 2048,
                                 .max_blocks_per_multiprocessor = 32,
                                 .max_cluster_blocks = 8,
                                 .max_cluster_blocks_optin = 16,
                                 .compute_major = 10,
                                 .max_parameter_bytes = 32764,
                             });

// AMD: HIP documentation, "Hardware features" (LDS, wavefront, threads per compute unit; none of
// these architectures has clusters). The launch rule (fewer than 2^32 threads per axis) and the
// limit of 65535 blocks in y and z come from amd_floor. These numbers are not confirmed on
// hardware.

/// CDNA 2, e.g. MI250X.
inline constexpr DeviceLimits gfx90a =
    architecture(amd_floor, {
                                .name = Name::of("gfx90a"),
                                .shared_per_block_optin = 65536,
                                .shared_per_multiprocessor = 65536,
                                .warp_size = 64,
                                .max_threads_per_multiprocessor = 2048,
                                .compute_major = 9,
                                .max_parameter_bytes = 4096,
                            });
/// CDNA 3, e.g. MI300X.
inline constexpr DeviceLimits gfx942 =
    architecture(amd_floor, {
                                .name = Name::of("gfx942"),
                                .shared_per_block_optin = 65536,
                                .shared_per_multiprocessor = 65536,
                                .warp_size = 64,
                                .max_threads_per_multiprocessor = 2048,
                                .compute_major = 9,
                                .compute_minor = 4,
                                .max_parameter_bytes = 4096,
                            });
/// RDNA 3, e.g. RX 7900 XTX. Its wavefronts have 32 threads.
inline constexpr DeviceLimits gfx1100 =
    architecture(amd_floor, {
                                .name = Name::of("gfx1100"),
                                .shared_per_block_optin = 65536,
                                .shared_per_multiprocessor = 65536,
                                .warp_size = 32,
                                .max_threads_per_multiprocessor = 1024,
                                .compute_major = 11,
                                .max_parameter_bytes = 4096,
                            });

}  // namespace warpsafe::inline WARPSAFE_DETAIL_VERSION::limits
