// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/core/size_type.hpp>
#include <warpsafe/dims/dim3.hpp>

#include <cstdint>
#include <type_traits>

// How dimensions are made: at compile time by `block<256>`, `grid<4>` and `cluster<2>`, and at run
// time by the functions of Dim3.

namespace warpsafe::inline WARPSAFE_DETAIL_VERSION {

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

/// Whether an axis of a vendor's dim3 is an unsigned number of at most 32 bits.
template <class Number>
constexpr bool is_vendor_axis() noexcept {
  if constexpr (is_size<Number>) {
    return sizeof(Number) <= 4 && !(static_cast<Number>(-1) < static_cast<Number>(0));
  } else {
    return false;
  }
}
template <class T>
constexpr void check_vendor_dims() noexcept {
  static_assert(
      is_vendor_axis<decltype(T::x)>() && is_vendor_axis<decltype(T::y)>() &&
          is_vendor_axis<decltype(T::z)>(),
      "warpsafe: a vendor's dim3 has three unsigned 32-bit numbers; pass wider or signed numbers to GridDim::from_blocks or BlockDim::create, which check them");
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

template <class Space, std::uint32_t X, std::uint32_t Y, std::uint32_t Z>
template <detail::VendorDim3 Vendor>
constexpr Dim3<Space, X, Y, Z> Dim3<Space, X, Y, Z>::from_vendor(const Vendor& dims) noexcept
    requires(X == dynamic_dim && Y == dynamic_dim && Z == dynamic_dim) {
  detail::check_vendor_dims<Vendor>();
  return Dim3(Checked{}, static_cast<std::uint32_t>(dims.x), static_cast<std::uint32_t>(dims.y),
              static_cast<std::uint32_t>(dims.z));
}

template <class Space, std::uint32_t X, std::uint32_t Y, std::uint32_t Z>
template <class A, class B, class C>
constexpr result<Dim3<Space, X, Y, Z>> Dim3<Space, X, Y, Z>::checked(A x, B y, C z,
                                                                     call_site site) noexcept {
  constexpr bool is_grid = std::is_same_v<Space, grid_space>;
  constexpr bool is_block = std::is_same_v<Space, block_space>;
  constexpr std::uint64_t block_limit = 1024;  // threads, also along one axis
  const detail::SignedSize sizes[3] = {detail::SignedSize::of(x), detail::SignedSize::of(y),
                                       detail::SignedSize::of(z)};
  for (int i = 0; i < 3; ++i) {
    const std::uint64_t most = is_block  ? block_limit
                               : is_grid ? (i == 0 ? 2147483647U : 65535U)
                                         : 0xffffffffU;
    const Axis axis = static_cast<Axis>(i);
    const std::uint64_t value = sizes[i].magnitude;
    Errc code{};
    if (sizes[i].negative) {
      code = Errc::dimension_negative;
    } else if (value == 0) {
      code = is_grid ? Errc::grid_zero : Errc::block_zero;
    } else if (value > most) {
      code = is_grid ? Errc::grid_too_large : Errc::block_axis_too_large;
    }
    if (code != Errc{}) {
      LaunchError error = LaunchError::make(code, Stage::construction, value, most, axis, site);
      if (std::is_same_v<Space, cluster_space>) {
        error.subcode = Subcode::cluster_axis;
      } else if (sizes[i].negative) {
        error.subcode = is_grid ? Subcode::grid_axis : Subcode::block_axis;
      }
      return error;
    }
  }
  const Dim3 dims(Checked{}, static_cast<std::uint32_t>(sizes[0].magnitude),
                  static_cast<std::uint32_t>(sizes[1].magnitude),
                  static_cast<std::uint32_t>(sizes[2].magnitude));
  if (is_block && dims.count() > block_limit) {
    LaunchError error = LaunchError::make(Errc::block_too_large, Stage::construction, dims.count(),
                                          block_limit, Axis::none, site);
    error.extra = block_limit;  // accepted_threads()
    error.block[0] = dims.x();
    error.block[1] = dims.y();
    error.block[2] = dims.z();
    return error;
  }
  return dims;
}

}  // namespace warpsafe::inline WARPSAFE_DETAIL_VERSION
