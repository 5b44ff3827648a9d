// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/core/config.hpp>
#include <warpsafe/core/detail/refused.hpp>

// The types of sizes, for host and device code. C++17, without standard headers.

namespace warpsafe {

/// A count of elements, blocks or bytes: 64 bits on every platform.
using size_type = decltype(sizeof(0));
static_assert(sizeof(size_type) == 8, "warpsafe supports 64-bit platforms only");

namespace detail {

/// The integer types that are accepted as sizes: not bool, characters or floating-point types.
template <class T>
inline constexpr bool is_size = false;
template <>
inline constexpr bool is_size<signed char> = true;
template <>
inline constexpr bool is_size<unsigned char> = true;
template <>
inline constexpr bool is_size<short> = true;
template <>
inline constexpr bool is_size<unsigned short> = true;
template <>
inline constexpr bool is_size<int> = true;
template <>
inline constexpr bool is_size<unsigned int> = true;
template <>
inline constexpr bool is_size<long> = true;
template <>
inline constexpr bool is_size<unsigned long> = true;
template <>
inline constexpr bool is_size<long long> = true;
template <>
inline constexpr bool is_size<unsigned long long> = true;

template <class T>
inline constexpr bool is_size<const T> = is_size<T>;

template <class T>
inline constexpr bool is_bool = false;
template <>
inline constexpr bool is_bool<bool> = true;

template <class T>
inline constexpr bool is_floating = false;
template <>
inline constexpr bool is_floating<float> = true;
template <>
inline constexpr bool is_floating<double> = true;
template <>
inline constexpr bool is_floating<long double> = true;

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
}  // namespace warpsafe
