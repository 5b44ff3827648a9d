// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/core/config.hpp>
#include <warpsafe/dims/dim3.hpp>

#include <cstdint>

// What a grid's type says about the grid. A launch needs no more of SafeGrid (safe_grid.hpp).

namespace warpsafe {

/// How a grid relates to its size. It is part of the grid's type, since it determines which kernels
/// may run on the grid.
enum class GridPolicy : std::uint8_t {
  one_per_item,           ///< each item has a thread, or a share of one (items_per_thread)
  one_per_item_or_empty,  ///< as above, and a size of 0 is an empty grid, whose launch does nothing
  strided,  ///< fewer threads than items: the kernel strides over them with grid_stride(n)
};

template <class Rules = default_backend, class Block = BlockDim, int Rank = 1,
          GridPolicy Policy = GridPolicy::one_per_item, std::uint32_t Items = 1>
class SafeGrid;

template <class T>
inline constexpr bool is_safe_grid = false;
template <class Rules, class Block, int Rank, GridPolicy Policy, std::uint32_t Items>
inline constexpr bool is_safe_grid<SafeGrid<Rules, Block, Rank, Policy, Items>> = true;

namespace detail {

/// Selects the dimensions without the size that they cover. Only the dispatch may use them: a
/// launch of them alone would not notice a capped grid or a kernel's items per thread.
struct ForDispatch {};

}  // namespace detail
}  // namespace warpsafe
