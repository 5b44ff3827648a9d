// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/core/config.hpp>
#include <warpsafe/core/launch_shape.hpp>
#include <warpsafe/core/name.hpp>
#include <warpsafe/dims/bytes.hpp>
#include <warpsafe/dims/dim3.hpp>
#include <warpsafe/dims/extent.hpp>
#include <warpsafe/error/error.hpp>

#include <cstddef>
#include <cstdint>
#include <type_traits>

// The arguments of SafeGrid's functions.

namespace warpsafe::inline WARPSAFE_DETAIL_VERSION {

/// A size known, and checked, at compile time: `SafeGrid<>::cover(count<1000>, block<256>)`.
template <auto N>
struct count_t {
  static constexpr auto value = N;
  static_assert(
      !detail::is_floating<decltype(N)>,
      "warpsafe: a size is a whole number of elements; round the floating-point value explicitly first");
  static_assert(!detail::is_bool<decltype(N)>, "warpsafe: a bool is not a size");
  static_assert(detail::is_floating<decltype(N)> || N >= 0,
                "warpsafe: a size is negative; it must be at least 0");
};
template <auto N>
inline constexpr count_t<N> count{};

/// An option of `cover`: each thread of the kernel handles N items (in x).
template <auto N>
struct items_per_thread_t {
  static_assert(detail::is_size<decltype(N)>,
                "warpsafe: items_per_thread takes a whole number: items_per_thread<4>");
  static_assert(!detail::is_size<decltype(N)> || N > 0,
                "warpsafe: a thread handles at least one item");
  static_assert(!detail::is_size<decltype(N)> || N <= 0 || N <= 0xffffffffU,
                "warpsafe: a thread handles at most 2^32-1 items");
};
template <auto N>
inline constexpr items_per_thread_t<N> items_per_thread{};

/// An option of `cover`: each item has a whole block, for instance each row of a matrix whose
/// kernel reduces a row. The grid has as many blocks as the size has items, and `block_index()` is
/// the item's index. Only for kernels that declare `block_per_item_kernel`.
struct block_per_item_t {};
inline constexpr block_per_item_t block_per_item{};

namespace detail {
/// What a number of resident blocks was computed for.
struct LaunchOccupancy {
  /// Hash of its name; 0: it is a number of the user's own. A kernel in a header is a separate
  /// function in each file, so its address does not identify it.
  std::uint64_t kernel = 0;
  std::uint64_t dynamic_shared = 0;  ///< bytes per block
  std::uint32_t threads = 0;         ///< of a block
  std::int32_t device = -1;
};
}  // namespace detail

/// The most blocks of a grid-stride grid: a number of your own, or max_resident_blocks
/// (launch/occupancy.hpp), which holds for one launch: checked builds compare.
struct max_blocks {
  explicit constexpr max_blocks(detail::SizeArgument number) noexcept : count(number.count) {}
  detail::SignedSize count;
  detail::LaunchOccupancy of{};  ///< the launch that the number was computed for, if any
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
/// The items per thread; 0: a block for each item.
template <class T>
inline constexpr std::uint32_t items_of = 1;
template <>
inline constexpr std::uint32_t items_of<block_per_item_t> = 0;
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
    is_kernel<T> || is_items<T> || std::is_same_v<T, block_per_item_t> ||
    std::is_same_v<T, NoOption> || is_max_blocks<T>;

template <class T>
concept Sized = requires(const T& range) {
  range.size();
}
&&!is_extent<T>;

template <class Size>
inline constexpr int rank_of = 1;
template <int Rank>
inline constexpr int rank_of<extent<Rank>> = Rank;

/// Whether a range holds bytes, as std::as_bytes returns it: its size() counts no elements.
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

/// Whether cover_exact leaves no partial block, as far as the types tell.
template <class Size, class B, class Option1, class Option2>
constexpr bool may_be_exact() noexcept {
  if constexpr (is_count<Size> && is_block_dim<B>) {
    constexpr std::uint64_t items = std::uint64_t{items_of<Option1>} * items_of<Option2>;
    if constexpr (B::is_static && items != 0) {
      return static_cast<std::uint64_t>(Size::value) % (B{}.x() * items) == 0;
    }
  }
  return true;
}

/// A size in two's complement. A negative size is at least 2^63, so one comparison finds sizes that
/// are too large and negative ones.
struct SizeBits {
  std::uint64_t bits;
  bool negative;
};

/// The size along x, y or z of an extent, or of a size with one axis.
template <class Size>
[[nodiscard, gnu::always_inline]] constexpr SizeBits size_along(
    const Size& size, [[maybe_unused]] int axis) noexcept {
  if constexpr (is_extent<Size>) {
    const bool negative = size.negative(axis);
    return {negative ? 0 - size.size(axis) : size.size(axis), negative};
  } else if constexpr (is_count<Size>) {
    return {static_cast<std::uint64_t>(Size::value), false};
  } else if constexpr (Sized<Size>) {
    const auto count = size.size();
    static_assert(is_size<decltype(count)>,
                  "warpsafe: a size is a built-in whole number (int, std::size_t, std::int64_t, "
                  "...)");
    if constexpr (is_size<decltype(count)>) {
      return size_along(count, axis);
    } else {
      return {};
    }
  } else if constexpr (std::is_signed_v<Size>) {
    return {static_cast<std::uint64_t>(size), size < 0};
  } else {
    return {static_cast<std::uint64_t>(size), false};
  }
}

/// The sizes along the axes of a grid, by value. A call with them keeps no size in memory.
template <int Rank>
struct CoverSizes {
  SizeBits along[std::size_t{Rank}];
};
template <int Rank>
inline constexpr int rank_of<CoverSizes<Rank>> = Rank;
template <int Rank>
[[nodiscard, gnu::always_inline]] constexpr SizeBits size_along(const CoverSizes<Rank>& sizes,
                                                                int axis) noexcept {
  return sizes.along[axis];
}
template <class Size>
[[nodiscard, gnu::always_inline]] constexpr auto sizes_of(const Size& size) noexcept {
  CoverSizes<rank_of<Size>> all{};
  for (int axis = 0; axis < rank_of<Size>; ++axis) all.along[axis] = size_along(size, axis);
  return all;
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

template <class Option>
[[nodiscard, gnu::always_inline]] constexpr auto max_blocks_of(
    [[maybe_unused]] const Option& option) noexcept {
  if constexpr (is_max_blocks<Option>) {
    return option;
  } else {
    return NoOption{};
  }
}

/// The launch that a grid's cap was computed for.
template <GridPolicy Policy>
class GridCap {};
template <>
class GridCap<GridPolicy::strided> {
 public:
  /// Fills in `error` if the cap was computed for another launch, with the first difference.
  [[gnu::cold]] constexpr void check_cap(Name kernel, int device, const LaunchShape& shape,
                                         LaunchError& error) const noexcept {
    if (occupancy_cap.kernel == 0) return;
    const auto compare = [&error](Subcode what, std::uint64_t value, std::uint64_t limit) {
      if (value == limit || error.code != Errc{}) return;
      static_cast<void>(refuse(error, Errc::occupancy_mismatch, Stage::validation, value, limit));
      error.subcode = what;
    };
    compare(Subcode::none, hash_of(kernel), occupancy_cap.kernel);
    compare(Subcode::cap_device, static_cast<std::uint64_t>(device),
            static_cast<std::uint64_t>(occupancy_cap.device));
    compare(Subcode::cap_threads, shape.threads_per_block(), occupancy_cap.threads);
    compare(Subcode::cap_bytes, shape.dynamic_shared, occupancy_cap.dynamic_shared);
  }

 protected:
  LaunchOccupancy occupancy_cap{};
};

}  // namespace detail
}  // namespace warpsafe::inline WARPSAFE_DETAIL_VERSION
