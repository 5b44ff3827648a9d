// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/core/config.hpp>
#include <warpsafe/dims/dim3.hpp>

#include <cstdint>

// What the type of a grid says: all that a launch needs to know of SafeGrid (safe_grid.hpp).

namespace warpsafe {

/// How a grid relates to its size. It is part of the grid's type, since it decides which kernels
/// the grid may run.
enum class GridPolicy : std::uint8_t {
  one_per_item,           ///< every item has its thread (or its share of items_per_thread)
  one_per_item_or_empty,  ///< the same, and a size of 0 is an empty grid, whose launch does nothing
  strided,                ///< fewer threads than items: the kernel walks them with grid_stride(n)
};

template <class Rules = default_backend, class Block = BlockDim, int Rank = 1,
          GridPolicy Policy = GridPolicy::one_per_item, std::uint32_t Items = 1>
class SafeGrid;

template <class T>
inline constexpr bool is_safe_grid = false;
template <class Rules, class Block, int Rank, GridPolicy Policy, std::uint32_t Items>
inline constexpr bool is_safe_grid<SafeGrid<Rules, Block, Rank, Policy, Items>> = true;

namespace detail {

/// Asks for numbers without what they cover, which only the dispatch may have: a launch of them
/// would not see a capped grid or a kernel's items.
struct ForDispatch {};

}  // namespace detail
}  // namespace warpsafe
