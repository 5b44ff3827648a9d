// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/core/detail/arithmetic.hpp>

#include <cstddef>
#include <cstdint>

namespace warpsafe::inline WARPSAFE_DETAIL_VERSION {

namespace detail {
/// Whether T is a kernel that `launch` takes. kernel/kernel.hpp specialises it.
template <class T>
inline constexpr bool is_kernel = false;

/// The parts of a launch's configuration. An option names its part in a member `launch_part`.
enum class PartKind : int { none, grid, block, shared, cluster, cooperative, priority, dependent };

/// The greatest priority number of any runtime: 0 with CUDA, 1 on AMD. A runtime takes the nearest
/// number of its range for any other (CUDA Runtime API, cudaStreamCreateWithPriority).
inline constexpr std::int32_t least_urgent = 1;
}  // namespace detail

/// The numbers of one launch as a runtime takes them: plain data between the typed configuration
/// above and the backend below.
struct LaunchShape {
  std::uint32_t grid[3] = {0, 0, 0};     ///< blocks per axis
  std::uint32_t block[3] = {0, 0, 0};    ///< threads per axis
  std::uint64_t dynamic_shared = 0;      ///< bytes of dynamic shared memory per block
  std::uint32_t cluster[3] = {1, 1, 1};  ///< blocks per cluster and axis; 1,1,1: no cluster
  std::int32_t priority = 0;             ///< valid if has_priority; smaller is more urgent
  bool has_priority = false;
  bool has_cluster = false;
  bool non_portable_cluster = false;  ///< the user allowed a cluster of more than 8 blocks
  bool cooperative = false;           ///< all blocks are resident at once, for a grid-wide barrier
  bool programmatic = false;          ///< may start before its predecessor in the stream has ended
  bool strides = false;        ///< checked builds: the grid is `grid_stride`'s, an element a thread
  std::uint64_t elements = 1;  ///< checked builds: that the grid covers; 1 if it covers no size

  /// Whether the launch needs more than grid, block, shared memory and stream.
  [[nodiscard]] constexpr bool has_attributes() const noexcept {
    return has_priority || has_cluster || cooperative || programmatic;
  }
  /// The dynamic shared memory as the runtimes take it. Both truncate the number to 32 bits without
  /// an error (seen on CUDA 13; ROCm/clr hipamd/src/hip_module.cpp), so a larger number becomes the
  /// largest 32-bit one, which they refuse.
  [[nodiscard]] constexpr std::uint32_t dynamic_shared_32() const noexcept {
    return dynamic_shared > 0xffffffffU ? 0xffffffffU : static_cast<std::uint32_t>(dynamic_shared);
  }
  /// Threads of one block in 64 bits. The product saturates if it does not fit, which only happens
  /// far beyond every limit.
  [[nodiscard, gnu::always_inline]] constexpr std::uint64_t threads_per_block() const noexcept {
    return saturating_product(block);
  }
  /// Blocks of the grid, saturating.
  [[nodiscard, gnu::always_inline]] constexpr std::uint64_t blocks() const noexcept {
    return saturating_product(grid);
  }
  /// Blocks of one cluster, saturating.
  [[nodiscard]] constexpr std::uint64_t blocks_per_cluster() const noexcept {
    return saturating_product(cluster);
  }

  /// x*y*z in 64 bits, or 2^64-1 if the product does not fit.
  [[nodiscard]] static constexpr std::uint64_t saturating_product(
      const std::uint32_t (&dims)[3]) noexcept {
    const std::uint64_t plane = static_cast<std::uint64_t>(dims[0]) * dims[1];
    std::uint64_t all = 0;
    return detail::multiply(plane, std::uint64_t{dims[2]}, all) ? all : ~std::uint64_t{0};
  }
};

}  // namespace warpsafe::inline WARPSAFE_DETAIL_VERSION
