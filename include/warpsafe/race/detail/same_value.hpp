// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/core/cxx20.hpp>

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <iterator>
#include <tuple>
#include <type_traits>
#include <utility>

// Whether two runs of a program returned the same value.

namespace warpsafe::inline WARPSAFE_DETAIL_VERSION::host {

/// A range whose elements are no ranges of the same type, as those of a path are.
template <class T>
concept HasElements = requires(const T& all) {
  std::end(all);
  { *std::begin(all) == *std::begin(all) } -> std::convertible_to<bool>;
}
&&!std::is_same_v<std::remove_cvref_t<decltype(*std::begin(std::declval<const T&>()))>, T>;

/// Whether two values are equal. One NaN counts as equal to another, also in a range, a pair, a
/// tuple or an optional. Of another class that holds a NaN, all values count as equal.
template <class T>
[[nodiscard]] bool is_same_value(const T& one, const T& other) {
  if (one == other) return true;
  if (one == one || other == other) return false;
  if constexpr (HasElements<T>) {
    return std::equal(std::begin(one), std::end(one), std::begin(other), std::end(other),
                      [](const auto& a, const auto& b) { return is_same_value(a, b); });
  } else if constexpr (requires { std::tuple_size<T>::value; }) {
    return [&]<std::size_t... Place>(std::index_sequence<Place...>) {
      return (is_same_value(std::get<Place>(one), std::get<Place>(other)) && ...);
    }
    (std::make_index_sequence<std::tuple_size_v<T>>{});
  } else if constexpr (requires {
                         one.has_value();
                         *one;
                       }) {
    return is_same_value(*one, *other);
  } else {
    return true;
  }
}

}  // namespace warpsafe::inline WARPSAFE_DETAIL_VERSION::host
