// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/core/config.hpp>
#include <warpsafe/core/launch_shape.hpp>
#include <warpsafe/core/limits.hpp>
#include <warpsafe/dims/detail/cover.hpp>
#include <warpsafe/dims/dim3.hpp>
#include <warpsafe/dims/extent.hpp>
#include <warpsafe/dims/launch_options.hpp>
#include <warpsafe/dims/make_dims.hpp>
#include <warpsafe/error/result.hpp>

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace warpsafe::inline WARPSAFE_DETAIL_VERSION {

namespace detail {

/// A grid and its block: the part of a SafeGrid that a launch needs.
template <class Block, int Rank>
class GridNumbers : Block {
 public:
  /// Leaves the counts uninitialised: zeroing them makes g++ spill the grid to memory at every
  /// launch.
  constexpr explicit GridNumbers(const Block& block) noexcept : Block(block) {}

  [[nodiscard, gnu::always_inline]] constexpr const Block& block() const noexcept { return *this; }
  /// The blocks along an axis (0 is x).
  [[nodiscard, gnu::always_inline]] constexpr std::uint32_t blocks(int axis) const noexcept {
    return axis < Rank ? blocks_[axis] : 1;
  }
  [[nodiscard,
    gnu::always_inline]] constexpr std::uint32_t (&counts() noexcept)[std::size_t{Rank}] {
    return blocks_;
  }
  /// The dimensions as the runtime takes them.
  [[nodiscard, gnu::always_inline]] constexpr LaunchShape shape() const noexcept {
    LaunchShape shape;
    // No loop: with one, g++ does not keep the three numbers in registers.
    shape.grid[0] = blocks(0);
    shape.grid[1] = blocks(1);
    shape.grid[2] = blocks(2);
    shape.block[0] = block().x();
    shape.block[1] = block().y();
    shape.block[2] = block().z();
    return shape;
  }

 private:
  std::uint32_t blocks_[std::size_t{Rank}];
};

}  // namespace detail

/// A grid that is computed from the size that it covers, and keeps that size. `Rules` is the
/// backend whose documented limits are checked before a device is known: the blocks along each axis
/// and, on AMD, fewer than 2^32 threads along each. Any backend can launch the grid; the launch
/// checks the device's own limits.
///
/// Checked builds return an error for a size that cannot be covered. At CheckLevel::off the same
/// size becomes a zero dimension without a branch. Every vendor refuses a zero dimension, so it
/// fails in the driver instead of running as a smaller grid.
template <class Rules, class Block, int Rank, GridPolicy Policy, std::uint32_t Items>
class SafeGrid : detail::GridNumbers<Block, Rank>, public detail::GridCap<Policy> {
  using Numbers = detail::GridNumbers<Block, Rank>;

  template <class, class, int, GridPolicy, std::uint32_t>
  friend class SafeGrid;

 public:
  using grid_type = SafeGrid;
  using block_type = Block;
  template <detail::PartKind>
  static constexpr bool has = false;
  static constexpr int rank = Rank;
  static constexpr GridPolicy policy = Policy;
  /// The items per thread (items_per_thread<N>), or 0 if each item has a block (block_per_item).
  /// The kernel must declare the same number.
  static constexpr std::uint32_t items = Items;

  /// A grid with a thread for each element of `size`: a built-in whole number, an `extent{rows{m},
  /// cols{n}}`, `count<N>` for a number known at compile time, or a range whose `size()` counts
  /// elements. The options are items_per_thread<N>, for a kernel that declares handles_items<N>;
  /// block_per_item, which gives each element a whole block, for a block_per_item_kernel; and a
  /// kernel<…>, whose name the error then carries. Errc::size_zero, ::size_negative,
  /// ::size_overflow, ::grid_too_large, ::axis_threads_too_many.
  template <CheckLevel Level = current_level, class Size, class B, class Option1 = NoOption,
            class Option2 = NoOption>
  [[nodiscard, gnu::always_inline]] static constexpr auto cover(
      const Size& size, B block, Option1 option1 = {}, Option2 option2 = {},
      call_site site = call_site::current()) noexcept {
    return make<Level, GridPolicy::one_per_item>(size, block, detail::CoverRule::round_up, option1,
                                                 option2, site);
  }
  /// As `cover`, for kernels that check no bounds: each axis must be a multiple of the block.
  /// Also Errc::size_not_multiple.
  template <CheckLevel Level = current_level, class Size, class B, class Option1 = NoOption,
            class Option2 = NoOption>
  [[nodiscard, gnu::always_inline]] static constexpr auto cover_exact(
      const Size& size, B block, Option1 option1 = {}, Option2 option2 = {},
      call_site site = call_site::current()) noexcept {
    static_assert(
        detail::may_be_exact<Size, B, Option1, Option2>(),
        "warpsafe: this count is not a multiple of the block; use cover and a kernel that checks the bound, or a block that divides the count");
    return make<Level, GridPolicy::one_per_item>(size, block, detail::CoverRule::exact, option1,
                                                 option2, site);
  }
  /// As `cover`, for a size that may be 0. The grid is then empty, and its launch does nothing and
  /// succeeds on every backend.
  template <CheckLevel Level = current_level, class Size, class B, class Option1 = NoOption,
            class Option2 = NoOption>
  [[nodiscard, gnu::always_inline]] static constexpr auto cover_or_empty(
      const Size& size, B block, Option1 option1 = {}, Option2 option2 = {},
      call_site site = call_site::current()) noexcept {
    return make<Level, GridPolicy::one_per_item_or_empty>(size, block, detail::CoverRule::round_up,
                                                          option1, option2, site);
  }
  /// As `cover`, but checked at every level, for sizes that come from outside the program.
  template <class Size, class B, class Option1 = NoOption, class Option2 = NoOption>
  [[nodiscard, gnu::always_inline]] static constexpr auto cover_untrusted(
      const Size& size, B block, Option1 option1 = {}, Option2 option2 = {},
      call_site site = call_site::current()) noexcept {
    return make<CheckLevel::full, GridPolicy::one_per_item>(
        size, block, detail::CoverRule::round_up, option1, option2, site);
  }
  /// A grid of at most `most` blocks for a kernel declared `grid_stride_kernel`, with the options
  /// of `cover`. The number of threads also stays below 2^32, where a 32-bit stride would wrap to
  /// 0. Errc as `cover`, but no size is too large; Errc::grid_zero for `max_blocks` of 0, which an
  /// occupancy of 0 gives.
  template <CheckLevel Level = current_level, class Size, class B, class Most,
            class Option1 = NoOption>
  [[nodiscard, gnu::always_inline]] static constexpr auto grid_stride(
      const Size& size, B block, Most most, Option1 option1 = {},
      call_site site = call_site::current()) noexcept {
    static_assert(
        detail::rank_of<Size> == 1,
        "warpsafe: grid_stride uses one axis; pass the number of elements, or cover the extent");
    return make<Level, GridPolicy::strided>(size, block, detail::CoverRule::round_up, option1, most,
                                            site);
  }

  // Diagnose a missing block, and a grid made by the constructor.
  template <class... A>
  requires(sizeof...(A) < 2) static constexpr auto cover(const A&...) noexcept {
    return without_block<A...>();
  }
  template <class... A>
  requires(sizeof...(A) < 2) static constexpr auto cover_exact(const A&...) noexcept {
    return without_block<A...>();
  }
  template <class... A>
  requires(sizeof...(A) < 2) static constexpr auto cover_or_empty(const A&...) noexcept {
    return without_block<A...>();
  }
  template <class... A>
  requires(sizeof...(A) < 2) static constexpr auto cover_untrusted(const A&...) noexcept {
    return without_block<A...>();
  }
  template <class... A>
  requires(sizeof...(A) < 3) static constexpr auto grid_stride(const A&...) noexcept {
    static_assert(
        sizeof...(A) == 3,
        "warpsafe: grid_stride takes the size, the block and the largest number of blocks: grid_stride(n, block<256>, max_blocks(m))");
    return detail::failure<SafeGrid<Rules>>(
        LaunchError::make(Errc::size_zero, Stage::construction));
  }
#define WARPSAFE_DETAIL_SENTENCE \
  "warpsafe: make a SafeGrid with SafeGrid<>::cover(n, block<256>), or a grid from a number of blocks with GridDim::from_blocks"
  template <class Size, class B, class... A WARPSAFE_DETAIL_WHY>
  requires(detail::is_size<B> || is_block_dim<B> || is_grid_dim<B>) WARPSAFE_DETAIL_REFUSED
      explicit SafeGrid(const Size&, const B&, const A&...)
          WARPSAFE_DETAIL_REFUSAL(B,
                                  : Numbers(detail::lvalue<Block>()));
#undef WARPSAFE_DETAIL_SENTENCE

  using Numbers::block;
  using Numbers::blocks;
  using Numbers::shape;
  // A grid is a configuration without options, and `launch` accepts it as one.
  [[nodiscard, gnu::always_inline]] constexpr const SafeGrid& grid() const noexcept {
    return *this;
  }
  /// An error with Errc{}: `cover` has reported every problem that shows without a kernel and a
  /// device.
  [[nodiscard]] constexpr LaunchError problem() const noexcept {
    // Not {}, which leaves a LaunchError uninitialised.
    return LaunchError::make(Errc{}, Stage::construction);
  }
  /// The part that a launch needs, without the sizes. It is a copy, because a launch's error takes
  /// it by reference, which puts it into memory at every launch. With a copy, the sizes, and the
  /// result that holds the grid, stay in registers.
  [[nodiscard, gnu::always_inline]] constexpr Numbers numbers(detail::ForDispatch) const noexcept {
    return *this;
  }
  /// The elements that the grid covers along an axis (0 is x); 1 beyond the rank.
  [[nodiscard, gnu::always_inline]] constexpr std::uint64_t size(int axis) const noexcept {
    return axis < Rank ? sizes_[axis] : 1;
  }
  /// Whether the grid is the empty grid of `cover_or_empty(0, …)`.
  [[nodiscard, gnu::always_inline]] constexpr bool empty() const noexcept {
    if constexpr (Policy == GridPolicy::one_per_item_or_empty) {
      bool any_zero = false;
      for (int axis = 0; axis < Rank; ++axis) any_zero = any_zero || sizes_[axis] == 0;
      return any_zero;
    } else {
      return false;
    }
  }
  /// Prints grid=(…) covers (…) with blocks of (…), or, for block_per_item, with a block of (…) for
  /// each.
  template <class Stream>
  requires requires { typename Stream::char_type; }
  friend Stream& operator<<(Stream& out, const SafeGrid& grid) {
    out << "grid=(" << grid.blocks(0) << ',' << grid.blocks(1) << ',' << grid.blocks(2)
        << ") covers (" << grid.size(0) << ',' << grid.size(1) << ',' << grid.size(2)
        << (Items != 0 ? ") with blocks of " : ") with a block of ") << grid.block()
        << (Items != 0 ? "" : " for each");
    return out;
  }

 private:
  template <class... A>
  static constexpr auto without_block() noexcept {
    static_assert(sizeof...(A) == 2,
                  "warpsafe: a grid covers a size with a block: cover(n, block<256>)");
    return detail::failure<SafeGrid<Rules>>(
        LaunchError::make(Errc::size_zero, Stage::construction));
  }
  constexpr explicit SafeGrid(const Block& its_block) noexcept : Numbers(its_block) {}

  /// Sets the grid for these sizes. Returns false for sizes that cannot be covered.
  template <CheckLevel Level, class Size, class Most>
  [[nodiscard, gnu::always_inline]] constexpr bool set(const Size& size, detail::CoverRule rule,
                                                       [[maybe_unused]] const Most& most,
                                                       std::uint64_t& cap) noexcept {
    constexpr bool capped = Policy == GridPolicy::strided;
    if constexpr (capped && detail::is_max_blocks<Most>) {
      cap = most.count.negative ? 0 : most.count.magnitude;
      this->occupancy_cap = most.of;
    }
    return detail::cover<Level, Rules, Items, capped>(size, block(), rule, cap, this->counts(),
                                                      sizes_);
  }
  /// The grid for these sizes, or the reason why there is none. All checked calls with these types
  /// share it, so that a call emits no more than its arguments.
  template <class Most>
  [[nodiscard, gnu::noinline]] static constexpr result<SafeGrid> checked(
      detail::CoverSizes<Rank> sizes, Block block, detail::CoverRule rule, Most most, Name kernel,
      const call_site& site) noexcept {
    constexpr bool capped = Policy == GridPolicy::strided;
    constexpr bool may_be_empty = Policy == GridPolicy::one_per_item_or_empty;
    SafeGrid grid(block);
    std::uint64_t cap = 0;
    if (!grid.template set<CheckLevel::full>(sizes, rule, most, cap)) [[unlikely]] {
      LaunchError error;
      if (!detail::refuse_sizes<Rules, Items, capped, may_be_empty>(sizes, block, rule, cap,
                                                                    error)) {
        error.kernel = kernel;
        error.site = site;
        return detail::failure<SafeGrid>(error);
      }
      for (std::uint32_t& blocks : grid.counts()) blocks = 0;
    }
    return detail::result_of<SafeGrid>(grid);
  }

  template <CheckLevel Level, GridPolicy P, class Size, class B, class Option1, class Option2>
  [[gnu::always_inline]] static constexpr auto make(const Size& size, B block,
                                                    detail::CoverRule rule, const Option1& option1,
                                                    const Option2& option2,
                                                    const call_site& site) noexcept {
    constexpr bool usable =
        detail::check_cover_arguments<Rules, P == GridPolicy::strided, Size, B, Option1, Option2>();
    if constexpr (usable) {
      using Grid = SafeGrid<Rules, B, detail::rank_of<Size>, P,
                            detail::items_of<Option1> * detail::items_of<Option2>>;
      const auto most = detail::max_blocks_of(option2);
      if constexpr (Level == CheckLevel::off) {
        Grid grid(block);
        std::uint64_t cap = 0;
        static_cast<void>(grid.template set<Level>(size, rule, most, cap));
        return detail::result_of<Grid>(grid);
      } else {
        return Grid::checked(detail::sizes_of(size), block, rule, most,
                             detail::kernel_name_of(option1, option2), site);
      }
    } else {
      return detail::failure<SafeGrid<Rules>>(
          LaunchError::make(Errc::size_zero, Stage::construction));
    }
  }

  std::uint64_t sizes_[std::size_t{Rank}];
};

}  // namespace warpsafe::inline WARPSAFE_DETAIL_VERSION
