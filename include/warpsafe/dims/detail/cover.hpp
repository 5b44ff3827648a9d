// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/core/detail/arithmetic.hpp>
#include <warpsafe/core/limits.hpp>
#include <warpsafe/dims/detail/cover_arguments.hpp>
#include <warpsafe/error/result.hpp>

#include <cstddef>
#include <cstdint>
#include <type_traits>

// The arithmetic of SafeGrid. Release and checked builds decide by the same result: a dimension of
// 0 means that the size cannot be covered. Only then do checked builds look for the reason.

namespace warpsafe::inline WARPSAFE_DETAIL_VERSION::detail {

/// The number of blocks along one axis, or 0 for a size that cannot be covered; without a branch.
/// `Items` is the number per thread; 0: an item has a block. `Capped`: at most `cap` blocks, and
/// fewer than 2^32 threads.
template <int Along, class Rules, std::uint32_t Items, bool Capped>
[[nodiscard, gnu::always_inline]] constexpr std::uint32_t blocks_or_zero(
    SizeBits n, std::uint32_t threads, CoverRule rule,
    [[maybe_unused]] std::uint64_t cap) noexcept {
  constexpr const DeviceLimits& floor = floor_of<Rules>;
  // Only a vendor's dim3 can have 0 threads. This avoids the division by 0, and the runtime refuses
  // the block.
  const std::uint64_t width = threads != 0 ? threads : 1U;
  const std::uint64_t per_block = Items != 0 ? width * Items : std::uint64_t{1};
  std::uint64_t most = floor.max_grid[Along];
  if constexpr (floor.max_threads_per_axis != 0) {
    const std::uint64_t by_threads = floor.max_threads_per_axis / width;
    most = by_threads < most ? by_threads : most;
  }
  bool impossible = rule == CoverRule::exact && n.bits % per_block != 0;
  std::uint64_t needed = 0;
  if constexpr (Items <= 1 && !Capped && floor.max_grid[Along] <= std::uint32_t{1} << 31) {
    // The sum wraps only for sizes above 2^64 - per_block, and the result is then 0 blocks. A
    // negative size is at least 2^63, which is more than 2^31 blocks of less than 2^32 items.
    needed = (n.bits + (per_block - 1)) / per_block;
  } else {
    impossible |= n.negative;
    needed = blocks_for(n.bits, per_block);
    // A cap would hide a subtraction that wrapped below 0.
    if constexpr (Capped) {
      impossible |= (n.bits >> 63U) != 0;
      const std::uint64_t by_stride = 0xffffffffU / width;
      cap = cap < by_stride ? cap : by_stride;
      cap = cap < most ? cap : most;
      needed = needed < cap ? needed : cap;
    }
  }
  needed |= std::uint64_t{0} - static_cast<std::uint64_t>(impossible);
  // If the division becomes a multiplication, g++ compares the size instead and branches around it.
  // Subtracting 1 on both sides prevents that.
  const std::uint64_t less = (per_block & (per_block - 1)) != 0 ? 1 : 0;
  return needed - less < most + 1 - less ? static_cast<std::uint32_t>(needed) : 0U;
}

/// Diagnoses mistakes in the arguments' types. `Capped`: the grid may be smaller than the size.
/// True if all arguments are usable.
template <class Rules, bool Capped, class Size, class B, class Option1, class Option2>
constexpr bool check_cover_arguments() noexcept {
  constexpr bool is_number = is_size<Size>;
  constexpr bool size_known = is_number || is_extent<Size> || is_count<Size> || Sized<Size>;
  static_assert(!is_bool<Size>, "warpsafe: a bool is not a size");
  static_assert(
      !is_floating<Size>,
      "warpsafe: a size is a whole number of elements; round the floating-point value explicitly first");
  static_assert(!std::is_same_v<Size, Bytes>,
                "warpsafe: a grid covers elements, not bytes; pass the number of elements");
  static_assert(!std::is_pointer_v<Size>, "warpsafe: a pointer is not a size");
  static_assert(
      !is_range_of_bytes<Size>,
      "warpsafe: a range of std::byte counts bytes, and a grid covers elements; pass the range of elements, or size() if each thread handles one byte");
  static_assert(
      is_bool<Size> || is_floating<Size> || std::is_same_v<Size, Bytes> ||
          std::is_pointer_v<Size> || size_known,
      "warpsafe: a size is a whole number, extent{rows{m}, cols{n}}, count<N>, or a type with size()");
  static_assert(!is_grid_dim<B>,
                "warpsafe: this is a grid where the block belongs; write block<256>");
  static_assert(
      !(is_size<B> && is_block_dim<Option1>),
      "warpsafe: a size of several axes is an extent: cover(extent{rows{m}, cols{n}}, block<16, 16>)");
  static_assert(
      !is_size<B> || is_block_dim<Option1>,
      "warpsafe: a bare number is not a block; write block<256>, or BlockDim::create(n) for a size known at run time");
  static_assert(
      is_grid_dim<B> || is_size<B> || is_block_dim<B>,
      "warpsafe: the second argument is the block: block<256>, block<16, 16>, or a BlockDim from BlockDim::create or BlockDim::from_vendor, unwrapped with WARPSAFE_TRY");
  static_assert(!Capped || is_max_blocks<Option2>,
                "warpsafe: the third argument of grid_stride is max_blocks(m)");
  static_assert(
      is_cover_option<Option1> && is_cover_option<Option2>,
      "warpsafe: cover takes items_per_thread<N>, block_per_item and kernel<k> after the block");
  static_assert(
      Capped || !(is_max_blocks<Option1> || is_max_blocks<Option2>),
      "warpsafe: cover gives every item its own thread, so it takes no max_blocks; use grid_stride(n, block<256>, max_blocks(m)) with a grid_stride_kernel");
  static_assert(!(is_items<Option1> && is_items<Option2>),
                "warpsafe: items_per_thread is given twice");
  constexpr std::uint32_t items = items_of<Option1> * items_of<Option2>;
  static_assert(
      items != 0 || !(is_items<Option1> || is_items<Option2>),
      "warpsafe: with block_per_item a whole block handles each item, so there is no items_per_thread");
  constexpr bool usable = size_known && is_block_dim<B>;
  if constexpr (usable) {
    if constexpr (B::is_static) {
      static_assert(
          items == 0 || rank_of<Size> >= 2 || (B{}.y() == 1 && B{}.z() == 1),
          "warpsafe: a block of several axes needs an extent of as many axes: cover(extent{rows{m}, cols{n}}, block<16, 16>)");
      static_assert(items == 0 || rank_of<Size> >= 3 || B{}.z() == 1,
                    "warpsafe: a block of three axes needs an extent{x{…}, y{…}, z{…}}");
    }
    if constexpr (is_count<Size>) {
      static_assert(
          Size::value > 0,
          "warpsafe: a size of 0 covers nothing; use cover_or_empty for sizes that may be zero");
      if constexpr (B::is_static && !Capped) {
        constexpr std::uint32_t blocks = blocks_or_zero<0, Rules, items, false>(
            size_along(Size{}, 0), B{}.x(), CoverRule::round_up, 0);
        static_assert(
            Size::value == 0 || blocks != 0 || items != 0,
            "warpsafe: this count needs more blocks than any device allows; let each block handle several items, or launch part by part");
        static_assert(
            Size::value == 0 || blocks != 0 || items == 0,
            "warpsafe: this count needs a larger grid than any device allows; give each thread more items (items_per_thread<N>), or use grid_stride");
      }
    }
  }
  return usable;
}

/// A request without its types, so that one function reports for all of them why there is no grid.
struct CoverRequest {
  SizeBits sizes[3];  ///< 1 beyond the rank
  std::uint32_t threads[3];
  std::uint32_t blocks[2];  ///< 0 if the axis cannot be covered; of all axes but the last
  std::uint32_t items;      ///< of a thread; 0: an item has a block
  int rank;
  CoverRule rule;
  bool capped;
  bool may_be_empty;
};

/// Fills in `error` with the reason and returns false. Returns true for a permitted empty grid.
[[WARPSAFE_DETAIL_RARE]] constexpr bool refuse_cover(const CoverRequest& asked,
                                                     const DeviceLimits& floor,
                                                     LaunchError& error) noexcept {
  constexpr Stage stage = Stage::construction;
  const SizeBits(&sizes)[3] = asked.sizes;
  const int rank = asked.rank;
  bool zero = false;
  for (int axis = 0; axis < rank; ++axis) {
    if (asked.threads[axis] == 0) {
      return refuse(error, Errc::block_zero, stage, 0, 1024, static_cast<Axis>(axis));
    }
    if (sizes[axis].negative) {
      return refuse(error, Errc::size_negative, stage, 0 - sizes[axis].bits, 0,
                    rank == 1 ? Axis::none : static_cast<Axis>(axis));
    }
    zero = zero || sizes[axis].bits == 0;
  }
  if (zero) return asked.may_be_empty || refuse(error, Errc::size_zero, stage, 0, 1);
  std::uint64_t total = 0;
  if (!multiply(sizes[0].bits, sizes[1].bits, total) || !multiply(total, sizes[2].bits, total)) {
    return refuse(error, Errc::size_overflow, stage, sizes[0].bits, sizes[1].bits, Axis::none,
                  sizes[2].bits);
  }
  int axis = asked.items != 0 ? rank : 3;
  while (axis < 3 && asked.threads[axis] <= 1) ++axis;
  if (axis < 3) {
    // Only for a run-time block: a static one does not compile.
    return refuse(error, Errc::block_axis_too_large, stage, asked.threads[axis], 1,
                  static_cast<Axis>(axis));
  }
  axis = 0;
  while (axis < rank - 1 && asked.blocks[axis] != 0) ++axis;
  const Axis name = static_cast<Axis>(axis);
  const std::uint64_t size = sizes[axis].bits;
  const std::uint64_t threads = asked.threads[axis];
  std::uint64_t per_block = 1;
  if (asked.items != 0) per_block = threads * (axis == 0 ? asked.items : 1U);
  const std::uint64_t needed = blocks_for(size, per_block);
  const std::uint32_t most = floor.max_grid[axis];
  // The text of a size that wrapped below 0 says so.
  const std::uint64_t wrapped = (size >> 63U) != 0 ? size : 0;
  if (asked.capped && wrapped == 0) return refuse(error, Errc::grid_zero, stage, 0, most, name);
  if (asked.rule == CoverRule::exact && size % per_block != 0) {
    return refuse(error, Errc::size_not_multiple, stage, size, per_block,
                  rank == 1 ? Axis::none : name);
  }
  if (needed > most || asked.capped) {
    return refuse(error, Errc::grid_too_large, stage, needed, most, name, wrapped);
  }
  return refuse(error, Errc::axis_threads_too_many, stage, needed * threads,
                floor.max_threads_per_axis, name);
}

/// Fills in blocks and sizes. False for a size that cannot be covered; `refuse_sizes` then says
/// why. At CheckLevel::off it always returns true, and this size becomes a dimension of 0.
template <CheckLevel Level, class Rules, std::uint32_t Items, bool Capped, class Size, class B>
[[gnu::always_inline]] constexpr bool cover(const Size& size, const B& block, CoverRule rule,
                                            std::uint64_t cap,
                                            std::uint32_t (&blocks)[rank_of<Size>],
                                            std::uint64_t (&sizes)[rank_of<Size>]) noexcept {
  constexpr int rank = rank_of<Size>;
  const SizeBits size_x = size_along(size, 0);
  blocks[0] = blocks_or_zero<0, Rules, Items, Capped>(size_x, block.x(), rule, cap);
  sizes[0] = size_x.bits;
  bool fits = true;
  constexpr std::uint32_t beyond_x = Items != 0 ? 1 : 0;
  if constexpr (rank > 1) {
    const SizeBits size_y = size_along(size, 1);
    blocks[1] = blocks_or_zero<1, Rules, beyond_x, Capped>(size_y, block.y(), rule, cap);
    sizes[1] = size_y.bits;
    std::uint64_t total = 0;
    fits = multiply(size_x.bits, size_y.bits, total);
    if constexpr (rank > 2) {
      const SizeBits size_z = size_along(size, 2);
      blocks[2] = blocks_or_zero<2, Rules, beyond_x, Capped>(size_z, block.z(), rule, cap);
      sizes[2] = size_z.bits;
      fits = multiply(total, size_z.bits, total) & fits;
    }
  }
  if constexpr (!B::is_static && Items != 0) {
    // A run-time block with several threads along an axis that the size does not have would process
    // each item several times.
    if constexpr (rank < 2) fits = fits & (block.y() <= 1);
    if constexpr (rank < 3) fits = fits & (block.z() <= 1);
  }
  if constexpr (Level == CheckLevel::off) {
    blocks[0] = fits ? blocks[0] : 0U;
    return true;
  } else {
    fits = fits && blocks[0] != 0;
    if constexpr (rank > 1) fits = fits && blocks[1] != 0;
    if constexpr (rank > 2) fits = fits && blocks[2] != 0;
    if constexpr (!B::is_static) {
      fits = fits && block.x() != 0;
      if constexpr (rank > 1) fits = fits && block.y() != 0;
      if constexpr (rank > 2) fits = fits && block.z() != 0;
    }
    return fits;
  }
}

/// For sizes that `cover` cannot cover: fills in `error` with the reason and returns false. Returns
/// true for a permitted empty grid.
template <class Rules, std::uint32_t Items, bool Capped, bool MayBeEmpty, int Rank, class B>
constexpr bool refuse_sizes(const CoverSizes<Rank>& sizes, const B& block, CoverRule rule,
                            std::uint64_t cap, LaunchError& error) noexcept {
  CoverRequest asked{{{1, false}, {1, false}, {1, false}},
                     {block.x(), block.y(), block.z()},
                     {0, 0},
                     Items,
                     Rank,
                     rule,
                     Capped,
                     MayBeEmpty};
  for (int axis = 0; axis < Rank; ++axis) asked.sizes[axis] = sizes.along[axis];
  // If all of these can be covered, the reason is the last axis.
  if constexpr (Rank > 1) {
    asked.blocks[0] = blocks_or_zero<0, Rules, Items, Capped>(asked.sizes[0], block.x(), rule, cap);
  }
  if constexpr (Rank > 2) {
    constexpr std::uint32_t beyond_x = Items != 0 ? 1 : 0;
    asked.blocks[1] =
        blocks_or_zero<1, Rules, beyond_x, Capped>(asked.sizes[1], block.y(), rule, cap);
  }
  const bool may_be_empty = refuse_cover(asked, floor_of<Rules>, error);
  if constexpr (Items == 0) error.subcode = Subcode::block_per_item;
  return may_be_empty;
}

}  // namespace warpsafe::inline WARPSAFE_DETAIL_VERSION::detail
