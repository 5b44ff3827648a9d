// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/core/detail/refused.hpp>
#include <warpsafe/core/size_type.hpp>

// Named axes, and extents of them. Kernels take them by value, so a launch that swaps rows and
// columns does not compile. No standard header, C++17: kernel_api.hpp includes this.

namespace warpsafe {
inline namespace WARPSAFE_DETAIL_VERSION {

namespace detail {

/// A whole number as the program passes it, for example to `rows{m}`.
struct SizeArgument {
  SignedSize count;

  template <class T, typename If<is_size<T>>::type* = nullptr>
  WARPSAFE_FN constexpr SizeArgument(T number) noexcept  // NOLINT(google-explicit-constructor)
      : count(SignedSize::of(number)) {}
#define WARPSAFE_DETAIL_SENTENCE "warpsafe: a bool is not a size"
  template <class T, typename If<is_bool<T>>::type* = nullptr WARPSAFE_DETAIL_WHY>
  WARPSAFE_FN WARPSAFE_DETAIL_REFUSED SizeArgument(T) WARPSAFE_DETAIL_REFUSAL(T);
#undef WARPSAFE_DETAIL_SENTENCE
#define WARPSAFE_DETAIL_SENTENCE \
  "warpsafe: a size is a whole number of elements; round the floating-point value explicitly first"
  template <class T, typename If<is_floating<T>>::type* = nullptr WARPSAFE_DETAIL_WHY>
  WARPSAFE_FN WARPSAFE_DETAIL_REFUSED SizeArgument(T) WARPSAFE_DETAIL_REFUSAL(T);
#undef WARPSAFE_DETAIL_SENTENCE
#define WARPSAFE_DETAIL_SENTENCE \
  "warpsafe: a size is a built-in whole number (int, std::size_t, std::int64_t, ...)"
  template <class T, typename If<!is_size<T> && !is_bool<T> && !is_floating<T>>::type* =
                         nullptr WARPSAFE_DETAIL_WHY>
  WARPSAFE_FN WARPSAFE_DETAIL_REFUSED SizeArgument(const T&) WARPSAFE_DETAIL_REFUSAL(T);
#undef WARPSAFE_DETAIL_SENTENCE
};

/// One axis of an extent: its number of elements, and which of x, y, z it runs along. A negative
/// number keeps its sign, and `cover` returns an error for it.
template <int Along>
struct AxisSize {
  using value_type = size_type;  // says to kernel parameters that it holds no address
  static constexpr int along = Along;
  SignedSize count;

  WARPSAFE_FN explicit constexpr AxisSize(SignedSize its_count) noexcept : count(its_count) {}
};

template <class T>
inline constexpr int axis_of = -1;

}  // namespace detail

/// The axes by name. Rows run along y and columns along x, so that neighbouring threads read
/// neighbouring columns of a row-major matrix. They take any built-in whole number;
/// `SafeGrid::cover` returns an error for a negative one.
struct x : detail::AxisSize<0> {
  WARPSAFE_FN explicit constexpr x(detail::SizeArgument size) noexcept : AxisSize(size.count) {}
};
struct y : detail::AxisSize<1> {
  WARPSAFE_FN explicit constexpr y(detail::SizeArgument size) noexcept : AxisSize(size.count) {}
};
struct z : detail::AxisSize<2> {
  WARPSAFE_FN explicit constexpr z(detail::SizeArgument size) noexcept : AxisSize(size.count) {}
};
struct cols : detail::AxisSize<0> {
  WARPSAFE_FN explicit constexpr cols(detail::SizeArgument size) noexcept : AxisSize(size.count) {}
};
struct rows : detail::AxisSize<1> {
  WARPSAFE_FN explicit constexpr rows(detail::SizeArgument size) noexcept : AxisSize(size.count) {}
};

namespace detail {
template <>
inline constexpr int axis_of<x> = 0;
template <>
inline constexpr int axis_of<y> = 1;
template <>
inline constexpr int axis_of<z> = 2;
template <>
inline constexpr int axis_of<cols> = 0;
template <>
inline constexpr int axis_of<rows> = 1;

template <class... Axes>
inline constexpr bool have_names = ((axis_of<Axes> >= 0) && ...);
/// Whether these are all axes of an extent of that rank, each once.
template <int Rank, class... Axes>
WARPSAFE_FN constexpr bool are_all_axes() noexcept {
  if constexpr (have_names<Axes...>) {
    return ((1 << axis_of<Axes>)+... + 0) == (1 << Rank) - 1;
  } else {
    return false;
  }
}
template <int Rank, class... Axes>
inline constexpr bool are_axes = are_all_axes<Rank, Axes...>();
}  // namespace detail

/// The index of a thread in the whole grid, or of an element of an extent. 64 bits per axis.
struct Index3 {
  size_type x, y, z;
  [[nodiscard]] WARPSAFE_FN constexpr size_type col() const noexcept { return x; }
  [[nodiscard]] WARPSAFE_FN constexpr size_type row() const noexcept { return y; }
#define WARPSAFE_DETAIL_SENTENCE                                                                \
  "warpsafe: an index has an axis: thread_index().x is the thread's number along x, .y and .z " \
  "those along y and z"
  template <class N, typename detail::If<detail::is_size<N> || detail::is_floating<N>>::type* =
                         nullptr WARPSAFE_DETAIL_WHY>
  WARPSAFE_FN WARPSAFE_DETAIL_REFUSED operator N() const WARPSAFE_DETAIL_REFUSAL(N);
#undef WARPSAFE_DETAIL_SENTENCE
};

/// The number of elements along one, two or three named axes in any order: `extent{rows{m},
/// cols{n}}`. Trivially copyable; kernels take it by value.
template <int Rank>
class extent {
  static_assert(Rank >= 1 && Rank <= 3, "warpsafe: an extent has one, two or three axes");

 public:
  using value_type = size_type;  // as AxisSize
  static constexpr int rank = Rank;

  template <class... Axes, typename detail::If<detail::are_axes<Rank, Axes...>>::type* = nullptr>
  WARPSAFE_FN constexpr explicit extent(Axes... axes) noexcept : size_{}, negative_(0) {
    ((size_[Axes::along] = axes.count.magnitude), ...);
    negative_ = ((axes.count.negative ? 1U << Axes::along : 0U) | ... | 0U);
  }
#define WARPSAFE_DETAIL_SENTENCE                                                                \
  "warpsafe: name the axes of an extent: extent{rows{m}, cols{n}}, or x{...}, y{...}, z{...}; " \
  "bare numbers cannot tell rows from columns"
  template <
      class First, class... More,
      typename detail::If<!detail::have_names<First, More...>>::type* = nullptr WARPSAFE_DETAIL_WHY>
  WARPSAFE_FN WARPSAFE_DETAIL_REFUSED explicit extent(First, More...)
      WARPSAFE_DETAIL_REFUSAL(First,
                              : size_{}, negative_(0));
#undef WARPSAFE_DETAIL_SENTENCE
#define WARPSAFE_DETAIL_SENTENCE                                                            \
  "warpsafe: an extent names each of its axes once: x, then x and y (cols and rows), then " \
  "x, y and z"
  template <class First, class... More,
            typename detail::If<detail::have_names<First, More...> &&
                                !detail::are_axes<Rank, First, More...>>::type* =
                nullptr WARPSAFE_DETAIL_WHY>
  WARPSAFE_FN WARPSAFE_DETAIL_REFUSED explicit extent(First, More...)
      WARPSAFE_DETAIL_REFUSAL(First,
                              : size_{}, negative_(0));
#undef WARPSAFE_DETAIL_SENTENCE

  /// The elements along an axis: 0 is x (columns), 1 is y (rows), 2 is z; 1 beyond the rank.
  [[nodiscard]] WARPSAFE_FN constexpr size_type size(int axis) const noexcept {
    return axis < Rank ? size_[axis] : 1;
  }
  /// The elements along x and along y; `rows()` is 1 for an extent of one axis.
  [[nodiscard]] WARPSAFE_FN constexpr size_type cols() const noexcept { return size(0); }
  [[nodiscard]] WARPSAFE_FN constexpr size_type rows() const noexcept { return size(1); }
  /// Whether the number given for that axis was negative.
  [[nodiscard]] WARPSAFE_FN constexpr bool negative(int axis) const noexcept {
    return (negative_ >> axis & 1U) != 0;
  }
  /// Whether an index lies inside: the check of bounds in a kernel.
  [[nodiscard]] WARPSAFE_FN constexpr bool contains(Index3 index) const noexcept {
    return index.x < size(0) && index.y < size(1) && index.z < size(2);
  }
  /// The offset of an element in row-major order, in elements.
  [[nodiscard]] WARPSAFE_FN constexpr size_type offset(Index3 index) const noexcept {
    return (index.z * size(1) + index.y) * size(0) + index.x;
  }

#if !defined(__CUDACC_RTC__)  // NVRTC refuses host functions
  /// Prints (x,y,z) in elements, 1 beyond the rank.
  template <class Stream, class = typename Stream::char_type>
  friend Stream& operator<<(Stream& out, const extent& sizes) {
    out << '(' << sizes.size(0) << ',' << sizes.size(1) << ',' << sizes.size(2) << ')';
    return out;
  }
#endif

 private:
  size_type size_[size_type{Rank}];
  unsigned negative_;
};

template <class... Axes>
extent(Axes...) -> extent<static_cast<int>(sizeof...(Axes))>;

}  // namespace WARPSAFE_DETAIL_VERSION
}  // namespace warpsafe
