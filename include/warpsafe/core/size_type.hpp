// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/core/config.hpp>
#include <warpsafe/core/detail/refused.hpp>

// The types of sizes, for host and device code. C++17, without standard headers.

namespace warpsafe {
inline namespace WARPSAFE_DETAIL_VERSION {

/// A count of elements, blocks or bytes: 64 bits on every platform.
using size_type = decltype(sizeof(0));
static_assert(sizeof(size_type) == 8, "warpsafe supports 64-bit platforms only");

namespace detail {

template <class A, class B>
inline constexpr bool is_same = false;
template <class A>
inline constexpr bool is_same<A, A> = true;
template <class T, class... Types>
inline constexpr bool is_one_of = (is_same<T, Types> || ...);

/// The integer types that are accepted as sizes: not bool, characters or floating-point types.
template <class T>
inline constexpr bool is_size =
    is_one_of<T, signed char, unsigned char, short, unsigned short, int, unsigned int, long,
              unsigned long, long long, unsigned long long>;
template <class T>
inline constexpr bool is_size<const T> = is_size<T>;

template <class T>
inline constexpr bool is_bool = is_same<T, bool>;
template <class T>
inline constexpr bool is_floating = is_one_of<T, float, double, long double>;

/// An integer as magnitude and sign, so that no bit is lost before the value is checked.
struct SignedSize {
  size_type magnitude;
  bool negative;

  template <class T>
  WARPSAFE_FN static constexpr SignedSize of(T number) noexcept {
    static_assert(!is_bool<T>, "warpsafe: a bool is not a size");
    static_assert(
        !is_floating<T>,
        "warpsafe: a size is a whole number of elements; round the floating-point value explicitly first");
    static_assert(
        is_bool<T> || is_floating<T> || is_size<T>,
        "warpsafe: a size is a built-in whole number (int, std::size_t, std::int64_t, ...)");
    if constexpr (is_size<T>) {
      if constexpr (static_cast<T>(-1) < static_cast<T>(0)) {
        // No branch: the grid arithmetic of a release build must not have one.
        const size_type sign = number < 0 ? ~size_type{0} : size_type{0};
        return {(static_cast<size_type>(number) ^ sign) - sign, number < 0};
      } else {
        return {static_cast<size_type>(number), false};
      }
    } else {
      return {0, false};
    }
  }
};

}  // namespace detail
}  // namespace WARPSAFE_DETAIL_VERSION
}  // namespace warpsafe
