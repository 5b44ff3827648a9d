// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/core/detail/pretty_name.hpp>
#include <warpsafe/core/name.hpp>
#include <warpsafe/print/values.hpp>

#include <ostream>
#include <sstream>
#include <string>
#include <utility>
#include <version>

// nvcc 13 does not compile fmt 9 in C++20.
#if __has_include(<fmt/format.h>) && !defined(__CUDACC__)
#include <fmt/format.h>
#endif
#if defined(__cpp_lib_format)
#include <format>
#endif

// Formatters for the public types (print/debug_records.hpp for those of the debug tools): {fmt}'s
// if it is installed, std::format's if the standard library has it. Both print the same as
// operator<< and take the format specifications of a string (`{:>20}`).

namespace warpsafe::inline WARPSAFE_DETAIL_VERSION::detail {

/// Whether T is a type of this library, by the compiler's name for it, and can be printed.
template <class T>
[[nodiscard]] constexpr bool is_printed_here() noexcept {
  constexpr Name own = Name::of("warpsafe::");
  if constexpr (type_name<T>.size > own.size && Name{type_name<T>.data, own.size} == own) {
    return requires(std::ostream & out, const T& value) { out << value; };
  } else {
    return false;
  }
}
template <class T>
inline constexpr bool is_printable = is_printed_here<T>();

/// Throws std::bad_alloc.
template <class T>
[[nodiscard]] std::string printed(const T& value) {
  std::ostringstream out;
  out.exceptions(std::ios_base::badbit);  // without memory, a stream drops text and goes on
  out << value;
  return std::move(out).str();
}

}  // namespace warpsafe::inline WARPSAFE_DETAIL_VERSION::detail

#if defined(FMT_VERSION)
template <class T>
requires warpsafe::detail::is_printable<T>
struct fmt::formatter<T> : fmt::formatter<std::string> {
  template <class Context>
  auto format(const T& value, Context& context) const {
    return fmt::formatter<std::string>::format(warpsafe::detail::printed(value), context);
  }
};
#endif

#if defined(__cpp_lib_format)
template <class T>
requires warpsafe::detail::is_printable<T>
struct std::formatter<T> : std::formatter<std::string> {
  template <class Context>
  auto format(const T& value, Context& context) const {
    return std::formatter<std::string>::format(warpsafe::detail::printed(value), context);
  }
};
#endif
