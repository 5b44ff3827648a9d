// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/core/tolerance.hpp>

#include <cstdarg>
#include <cstdint>
#include <cstdio>
#include <ostream>
#include <string>

namespace warpsafe::inline WARPSAFE_DETAIL_VERSION {

/// The differences of two arrays of equal length. Counts and places are in scalars: an array of
/// float4 has four per element.
struct Comparison {
  /// The largest of the differences and its place. Only pairs of finite numbers have a difference.
  struct Largest {
    double difference = 0;
    std::uint64_t at = 0;
  };
  /// NaN or Inf, by the array that contains it.
  struct NonFinite {
    std::uint64_t both = 0;           ///< in the same place, an Inf with the same sign
    std::uint64_t actual_only = 0;    ///< in `actual`, where another number was expected
    std::uint64_t expected_only = 0;  ///< in `expected`, where `actual` has another number
  };

  ElementType type = ElementType::bytes;
  Tolerance tolerance;
  std::uint64_t count = 0;           ///< compared numbers
  std::uint64_t mismatches = 0;      ///< beyond the tolerance, NaN and Inf included
  std::uint64_t first_mismatch = 0;  ///< `count` if there is none
  Largest absolute;                  ///< of |actual - expected|
  Largest relative;  ///< of |actual - expected| / |expected|, where expected is not 0
  NonFinite nan;
  NonFinite inf;
  /// The numbers around the first mismatch, a line each, actual before expected; empty if there is
  /// no mismatch.
  std::string neighbourhood;

  /// Whether every number is within the tolerance.
  [[nodiscard]] bool agrees() const noexcept { return mismatches == 0; }
};

namespace detail {

[[gnu::format(printf, 2, 3)]] inline void append(std::string& text, const char* format, ...) {
  char line[256];
  std::va_list values;
  va_start(values, format);
  std::vsnprintf(line, sizeof line, format, values);
  va_end(values);
  text += line;
}
inline void append_non_finite(std::string& text, const char* what,
                              const Comparison::NonFinite& found) {
  const auto number = [](std::uint64_t count) { return static_cast<unsigned long long>(count); };
  if (found.both + found.actual_only + found.expected_only == 0) return;
  append(text, "\n  %s: %llu in both, %llu not expected, %llu expected but missing", what,
         number(found.both), number(found.actual_only), number(found.expected_only));
}

}  // namespace detail

/// The message: what differs, how much, where, and the numbers around the first mismatch. One line
/// if nothing differs.
[[nodiscard]] inline std::string message(const Comparison& comparison) {
  const auto number = [](std::uint64_t count) { return static_cast<unsigned long long>(count); };
  const Comparison& c = comparison;
  std::string text;
  const int name_size = static_cast<int>(element_name(c.type).size);
  const char* const name = element_name(c.type).data;
  if (c.agrees()) {
    detail::append(text, "%llu numbers (%.*s) agree", number(c.count), name_size, name);
  } else {
    detail::append(text, "%llu of %llu numbers (%.*s) differ", number(c.mismatches),
                   number(c.count), name_size, name);
  }
  if (c.tolerance.absolute != 0 || c.tolerance.relative != 0) {
    detail::append(
        text, c.agrees() ? " within %g + %g * |expected|" : " by more than %g + %g * |expected|",
        c.tolerance.absolute, c.tolerance.relative);
  }
  if (!c.agrees()) detail::append(text, ", first at [%llu]", number(c.first_mismatch));
  if (c.absolute.difference != 0) {
    detail::append(text, "\n  largest absolute difference %g at [%llu]", c.absolute.difference,
                   number(c.absolute.at));
  }
  if (c.relative.difference != 0) {
    detail::append(text, ", largest relative %g at [%llu]", c.relative.difference,
                   number(c.relative.at));
  }
  detail::append_non_finite(text, "NaN", c.nan);
  detail::append_non_finite(text, "Inf", c.inf);
  return text + c.neighbourhood;
}

inline std::ostream& operator<<(std::ostream& out, ElementType type) {
  const Name name = element_name(type);
  return out.write(name.data, static_cast<std::streamsize>(name.size));
}
inline std::ostream& operator<<(std::ostream& out, const Tolerance& tolerance) {
  return out << tolerance.absolute << " + " << tolerance.relative << " * |expected|"
             << (tolerance.nan_agrees ? "" : ", NaN never");
}
inline std::ostream& operator<<(std::ostream& out, const Comparison& comparison) {
  return out << message(comparison);
}

}  // namespace warpsafe::inline WARPSAFE_DETAIL_VERSION
