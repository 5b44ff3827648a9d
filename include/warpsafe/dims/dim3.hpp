// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/core/config.hpp>
#include <warpsafe/core/detail/refused.hpp>
#include <warpsafe/core/launch_shape.hpp>
#include <warpsafe/core/size_type.hpp>
#include <warpsafe/error/result.hpp>

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace warpsafe::inline WARPSAFE_DETAIL_VERSION {

/// What a Dim3 counts: blocks of a grid, threads of a block, blocks of a cluster. The spaces do not
/// convert to each other.
struct grid_space {};
struct block_space {};
struct cluster_space {};

/// In a Dim3's type, an axis whose value is known at run time.
inline constexpr std::uint32_t dynamic_dim = 0;

namespace detail {

template <std::uint32_t Value, int Axis>
struct AxisValue {
  constexpr AxisValue() noexcept = default;
  constexpr explicit AxisValue(std::uint32_t) noexcept {}
  [[nodiscard, gnu::always_inline]] static constexpr std::uint32_t get() noexcept { return Value; }
};
template <int Axis>
struct AxisValue<dynamic_dim, Axis> {
  std::uint32_t value;
  constexpr explicit AxisValue(std::uint32_t its_value) noexcept : value(its_value) {}
  [[nodiscard]] constexpr std::uint32_t get() const noexcept { return value; }
};

/// Makes a Dim3 of checked numbers.
struct DimAccess {
  template <class Dims>
  static constexpr Dims make(std::uint32_t x, std::uint32_t y, std::uint32_t z) noexcept {
    return Dims(typename Dims::Checked{}, x, y, z);
  }
};

/// One to three bare numbers.
template <class... Numbers>
inline constexpr bool are_numbers = sizeof...(Numbers) < 4 &&
                                    ((is_size<Numbers> || is_floating<Numbers>)&&...);

/// CUDA's or HIP's dim3, or a type with the same members.
template <class T>
concept VendorDim3 = requires(const T& dims) {
  static_cast<std::uint32_t>(dims.x);
  static_cast<std::uint32_t>(dims.y);
  static_cast<std::uint32_t>(dims.z);
}
&&!requires(const T& dims) { dims.x(); };
}  // namespace detail

/// Three axes of one space. Each is known at compile time (its number is in the type and takes no
/// storage) or at run time (`dynamic_dim`). Trivially copyable. Integers, other spaces and a
/// vendor's dim3 do not convert to it. A static Dim3 converts to a dynamic one of its space.
/// <warpsafe/dims/make_dims.hpp> defines the functions that make one.
template <class Space, std::uint32_t X = dynamic_dim, std::uint32_t Y = dynamic_dim,
          std::uint32_t Z = dynamic_dim>
class Dim3 : detail::AxisValue<X, 0>, detail::AxisValue<Y, 1>, detail::AxisValue<Z, 2> {
  using AxisX = detail::AxisValue<X, 0>;
  using AxisY = detail::AxisValue<Y, 1>;
  using AxisZ = detail::AxisValue<Z, 2>;

 public:
  using space = Space;
  /// Whether every axis is known at compile time.
  static constexpr bool is_static = X != dynamic_dim && Y != dynamic_dim && Z != dynamic_dim;

  constexpr Dim3() noexcept requires is_static = default;

  // No dimension is made of bare numbers. This is not explicit, so that the sentence is printed
  // wherever code tries to make one.
#define WARPSAFE_DETAIL_SENTENCE \
  "warpsafe: make a grid from the size that it covers: SafeGrid<>::cover(n, block<256>); use GridDim::from_blocks only for a number of blocks"
  template <class First, class... More WARPSAFE_DETAIL_WHY>
  requires(std::is_same_v<Space, grid_space>&& detail::are_numbers<First, More...>)
      WARPSAFE_DETAIL_REFUSED Dim3(First, More...)
  WARPSAFE_DETAIL_REFUSAL(First, : Dim3(Checked{}, 1, 1, 1));
#undef WARPSAFE_DETAIL_SENTENCE
#define WARPSAFE_DETAIL_SENTENCE \
  "warpsafe: make a block or cluster with block<256> or cluster<2>; for numbers known at run time use BlockDim::create(x, y, z), which checks them"
  template <class First, class... More WARPSAFE_DETAIL_WHY>
  requires(!std::is_same_v<Space, grid_space> &&
           detail::are_numbers<First, More...>) WARPSAFE_DETAIL_REFUSED Dim3(First, More...)
  WARPSAFE_DETAIL_REFUSAL(First, : Dim3(Checked{}, 1, 1, 1));
#undef WARPSAFE_DETAIL_SENTENCE

  /// Converts from a static Dim3 of the same space.
  template <std::uint32_t X2, std::uint32_t Y2, std::uint32_t Z2>
  requires((X == X2 || X == dynamic_dim) && (Y == Y2 || Y == dynamic_dim) &&
           (Z == Z2 || Z == dynamic_dim) &&
           !(X == X2 && Y == Y2 &&
             Z == Z2)) constexpr Dim3(const Dim3<Space, X2, Y2, Z2>&
                                          other) noexcept  // NOLINT(google-explicit-constructor)
      : AxisX(other.x()), AxisY(other.y()), AxisZ(other.z()) {}

  [[nodiscard, gnu::always_inline]] constexpr std::uint32_t x() const noexcept {
    return AxisX::get();
  }
  [[nodiscard, gnu::always_inline]] constexpr std::uint32_t y() const noexcept {
    return AxisY::get();
  }
  [[nodiscard, gnu::always_inline]] constexpr std::uint32_t z() const noexcept {
    return AxisZ::get();
  }
  /// x*y*z, or 2^64-1 if that does not fit.
  [[nodiscard]] constexpr std::uint64_t count() const noexcept {
    return LaunchShape::saturating_product({x(), y(), z()});
  }

  /// A block or cluster with sizes known at run time. Errc::dimension_negative, ::block_zero,
  /// ::block_axis_too_large (over 1024 per axis of a block), ::block_too_large (over 1024 threads,
  /// the limit of every device). The launch checks the size of a cluster. Grids have no `create`:
  /// make one with `SafeGrid`, or with `from_blocks` to count blocks on purpose.
  template <class A, class B = int, class C = int>
  [[nodiscard]] static constexpr result<Dim3> create(
      A x, B y = 1, C z = 1, call_site site = call_site::current()) noexcept {
    static_assert(
        !std::is_same_v<Space, grid_space>,
        "warpsafe: make a grid from the size that it covers: SafeGrid<>::cover(n, block<256>); use GridDim::from_blocks only for a number of blocks");
    return checked(x, y, z, site);
  }

  /// A grid of exactly that many blocks, whatever the size of the data. Errc as `create`, and
  /// Errc::grid_zero and ::grid_too_large (over 2^31-1 in x, 65535 in y and z).
  template <class A, class B = int, class C = int>
  [[nodiscard]] static constexpr result<Dim3> from_blocks(
      A x, B y = 1, C z = 1, call_site site = call_site::current()) noexcept {
    static_assert(std::is_same_v<Space, grid_space>, "warpsafe: from_blocks makes a grid");
    return checked(x, y, z, site);
  }

  /// Takes the vendor's own dim3 unchecked. The launch finds what is wrong with it.
  template <detail::VendorDim3 Vendor>
  [[nodiscard]] static constexpr Dim3 from_vendor(const Vendor& dims) noexcept
      requires(X == dynamic_dim && Y == dynamic_dim && Z == dynamic_dim);

  friend constexpr bool operator==(const Dim3& a, const Dim3& b) noexcept {
    return a.x() == b.x() && a.y() == b.y() && a.z() == b.z();
  }
  /// Prints (x,y,z).
  template <class Stream>
  requires requires { typename Stream::char_type; }
  friend Stream& operator<<(Stream& out, const Dim3& dims) {
    out << '(' << dims.x() << ',' << dims.y() << ',' << dims.z() << ')';
    return out;
  }

 private:
  template <class, std::uint32_t, std::uint32_t, std::uint32_t>
  friend class Dim3;
  friend struct detail::DimAccess;

  struct Checked {};
  constexpr Dim3(Checked, std::uint32_t x, std::uint32_t y, std::uint32_t z) noexcept
      : AxisX(x), AxisY(y), AxisZ(z) {}

  template <class A, class B, class C>
  static constexpr result<Dim3> checked(A x, B y, C z, call_site site) noexcept;
};

/// Dimensions known at run time. `block<256>`, `grid<…>` and `cluster<2>` make static ones.
using GridDim = Dim3<grid_space>;
using BlockDim = Dim3<block_space>;
using ClusterDim = Dim3<cluster_space>;

template <class T>
inline constexpr bool is_grid_dim = false;
template <std::uint32_t X, std::uint32_t Y, std::uint32_t Z>
inline constexpr bool is_grid_dim<Dim3<grid_space, X, Y, Z>> = true;
template <class T>
inline constexpr bool is_block_dim = false;
template <std::uint32_t X, std::uint32_t Y, std::uint32_t Z>
inline constexpr bool is_block_dim<Dim3<block_space, X, Y, Z>> = true;
template <class T>
inline constexpr bool is_cluster_dim = false;
template <std::uint32_t X, std::uint32_t Y, std::uint32_t Z>
inline constexpr bool is_cluster_dim<Dim3<cluster_space, X, Y, Z>> = true;

// What a grid's type says about the grid. A launch needs no more of SafeGrid (safe_grid.hpp).

/// How a grid relates to its size. It is part of the grid's type, since it determines which kernels
/// may run on the grid.
enum class GridPolicy : std::uint8_t {
  one_per_item,           ///< each item has a thread, a share of one (items_per_thread), or a block
                          ///< (block_per_item)
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

}  // namespace warpsafe::inline WARPSAFE_DETAIL_VERSION
