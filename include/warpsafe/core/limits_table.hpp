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

/// What the table of one architecture adds to the floor of its vendor. Sizes are in bytes.
struct ArchitectureNumbers {
  const char* name;
  std::uint32_t compute_major;
  std::uint32_t compute_minor;
  std::uint64_t shared_per_block_optin;
  std::uint64_t shared_per_multiprocessor;
  std::uint64_t reserved_shared_per_block;
  std::uint32_t warp_size;
  std::uint32_t registers_per_block;  ///< 0 if the vendor documents none per block
  std::uint32_t max_threads_per_multiprocessor;
  std::uint32_t max_blocks_per_multiprocessor;  ///< 0 if the vendor documents none
  std::uint32_t max_cluster_blocks;
  std::uint32_t max_cluster_blocks_optin;
  std::uint32_t max_parameter_bytes;
};

/// The limits of an architecture, for use without a device: the vendor's floor and the
/// architecture's own numbers. `device` stays -1, because no device reported them.
/// `multiprocessors` stays 0, because it differs between products.
[[nodiscard]] constexpr DeviceLimits architecture(const DeviceLimits& floor,
                                                  const ArchitectureNumbers& numbers) noexcept {
  DeviceLimits table = floor;
  // Every limit is named, so that a new one does not compile until it is handled here. Limits that
  // are not set come from the floor or differ between products.
  auto& [vendor, device, name, max_threads_per_block, max_block, max_grid, max_threads_per_axis,
         shared_per_block, shared_per_block_optin, shared_per_multiprocessor,
         reserved_shared_per_block, warp_size, registers_per_block, multiprocessors,
         max_threads_per_multiprocessor, max_blocks_per_multiprocessor, max_cluster_blocks,
         max_cluster_blocks_optin, compute_major, compute_minor, max_parameter_bytes,
         cooperative_launch, memory_pools, concurrent_managed_access, floored] = table;
  detail::left_out(vendor, device, max_threads_per_block, max_block, max_grid, max_threads_per_axis,
                   shared_per_block, multiprocessors, concurrent_managed_access);
  name = Name::of(numbers.name);
  shared_per_block_optin = numbers.shared_per_block_optin;
  shared_per_multiprocessor = numbers.shared_per_multiprocessor;
  reserved_shared_per_block = numbers.reserved_shared_per_block;
  warp_size = numbers.warp_size;
  registers_per_block = numbers.registers_per_block;
  max_threads_per_multiprocessor = numbers.max_threads_per_multiprocessor;
  max_blocks_per_multiprocessor = numbers.max_blocks_per_multiprocessor;
  max_cluster_blocks = numbers.max_cluster_blocks;
  max_cluster_blocks_optin = numbers.max_cluster_blocks_optin;
  compute_major = numbers.compute_major;
  compute_minor = numbers.compute_minor;
  max_parameter_bytes = numbers.max_parameter_bytes;
  cooperative_launch = true;
  memory_pools = true;
  floored = false;
  return table;
}

// NVIDIA: CUDA C++ Programming Guide, "Technical Specifications per Compute Capability" (shared
// memory, registers, threads and blocks per multiprocessor), "Thread Block Clusters" (8 blocks are
// portable, 16 need cudaFuncAttributeNonPortableClusterSizeAllowed), "__global__ Function
// Parameters" (32764 bytes from CUDA 12.1 on). The shared memory that the runtime reserves is from
// CCCL's arch_traits.h.

/// Turing, e.g. T4.
inline constexpr DeviceLimits sm_75 =
    architecture(cuda_floor, {"sm_75", 7, 5, 65536, 65536, 0, 32, 65536, 1024, 16, 0, 0, 32764});
/// Ampere, e.g. A100. The opt-in limit is 163 KiB; the runtime reserves the last of the 164.
inline constexpr DeviceLimits sm_80 = architecture(
    cuda_floor, {"sm_80", 8, 0, 166912, 167936, 1024, 32, 65536, 2048, 32, 0, 0, 32764});
/// Hopper, e.g. H100, H200.
inline constexpr DeviceLimits sm_90 = architecture(
    cuda_floor, {"sm_90", 9, 0, 232448, 233472, 1024, 32, 65536, 2048, 32, 8, 16, 32764});
/// Blackwell, e.g. B200.
inline constexpr DeviceLimits sm_100 = architecture(
    cuda_floor, {"sm_100", 10, 0, 232448, 233472, 1024, 32, 65536, 2048, 32, 8, 16, 32764});

// AMD: HIP documentation, "Hardware features" (LDS, wavefront, threads per compute unit; none of
// these architectures has clusters). The launch rule (fewer than 2^32 threads per axis) and the
// limit of 65535 blocks in y and z come from amd_floor. These numbers are not confirmed on
// hardware.

/// CDNA 2, e.g. MI250X.
inline constexpr DeviceLimits gfx90a =
    architecture(amd_floor, {"gfx90a", 9, 0, 65536, 65536, 0, 64, 0, 2048, 0, 0, 0, 4096});
/// CDNA 3, e.g. MI300X.
inline constexpr DeviceLimits gfx942 =
    architecture(amd_floor, {"gfx942", 9, 4, 65536, 65536, 0, 64, 0, 2048, 0, 0, 0, 4096});
/// RDNA 3, e.g. RX 7900 XTX. Its wavefronts have 32 threads.
inline constexpr DeviceLimits gfx1100 =
    architecture(amd_floor, {"gfx1100", 11, 0, 65536, 65536, 0, 32, 0, 1024, 0, 0, 0, 4096});

}  // namespace warpsafe::inline WARPSAFE_DETAIL_VERSION::limits
