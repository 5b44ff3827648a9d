// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/core/size_type.hpp>
#include <warpsafe/dims/dim3.hpp>

#include <cstdint>
#include <type_traits>

// Dimensions known at compile time: `block<256>`, `grid<4>`, `cluster<2>`.

namespace warpsafe {

namespace detail {

template <auto... Sizes>
inline constexpr bool whole_numbers = (is_size<decltype(Sizes)> && ...);
template <auto Size>
inline constexpr std::uint64_t magnitude = SignedSize::of(Size).magnitude;

/// Diagnoses static sizes that no GPU allows. @pre positive whole numbers
template <class Space, auto X, auto Y, auto Z>
consteval void check_limits() noexcept {
  constexpr std::uint64_t count = magnitude<X> * magnitude<Y> * magnitude<Z>;
  if constexpr (std::is_same_v<Space, block_space>) {
    static_assert(
        magnitude<X> <= 1024 && magnitude<Y> <= 1024,
        "warpsafe: more than 1024 threads along one axis of a block, the limit of every GPU; "
        "use a smaller block and cover the size with more blocks");
    static_assert(
        magnitude<Z> <= 64,
        "warpsafe: block.z is more than 64, the limit of every CUDA device; put the long axis "
        "in x (for AMD alone: BlockDim::create(x, y, z))");
    static_assert(
        magnitude<X> > 1024 || magnitude<Y> > 1024 || magnitude<Z> > 64 || count <= 1024,
        "warpsafe: more than 1024 threads per block, the limit of every GPU; use a smaller "
        "block, e.g. block<32, 32>, and cover the size with more blocks");
  } else if constexpr (std::is_same_v<Space, grid_space>) {
    static_assert(
        magnitude<X> <= 2147483647 && magnitude<Y> <= 65535 && magnitude<Z> <= 65535,
        "warpsafe: a grid has at most 2147483647 blocks in x and 65535 in y and z; put the "
        "long axis in x");
  } else {
    static_assert(
        magnitude<X> <= 8 && magnitude<Y> <= 8 && magnitude<Z> <= 8 && count <= 8,
        "warpsafe: a portable cluster has at most 8 blocks; use non_portable_cluster<16> on devices that allow more");
  }
}

/// Whether these static sizes make a Dim3. Diagnoses the others.
template <class Space, auto X, auto Y, auto Z>
consteval bool check_static_sizes() noexcept {
  constexpr bool whole = whole_numbers<X, Y, Z>;
  static_assert(whole, "warpsafe: a dimension must be a whole number: block<256>, block<16, 16>");
  if constexpr (whole) {
    constexpr bool positive = X > 0 && Y > 0 && Z > 0;
    static_assert(
        positive,
        "warpsafe: a dimension is 0 or negative; every axis must be at least 1 (leave out the axes that you do not use)");
    if constexpr (positive) check_limits<Space, X, Y, Z>();
    return positive;
  } else {
    return false;
  }
}

template <class Space, auto X, auto Y, auto Z>
consteval auto static_dim() noexcept {
  if constexpr (check_static_sizes<Space, X, Y, Z>()) {
    return Dim3<Space, static_cast<std::uint32_t>(X), static_cast<std::uint32_t>(Y),
                static_cast<std::uint32_t>(Z)>{};
  } else {
    return Dim3<Space, 1, 1, 1>{};
  }
}

}  // namespace detail

/// A block of X*Y*Z threads, known at compile time. Sizes that no GPU allows do not compile.
template <auto X, auto Y = 1, auto Z = 1>
inline constexpr auto block = detail::static_dim<block_space, X, Y, Z>();

/// A launch option: a cluster of X*Y*Z blocks, at most 8, which every device with clusters allows.
template <auto X, auto Y = 1, auto Z = 1>
inline constexpr auto cluster = detail::static_dim<cluster_space, X, Y, Z>();

/// A grid of exactly X*Y*Z blocks, known at compile time. For a size, use SafeGrid.
template <auto X, auto Y = 1, auto Z = 1>
inline constexpr auto grid = detail::static_dim<grid_space, X, Y, Z>();

}  // namespace warpsafe
