// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/error/exception.hpp>
#include <warpsafe/error/format.hpp>
#include <warpsafe/error/result.hpp>

#include <ostream>
#include <string>
#include <system_error>

namespace warpsafe::inline WARPSAFE_DETAIL_VERSION {

/// The text of an error: what happened, the numbers, the limit, the remedy. One to four lines.
[[nodiscard]] inline std::string message(const LaunchError& error) {
  std::string text(256 + 2 * error.kernel.size, '\0');  // format_error shortens no such name
  std::size_t size = format_error(error, text.data(), text.size());
  while (size + 1 >= text.size()) {  // cut
    text.resize(2 * text.size());
    size = format_error(error, text.data(), text.size());
  }
  text.resize(size);
  return text;
}

/// Diagnoses a result in the place of its error.
template <class T>
[[nodiscard]] std::string message(const result<T>&) {
  static_assert(sizeof(result<T>) == 0,
                "warpsafe: a result has a text only if it is an error; ask has_value() first, and "
                "write message(done.error())");
  return {};
}

inline std::ostream& operator<<(std::ostream& out, const LaunchError& error) {
  return out << message(error);
}

/// The short text of a code, without a launch's numbers.
[[nodiscard]] constexpr const char* describe(Errc code) noexcept {
  switch (code) {
#define WARPSAFE_ERROR(number, name, meaning, reason) \
  case Errc::name:                                    \
    return meaning;
#include <warpsafe/error/detail/launch_rows.hpp>
#include <warpsafe/error/detail/runtime_rows.hpp>
#undef WARPSAFE_ERROR
  }
  return "unknown error";
}

/// The category "warpsafe" for std::error_code. Its values are those of Errc. One object for the
/// whole program, because categories are compared by their addresses.
[[nodiscard, gnu::visibility("default")]] inline const std::error_category&
launch_category() noexcept {
  class Category final : public std::error_category {
    const char* name() const noexcept override { return "warpsafe"; }
    std::string message(int value) const override { return describe(static_cast<Errc>(value)); }
  };
  static const Category category;
  return category;
}
[[nodiscard]] inline std::error_code make_error_code(Errc code) noexcept {
  return {static_cast<int>(code), launch_category()};
}
[[nodiscard]] inline std::error_code make_error_code(const LaunchError& error) noexcept {
  return make_error_code(error.code);
}

}  // namespace warpsafe::inline WARPSAFE_DETAIL_VERSION

template <>
struct std::is_error_code_enum<warpsafe::Errc> : std::true_type {};
