// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/compare/comparison.hpp>
#include <warpsafe/core/element_type.hpp>
#include <warpsafe/core/tolerance.hpp>

#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <string>
#include <type_traits>

namespace warpsafe::inline WARPSAFE_DETAIL_VERSION::detail {

/// The exact value of a binary16.
[[nodiscard]] inline double from_half(std::uint16_t bits) noexcept {
  const std::uint32_t sign = (bits & 0x8000U) << 16;
  const std::uint32_t exponent = (bits >> 10) & 31U;
  const std::uint32_t fraction = bits & 0x3ffU;
  if (exponent == 0) {  // zero or a subnormal number: a multiple of 2^-24
    const double magnitude = static_cast<double>(fraction) * 0x1p-24;
    return sign != 0 ? -magnitude : magnitude;
  }
  const std::uint32_t wide = exponent == 31 ? 255 : exponent + 112;
  return static_cast<double>(std::bit_cast<float>(sign | wide << 23 | fraction << 13));
}
[[nodiscard]] inline double from_bfloat(std::uint16_t bits) noexcept {
  return static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16));
}

/// Element `index` of an array of T, at any alignment.
template <class T>
[[nodiscard]] T load(const void* array, std::size_t index) noexcept {
  T value;
  std::memcpy(&value, static_cast<const unsigned char*>(array) + index * sizeof(T), sizeof(T));
  return value;
}

/// Calls `body` with a function that reads an element of an array of that type, as a double or as a
/// 64-bit integer.
template <class Body>
auto with_reader(ElementType type, const Body& body) {
  const auto whole = [&body]<class T>(T) {
    using Wide = std::conditional_t<std::is_signed_v<T>, std::int64_t, std::uint64_t>;
    return body([](const void* array, std::size_t i) -> Wide { return load<T>(array, i); });
  };
  switch (type) {
    case ElementType::float64:
      return body([](const void* array, std::size_t i) { return load<double>(array, i); });
    case ElementType::float32:
      return body([](const void* array, std::size_t i) {
        return static_cast<double>(load<float>(array, i));
      });
    case ElementType::float16:
      return body([](const void* array, std::size_t i) {
        return from_half(load<std::uint16_t>(array, i));
      });
    case ElementType::bfloat16:
      return body([](const void* array, std::size_t i) {
        return from_bfloat(load<std::uint16_t>(array, i));
      });
    case ElementType::int8:
      return whole(std::int8_t{});
    case ElementType::int16:
      return whole(std::int16_t{});
    case ElementType::int32:
      return whole(std::int32_t{});
    case ElementType::int64:
      return whole(std::int64_t{});
    case ElementType::uint16:
      return whole(std::uint16_t{});
    case ElementType::uint32:
      return whole(std::uint32_t{});
    case ElementType::uint64:
      return whole(std::uint64_t{});
    case ElementType::bytes:
    case ElementType::boolean:
    case ElementType::uint8:
      break;
  }
  return whole(std::uint8_t{});
}

/// Writes element `index` as text of at most 31 characters, with enough digits to distinguish it
/// from the neighbouring numbers of its type.
inline void put_element(char (&text)[32], ElementType type, const void* array,
                        std::size_t index) noexcept {
  const int digits = type == ElementType::float64   ? 17
                     : type == ElementType::float32 ? 9
                     : type == ElementType::float16 ? 5
                                                    : 4;
  with_reader(type, [&](auto read) {
    const auto value = read(array, index);
    using Value = decltype(value);
    if constexpr (std::is_same_v<Value, const double>) {
      std::snprintf(text, sizeof text, "%.*g", digits, value);
    } else if constexpr (std::is_same_v<Value, const std::int64_t>) {
      std::snprintf(text, sizeof text, "%lld", static_cast<long long>(value));
    } else {
      std::snprintf(text, sizeof text, "%llu", static_cast<unsigned long long>(value));
    }
  });
}

/// The distance of two numbers. For integers it is exact before it is rounded to a double.
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

/// Adds one pair to the counts of NaN and Inf. False if both numbers are finite.
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

/// A few lines of numbers around `at`, which is marked.
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

/// Compares `count` numbers of one type, which need not be aligned. Leaves out `neighbourhood`,
/// which needs memory.
[[nodiscard]] inline Comparison count_differences(ElementType type, const void* actual,
                                                  const void* expected, std::size_t count,
                                                  const Tolerance& tolerance) noexcept {
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
  return found;
}
[[nodiscard]] inline Comparison compare_elements(ElementType type, const void* actual,
                                                 const void* expected, std::size_t count,
                                                 const Tolerance& tolerance) {
  Comparison found = count_differences(type, actual, expected, count, tolerance);
  if (found.mismatches != 0) {
    found.neighbourhood = neighbourhood(type, actual, expected, count, found.first_mismatch);
  }
  return found;
}

}  // namespace warpsafe::inline WARPSAFE_DETAIL_VERSION::detail
