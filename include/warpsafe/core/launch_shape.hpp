// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/core/detail/arithmetic.hpp>

#include <cstddef>
#include <cstdint>

namespace warpsafe {

/// The numbers of one launch, as a runtime takes them: plain data between the typed configuration
/// above and the backend below.
struct LaunchShape {
  std::uint32_t grid[3] = {0, 0, 0};     ///< blocks per axis
  std::uint32_t block[3] = {0, 0, 0};    ///< threads per axis
  std::uint64_t dynamic_shared = 0;      ///< bytes of dynamic shared memory per block
  std::uint32_t cluster[3] = {1, 1, 1};  ///< blocks per cluster and axis; 1,1,1: no cluster
  std::int32_t priority = 0;             ///< only if has_priority; smaller is more urgent
  bool has_priority = false;
  bool has_cluster = false;
  bool non_portable_cluster = false;  ///< a cluster of more than 8 blocks was asked for on purpose
  bool cooperative = false;           ///< every block resident at once, for a grid-wide barrier
  bool programmatic = false;          ///< may start before its predecessor in the stream has ended

  /// Whether the launch needs more than grid, block, shared memory and stream.
  [[nodiscard]] constexpr bool has_attributes() const noexcept {
    return has_priority || has_cluster || cooperative || programmatic;
  }
  /// The dynamic shared memory as the runtimes take it: both cut the number to 32 bits without a
  /// word (seen on CUDA 13; ROCm/clr hipamd/src/hip_module.cpp), so what does not fit there stays
  /// too large.
  [[nodiscard]] constexpr std::uint32_t dynamic_shared_32() const noexcept {
    return dynamic_shared > 0xffffffffU ? 0xffffffffU : static_cast<std::uint32_t>(dynamic_shared);
  }
  /// Threads of one block, in 64 bits: three 32-bit axes can be over 2^64 only beyond every limit,
  /// and then the result saturates.
  [[nodiscard]] constexpr std::uint64_t threads_per_block() const noexcept {
    return saturating_product(block);
  }
  /// Blocks of the grid, saturating.
  [[nodiscard]] constexpr std::uint64_t blocks() const noexcept { return saturating_product(grid); }
  /// Blocks of one cluster, saturating.
  [[nodiscard]] constexpr std::uint64_t blocks_per_cluster() const noexcept {
    return saturating_product(cluster);
  }

  /// x*y*z in 64 bits, or 2^64-1 where that does not fit.
  [[nodiscard]] static constexpr std::uint64_t saturating_product(
      const std::uint32_t (&dims)[3]) noexcept {
    const std::uint64_t plane = static_cast<std::uint64_t>(dims[0]) * dims[1];
    std::uint64_t all = 0;
    return detail::multiply(plane, std::uint64_t{dims[2]}, all) ? all : ~std::uint64_t{0};
  }
};

}  // namespace warpsafe
