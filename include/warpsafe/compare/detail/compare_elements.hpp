// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/compare/comparison.hpp>
#include <warpsafe/compare/detail/element_value.hpp>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>

namespace warpsafe::detail {

/// The distance of two numbers: of whole ones exact before it is rounded to a double.
template <class Value>
[[nodiscard]] double distance(Value a, Value b) noexcept {
  if constexpr (std::is_same_v<Value, double>) {
    return std::fabs(a - b);
  } else {
    const auto left = static_cast<std::uint64_t>(a);
    const auto right = static_cast<std::uint64_t>(b);
    return static_cast<double>(a > b ? left - right : right - left);
  }
}

/// Adds one pair to the counts of NaN and Inf. False if neither number is one.
inline bool count_non_finite(Comparison& found, double actual, double expected,
                             bool& agrees) noexcept {
  if (std::isfinite(actual) && std::isfinite(expected)) return false;
  const bool nan = std::isnan(actual) || std::isnan(expected);
  Comparison::NonFinite& kind = nan ? found.nan : found.inf;
  const bool same = nan ? std::isnan(actual) && std::isnan(expected) : actual == expected;
  const auto has = [nan](double value) { return nan ? std::isnan(value) : std::isinf(value); };
  agrees = same && (!nan || found.tolerance.nan_agrees);
  if (same) {
    ++kind.both;
  } else {
    if (has(actual)) ++kind.actual_only;
    if (has(expected)) ++kind.expected_only;
  }
  return true;
}

/// A few lines of numbers around `at`; the one at `at` is marked.
inline std::string neighbourhood(ElementType type, const void* actual, const void* expected,
                                 std::size_t count, std::size_t at) {
  constexpr std::size_t around = 3;
  const std::size_t begin = at > around ? at - around : 0;
  const std::size_t end = count - at > around ? at + around + 1 : count;
  std::string text = "\n             index                   actual                 expected";
  for (std::size_t i = begin; i < end; ++i) {
    char left[32];
    char right[32];
    put_element(left, type, actual, i);
    put_element(right, type, expected, i);
    append(text, "\n  %c %14llu %24s %24s", i == at ? '>' : ' ', static_cast<unsigned long long>(i),
           left, right);
  }
  return text;
}

/// Compares `count` numbers of one type, which need not be aligned.
[[nodiscard]] inline Comparison compare_elements(ElementType type, const void* actual,
                                                 const void* expected, std::size_t count,
                                                 const Tolerance& tolerance) {
  Comparison found;
  found.type = type;
  found.tolerance = tolerance;
  found.count = count;
  found.first_mismatch = count;
  with_reader(type, [&](auto read) {
    for (std::size_t i = 0; i < count; ++i) {
      const auto a = read(actual, i);
      const auto e = read(expected, i);
      bool agrees = true;
      bool finite = true;
      if constexpr (std::is_same_v<decltype(a), const double>) {
        finite = !count_non_finite(found, a, e, agrees);
      }
      if (finite && a != e) {
        const double difference = distance(a, e);
        const double size = std::fabs(static_cast<double>(e));
        if (difference > found.absolute.difference) found.absolute = {difference, i};
        if (size != 0 && difference / size > found.relative.difference) {
          found.relative = {difference / size, i};
        }
        agrees = difference <= tolerance.absolute + tolerance.relative * size;
      }
      if (agrees) continue;
      if (found.mismatches++ == 0) found.first_mismatch = i;
    }
  });
  if (found.mismatches != 0) {
    found.neighbourhood = neighbourhood(type, actual, expected, count,
                                        static_cast<std::size_t>(found.first_mismatch));
  }
  return found;
}

}  // namespace warpsafe::detail
