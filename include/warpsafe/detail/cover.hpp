// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/bytes.hpp>
#include <warpsafe/config.hpp>
#include <warpsafe/detail/arithmetic.hpp>
#include <warpsafe/dim3.hpp>
#include <warpsafe/extent.hpp>
#include <warpsafe/limits.hpp>
#include <warpsafe/result.hpp>

#include <cstddef>
#include <cstdint>
#include <type_traits>

// The arithmetic behind SafeGrid, and what may be given to it.

namespace warpsafe {

/// A size known while compiling: `SafeGrid<>::cover(count<1000>, block<256>)` checks it there.
template <auto N>
struct count_t {
  static constexpr auto value = N;
  static_assert(
      !detail::is_floating<decltype(N)>,
      "warpsafe: a size is a whole number of elements; round the floating value on purpose first");
  static_assert(!detail::is_bool<decltype(N)>, "warpsafe: a bool is not a size");
  static_assert(detail::is_floating<decltype(N)> || N >= 0,
                "warpsafe: a size is negative; it is at least 0");
};
template <auto N>
inline constexpr count_t<N> count{};

/// Cover option: each thread of the kernel handles N items (in x).
template <auto N>
struct items_per_thread_t {
  static_assert(detail::is_size<decltype(N)>,
                "warpsafe: a thread handles a whole number of items: items_per_thread<4>");
  static_assert(!detail::is_size<decltype(N)> || N > 0,
                "warpsafe: a thread handles at least one item");
  static_assert(!detail::is_size<decltype(N)> || N <= 0 || N <= 0xffffffffU,
                "warpsafe: a thread handles at most 2^32-1 items");
};
template <auto N>
inline constexpr items_per_thread_t<N> items_per_thread{};

/// The most blocks that a grid-stride grid may have: a number of your own, or the occupancy's.
struct max_blocks {
  template <class T>
  explicit constexpr max_blocks(T number) noexcept : count(detail::SignedSize::of(number)) {}
  detail::SignedSize count;
};

struct NoOption {};

namespace detail {

enum class CoverRule : std::uint8_t { round_up, exact };

template <class T>
inline constexpr bool is_extent = false;
template <int Rank>
inline constexpr bool is_extent<extent<Rank>> = true;
template <class T>
inline constexpr bool is_count = false;
template <auto N>
inline constexpr bool is_count<count_t<N>> = true;
template <class T>
inline constexpr bool is_kernel = false;  // true for BasicKernel (kernel.hpp)
template <class T>
inline constexpr std::uint32_t items_of = 1;
template <auto N>
inline constexpr std::uint32_t items_of<items_per_thread_t<N>> = static_cast<std::uint32_t>(N);
template <class T>
inline constexpr bool is_items = false;
template <auto N>
inline constexpr bool is_items<items_per_thread_t<N>> = true;
template <class T>
inline constexpr bool is_max_blocks = std::is_same_v<T, max_blocks>;
template <class T>
inline constexpr bool is_cover_option =
    is_kernel<T> || is_items<T> || std::is_same_v<T, NoOption> || is_max_blocks<T>;

template <class T>
concept Sized = requires(const T& range) {
  range.size();
}
&&!is_extent<T>;

template <class Size>
inline constexpr int rank_of = 1;
template <int Rank>
inline constexpr int rank_of<extent<Rank>> = Rank;

/// A range of bytes, as std::as_bytes gives: what its size() counts is no element of anything.
template <class Size>
constexpr bool counts_bytes() noexcept {
  if constexpr (requires { typename Size::element_type; }) {
    return std::is_same_v<std::remove_cv_t<typename Size::element_type>, std::byte>;
  } else if constexpr (requires { typename Size::value_type; }) {
    return std::is_same_v<std::remove_cv_t<typename Size::value_type>, std::byte>;
  } else {
    return false;
  }
}
template <class Size>
inline constexpr bool is_range_of_bytes = counts_bytes<Size>();

/// The sentence for who makes a grid by SafeGrid's constructor, as a constraint that is asked when
/// somebody tries it; Outcome asks with other types.
template <class Size, class B, class... A>
constexpr bool makes_grid_by_hand() noexcept {
  constexpr bool tried = is_size<B> || is_block_dim<B> || is_grid_dim<B>;
  static_assert(!tried,
                "warpsafe: a SafeGrid is made by SafeGrid<>::cover(n, block<256>), and from blocks "
                "by GridDim::from_blocks");
  return tried;
}

/// Whether cover_exact leaves no part of a block, as far as types tell.
template <class Size, class B, class Option1, class Option2>
constexpr bool may_be_exact() noexcept {
  if constexpr (is_count<Size> && is_block_dim<B>) {
    if constexpr (B::is_static) {
      return SignedSize::of(Size::value).magnitude %
                 (std::uint64_t{B{}.x()} * items_of<Option1> * items_of<Option2>) ==
             0;
    }
  }
  return true;
}

/// The sizes of x, y, z with their signs.
template <class Size>
[[nodiscard, gnu::always_inline]] constexpr SignedSize size_along(const Size& size,
                                                                  int axis) noexcept {
  if constexpr (is_extent<Size>) {
    return {size.size(axis), size.negative(axis)};
  } else if constexpr (Sized<Size>) {
    return axis == 0 ? SignedSize::of(size.size()) : SignedSize{1, false};
  } else {
    return axis == 0 ? SignedSize::of(size) : SignedSize{1, false};
  }
}
template <auto N>
[[nodiscard, gnu::always_inline]] constexpr SignedSize size_along(const count_t<N>&,
                                                                  int axis) noexcept {
  return axis == 0 ? SignedSize::of(N) : SignedSize{1, false};
}

/// What is wrong with one axis, or Errc{}: `blocks` blocks of `threads` threads for `n` items.
[[nodiscard]] constexpr Errc axis_problem(SignedSize n, std::uint64_t per_block, CoverRule rule,
                                          std::uint64_t blocks, std::uint32_t threads,
                                          std::uint32_t most_blocks,
                                          std::uint64_t most_threads) noexcept {
  if (n.negative) return Errc::size_negative;
  if (rule == CoverRule::exact && n.magnitude % per_block != 0) return Errc::size_not_multiple;
  if (blocks > most_blocks) return Errc::grid_too_large;
  if (most_threads != 0 && blocks * threads > most_threads) return Errc::axis_threads_too_many;
  return Errc{};
}

/// The static part: each mistake in the arguments' types gets its own sentence. `Capped`: the grid
/// may be smaller than the size. True if all are usable.
template <class Rules, bool Capped, class Size, class B, class Option1, class Option2>
constexpr bool check_cover_arguments() noexcept {
  constexpr bool is_number = is_size<Size>;
  constexpr bool size_known = is_number || is_extent<Size> || is_count<Size> || Sized<Size>;
  static_assert(!is_bool<Size>, "warpsafe: a bool is not a size");
  static_assert(
      !is_floating<Size>,
      "warpsafe: a size is a whole number of elements; round the floating value on purpose first");
  static_assert(!std::is_same_v<Size, Bytes>,
                "warpsafe: a grid covers elements, not bytes; give it the number of elements");
  static_assert(!std::is_pointer_v<Size>, "warpsafe: a pointer is not a size");
  static_assert(!is_range_of_bytes<Size>,
                "warpsafe: a range of std::byte counts bytes, and a grid covers elements; give it "
                "the range of elements, or, where a thread takes one byte, size() as a number");
  static_assert(
      is_bool<Size> || is_floating<Size> || std::is_same_v<Size, Bytes> ||
          std::is_pointer_v<Size> || size_known,
      "warpsafe: a size is a whole number, extent{rows{m}, cols{n}}, count<N>, or something with "
      "size()");
  static_assert(!is_grid_dim<B>,
                "warpsafe: this is a grid where the block belongs; write block<256>");
  static_assert(
      !is_size<B>,
      "warpsafe: a bare number is no block; write block<256>, or BlockDim::create(n) for a size "
      "known at run time");
  static_assert(
      is_grid_dim<B> || is_size<B> || is_block_dim<B>,
      "warpsafe: the second argument is the block: block<256>, block<16, 16>, or a BlockDim (which "
      "BlockDim::create gives in a result, and from_vendor makes of a dim3)");
  static_assert(!Capped || is_max_blocks<Option2>,
                "warpsafe: grid_stride takes the most blocks third, as max_blocks(m)");
  static_assert(is_cover_option<Option1> && is_cover_option<Option2>,
                "warpsafe: cover takes items_per_thread<N> and kernel<k> after the block");
  static_assert(
      Capped || !(is_max_blocks<Option1> || is_max_blocks<Option2>),
      "warpsafe: cover gives every item its thread, so max_blocks has no place in it; use "
      "grid_stride(n, block<256>, max_blocks(m)) with a grid_stride_kernel");
  static_assert(!(is_items<Option1> && is_items<Option2>),
                "warpsafe: items_per_thread is given twice");
  constexpr bool usable = size_known && is_block_dim<B>;
  if constexpr (usable) {
    if constexpr (B::is_static) {
      static_assert(rank_of<Size> >= 2 || (B{}.y() == 1 && B{}.z() == 1),
                    "warpsafe: a block of several axes needs an extent with as many: "
                    "cover(extent{rows{m}, cols{n}}, block<16, 16>)");
      static_assert(rank_of<Size> >= 3 || B{}.z() == 1,
                    "warpsafe: a block of three axes needs an extent{x{…}, y{…}, z{…}}");
    }
    if constexpr (is_count<Size>) {
      static_assert(
          size_along(Size{}, 0).magnitude > 0,
          "warpsafe: a size of 0 covers nothing; cover_or_empty is for sizes that may be zero");
      if constexpr (B::is_static && !Capped) {
        constexpr SignedSize n = size_along(Size{}, 0);
        constexpr std::uint64_t per_block =
            std::uint64_t{B{}.x()} * items_of<Option1> * items_of<Option2>;
        constexpr Errc problem = axis_problem(
            n, per_block, CoverRule::round_up, blocks_for(n.magnitude, per_block), B{}.x(),
            floor_of<Rules>.max_grid[0], floor_of<Rules>.max_threads_per_axis);
        static_assert(
            n.magnitude == 0 || problem == Errc{},
            "warpsafe: this count needs a larger grid than the devices have; give each thread more "
            "items (items_per_thread<N>), or use grid_stride");
      }
    }
  }
  return usable;
}

struct CoverOptions {
  std::uint32_t items = 1;
  std::uint64_t most = ~std::uint64_t{0};
  bool capped = false;
};

template <class Option1, class Option2>
[[nodiscard, gnu::always_inline]] constexpr CoverOptions cover_options(
    const Option1&, const Option2& option2) noexcept {
  CoverOptions options{items_of<Option1> * items_of<Option2>};
  if constexpr (std::is_same_v<Option2, max_blocks>) {
    options.capped = true;
    options.most = option2.count.negative ? 0 : option2.count.magnitude;
  }
  return options;
}

template <class Option1, class Option2>
[[nodiscard, gnu::always_inline]] constexpr Name kernel_name_of(
    [[maybe_unused]] const Option1& option1, [[maybe_unused]] const Option2& option2) noexcept {
  if constexpr (is_kernel<Option1>) {
    return option1.name();
  } else if constexpr (is_kernel<Option2>) {
    return option2.name();
  } else {
    return Name{};
  }
}

/// One axis at CheckLevel::off: what cannot be covered becomes 0 blocks, without a branch.
template <int Along, class Rules, class Size>
[[gnu::always_inline]] constexpr std::uint32_t cover_unchecked(
    const Size& size, std::uint32_t threads, CoverRule rule, const CoverOptions& options) noexcept {
  constexpr const DeviceLimits& floor = floor_of<Rules>;
  const SignedSize n = size_along(size, Along);
  // A block of 0 threads can only come from a vendor's dim3: nothing is divided by it here, and the
  // runtime refuses the block itself.
  const std::uint64_t width = threads != 0 ? threads : 1U;
  const std::uint64_t per_block = width * (Along == 0 ? options.items : 1U);
  std::uint64_t needed = blocks_for(std::uint64_t{n.magnitude}, per_block);
  std::uint64_t most = floor.max_grid[Along];
  if constexpr (floor.max_threads_per_axis != 0) {
    const std::uint64_t by_threads = floor.max_threads_per_axis / width;
    most = by_threads < most ? by_threads : most;
  }
  if (options.capped) {
    const std::uint64_t by_stride = 0xffffffffU / width;
    const std::uint64_t cap = options.most < by_stride ? options.most : by_stride;
    needed = needed < cap ? needed : cap;
    needed = needed < most ? needed : most;
  }
  // What cannot be covered becomes more than any grid has: one comparison is left, which compilers
  // make a conditional move.
  const bool impossible = n.negative | (rule == CoverRule::exact && n.magnitude % per_block != 0);
  needed |= std::uint64_t{0} - static_cast<std::uint64_t>(impossible);
  return needed <= most ? static_cast<std::uint32_t>(needed) : 0U;
}

/// Fills blocks and sizes. At CheckLevel::off always true, and what cannot be covered is a
/// dimension of 0.
template <CheckLevel Level, class Rules, bool MayBeEmpty, class Size, class B>
constexpr bool cover(const Size& size, const B& block, CoverRule rule, const CoverOptions& options,
                     std::uint32_t (&blocks)[rank_of<Size>], std::uint64_t (&sizes)[rank_of<Size>],
                     LaunchError& error) noexcept {
  constexpr int rank = rank_of<Size>;
  constexpr const DeviceLimits& floor = floor_of<Rules>;
  const std::uint32_t threads[3] = {block.x(), block.y(), block.z()};
  for (int axis = 0; axis < rank; ++axis) sizes[axis] = size_along(size, axis).magnitude;
  if constexpr (Level == CheckLevel::off) {
    blocks[0] = cover_unchecked<0, Rules>(size, threads[0], rule, options);
    if constexpr (rank > 1) blocks[1] = cover_unchecked<1, Rules>(size, threads[1], rule, options);
    if constexpr (rank > 2) blocks[2] = cover_unchecked<2, Rules>(size, threads[2], rule, options);
    if constexpr (rank > 1) {
      std::uint64_t total = sizes[0];
      bool fits = true;
      for (int axis = 1; axis < rank; ++axis) {
        fits = multiply(total, std::uint64_t{sizes[axis]}, total) & fits;
      }
      blocks[0] = fits ? blocks[0] : 0U;
    }
    if constexpr (rank < 3 && !B::is_static) {
      // A run-time block with threads along an axis that the size does not have would run each item
      // that many times.
      bool flat = threads[2] <= 1;
      if constexpr (rank < 2) flat = flat & (threads[1] <= 1);
      blocks[0] = flat ? blocks[0] : 0U;
    }
  }
  if constexpr (Level != CheckLevel::off) {
    std::uint64_t total = 1;
    bool zero = false;
    for (int axis = 0; axis < rank; ++axis) zero = zero || sizes[axis] == 0;
    for (int axis = 0; axis < rank; ++axis) {
      const Axis name = rank == 1 ? Axis::none : static_cast<Axis>(axis);
      const SignedSize n = size_along(size, axis);
      if (threads[axis] == 0) {
        return refuse(error, Errc::block_zero, Stage::construction, 0, 1024,
                      static_cast<Axis>(axis));
      }
      if (n.negative) {
        return refuse(error, Errc::size_negative, Stage::construction, n.magnitude, 0, name);
      }
      if (!zero && !multiply(total, std::uint64_t{n.magnitude}, total)) {
        return refuse(error, Errc::size_overflow, Stage::construction, sizes[0],
                      rank > 1 ? sizes[rank > 1 ? 1 : 0] : 1, Axis::none,
                      rank > 2 ? sizes[rank > 2 ? 2 : 0] : 1);
      }
    }
    if (zero) {
      for (int axis = 0; axis < rank; ++axis) blocks[axis] = 0;
      if (MayBeEmpty) return true;
      return refuse(error, Errc::size_zero, Stage::construction, 0, 1);
    }
    for (int axis = rank; axis < 3; ++axis) {
      if (threads[axis] > 1) {
        // Only a run-time block gets here: a static one did not compile.
        return refuse(error, Errc::block_axis_too_large, Stage::construction, threads[axis], 1,
                      static_cast<Axis>(axis));
      }
    }
    for (int axis = 0; axis < rank; ++axis) {
      const SignedSize n = size_along(size, axis);
      const std::uint64_t per_block =
          static_cast<std::uint64_t>(threads[axis]) * (axis == 0 ? options.items : 1U);
      std::uint64_t needed = blocks_for(std::uint64_t{n.magnitude}, per_block);
      std::uint64_t most_threads = floor.max_threads_per_axis;
      if (options.capped) {
        if (options.most == 0) {
          return refuse(error, Errc::grid_zero, Stage::construction, 0, floor.max_grid[axis],
                        static_cast<Axis>(axis));
        }
        const std::uint64_t by_stride = 0xffffffffU / threads[axis];
        const std::uint64_t by_rules = most_threads != 0 ? most_threads / threads[axis] : by_stride;
        const std::uint64_t caps[] = {options.most, by_stride, by_rules, floor.max_grid[axis]};
        for (const std::uint64_t cap : caps) needed = needed < cap ? needed : cap;
      }
      const Errc problem = axis_problem(n, per_block, rule, needed, threads[axis],
                                        floor.max_grid[axis], most_threads);
      if (problem != Errc{}) {
        const Axis name =
            problem == Errc::size_not_multiple && rank == 1 ? Axis::none : static_cast<Axis>(axis);
        const bool by_threads = problem == Errc::axis_threads_too_many;
        const bool not_multiple = problem == Errc::size_not_multiple;
        return refuse(error, problem, Stage::construction,
                      not_multiple ? n.magnitude
                      : by_threads ? needed * threads[axis]
                                   : needed,
                      not_multiple ? per_block
                      : by_threads ? most_threads
                                   : floor.max_grid[axis],
                      name);
      }
      blocks[axis] = static_cast<std::uint32_t>(needed);
    }
  }
  return true;
}

}  // namespace detail
}  // namespace warpsafe
