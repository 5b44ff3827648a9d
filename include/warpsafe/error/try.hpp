// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/error/result.hpp>

#include <type_traits>

namespace warpsafe::detail {

template <class T>
inline constexpr bool is_answer = false;
template <class T>
inline constexpr bool is_answer<answer<T>> = true;

/// Diagnoses WARPSAFE_TRYV of an answer.
template <class R>
constexpr void check_no_answer() noexcept {
  static_assert(
      !is_answer<std::remove_cvref_t<R>>,
      "warpsafe: this tests for an error and drops the answer; take it with WARPSAFE_TRY(const auto answer, expression)");
}

}  // namespace warpsafe::detail

// These macros replace BOOST_OUTCOME_TRY: nvcc cannot compile Boost's try.hpp (1.74 to 1.92), and
// its syntax changed after 1.74.

// Parts of the two macros below.
#define WARPSAFE_DETAIL_PASTE(a, b) a##b
#define WARPSAFE_DETAIL_JOIN(a, b) WARPSAFE_DETAIL_PASTE(a, b)
#define WARPSAFE_DETAIL_TRYV(name, ...) \
  auto&& name = (__VA_ARGS__);          \
  if (!name.has_value()) [[unlikely]]   \
  return BOOST_OUTCOME_V2_NAMESPACE::failure(name.assume_error())
#define WARPSAFE_DETAIL_TRY(name, declaration, ...) \
  WARPSAFE_DETAIL_TRYV(name, __VA_ARGS__);          \
  declaration = static_cast<decltype(name)&&>(name).assume_value()
#define WARPSAFE_DETAIL_TRY_ONLY(name, ...) \
  WARPSAFE_DETAIL_TRYV(name, __VA_ARGS__);  \
  ::warpsafe::detail::check_no_answer<decltype(name)>()

/// `WARPSAFE_TRY(auto x, expression);` declares x with the value of a `result`, or returns its
/// error from the enclosing function. That function may return any `result`, or an
/// `outcome::result<T, std::error_code>` if <warpsafe/error/message.hpp> is included.
#define WARPSAFE_TRY(declaration, ...) \
  WARPSAFE_DETAIL_TRY(WARPSAFE_DETAIL_JOIN(warpsafe_try_, __COUNTER__), declaration, __VA_ARGS__)

/// `WARPSAFE_TRYV(expression);` returns the error of a `result<void>`, if it has one. It is several
/// statements, so that the compiler warns if it follows an `if` or `for` without braces; a single
/// statement would take the `else`.
#define WARPSAFE_TRYV(...) \
  WARPSAFE_DETAIL_TRY_ONLY(WARPSAFE_DETAIL_JOIN(warpsafe_try_, __COUNTER__), __VA_ARGS__)
