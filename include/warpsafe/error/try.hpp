// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/error/result.hpp>

#include <initializer_list>
#include <type_traits>

// These macros replace BOOST_OUTCOME_TRY: nvcc cannot compile Boost's try.hpp (1.74 to 1.92), and
// its syntax changed after 1.74.

namespace warpsafe::detail {

constexpr const char* after(const char* text, const char* prefix) noexcept {
  const char* rest = text;
  for (; *prefix != 0; ++prefix, ++rest) {
    if (*rest != *prefix) return text;
  }
  return rest;
}
/// Whether a function returns void, by the compiler's name of it (__PRETTY_FUNCTION__). Of a lambda
/// g++ does not show the type.
constexpr bool returns_void(const char* function) noexcept {
  for (const char* word : {"static ", "virtual ", "constexpr ", "consteval ", "inline "}) {
    function = after(function, word);
  }
  const char* const name = after(function, "void ");
  return name != function && *name != '*' && *name != '&' && !(*name == '(' && name[1] == '*');
}

/// What the macros return.
template <bool ReturnsVoid>
struct Returned {
  template <class R>
  [[nodiscard]] static constexpr auto error_of(const R& result) noexcept {
    return BOOST_OUTCOME_V2_NAMESPACE::failure(result.assume_error());
  }
};
template <>
struct Returned<true> {
  template <class R>
  static constexpr void error_of(const R&) noexcept {
    static_assert(
        std::is_void_v<R>,
        "warpsafe: WARPSAFE_TRY returns the error from the enclosing function, and this one returns "
        "void; let it return result<void>, or test the result with has_value()");
  }
};

}  // namespace warpsafe::detail

// Parts of the macros below. A `for`, because a single `if` would take a following `else`.
#define WARPSAFE_DETAIL_PASTE(a, b) a##b
#define WARPSAFE_DETAIL_JOIN(a, b) WARPSAFE_DETAIL_PASTE(a, b)
#define WARPSAFE_DETAIL_RETURN(name, return_, initialiser)                            \
  for (initialiser; !name.has_value();)                                               \
  [[unlikely]] return_ ::warpsafe::detail::Returned<::warpsafe::detail::returns_void( \
      __PRETTY_FUNCTION__)>::error_of(name)
#define WARPSAFE_DETAIL_TRYV(name, return_, ...) \
  WARPSAFE_DETAIL_RETURN(name, return_, auto&& name = (__VA_ARGS__))
#define WARPSAFE_DETAIL_TRY(name, return_, declaration, ...) \
  auto&& name = (__VA_ARGS__);                               \
  WARPSAFE_DETAIL_RETURN(name, return_, );                   \
  declaration = static_cast<decltype(name)&&>(name).assume_value()
#define WARPSAFE_DETAIL_TRY_NAME WARPSAFE_DETAIL_JOIN(warpsafe_try_, __COUNTER__)

/// `WARPSAFE_TRY(auto x, expression);` declares x with the value of a `result`, or returns its
/// error from the enclosing function. That function may return any `result`, or an
/// `outcome::result<T, std::error_code>` if <warpsafe/error/message.hpp> is included. A lambda
/// names its return type: `[&]() -> result<int> { … }`. As a declaration, it needs braces after
/// `if`, `for` and `case`.
#define WARPSAFE_TRY(declaration, ...) \
  WARPSAFE_DETAIL_TRY(WARPSAFE_DETAIL_TRY_NAME, return, declaration, __VA_ARGS__)

/// `WARPSAFE_TRYV(expression);` returns the error of a `result<void>`, if it has one. It is one
/// statement, also without braces.
#define WARPSAFE_TRYV(...) WARPSAFE_DETAIL_TRYV(WARPSAFE_DETAIL_TRY_NAME, return, __VA_ARGS__)

/// The same two in a coroutine, whose promise takes a `result` from `co_return`.
#define WARPSAFE_CO_TRY(declaration, ...) \
  WARPSAFE_DETAIL_TRY(WARPSAFE_DETAIL_TRY_NAME, co_return, declaration, __VA_ARGS__)
#define WARPSAFE_CO_TRYV(...) WARPSAFE_DETAIL_TRYV(WARPSAFE_DETAIL_TRY_NAME, co_return, __VA_ARGS__)
