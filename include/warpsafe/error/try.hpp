// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/error/result.hpp>

#include <initializer_list>
#include <type_traits>

// These macros replace BOOST_OUTCOME_TRY: nvcc cannot compile Boost's try.hpp (1.74 to 1.92), and
// its syntax changed after 1.74.

namespace warpsafe::inline WARPSAFE_DETAIL_VERSION::detail {

constexpr const char* after(const char* text, const char* prefix) noexcept {
  const char* rest = text;
  for (; *prefix != 0; ++prefix, ++rest) {
    if (*rest != *prefix) return text;
  }
  return rest;
}
template <class T>
inline constexpr bool is_answer = false;
template <class T>
inline constexpr bool is_answer<answer<T>> = true;

/// Whether the value of R acts until its destructor, as a DeviceGuard does: it declares
/// `is_scope_guard`.
template <class R>
concept HoldsScope = requires {
  typename R::value_type::is_scope_guard;
};

/// Diagnoses an expression that cannot fail. The return type is deduced, so that this is the first
/// error.
template <class R>
[[nodiscard, gnu::always_inline]] constexpr auto& check_result(const R& tested) noexcept {
  static_assert(
      requires { tested.has_value(); },
      "warpsafe: WARPSAFE_TRY takes a result, and this expression is none, because it cannot fail; write auto x = expression");
  return tested;
}
/// Diagnoses WARPSAFE_TRYV of an answer, and of an object that the statement would destroy at once.
template <class R>
[[nodiscard, gnu::always_inline]] constexpr const R& check_no_answer(const R& tested) noexcept {
  static_assert(
      !HoldsScope<R>,
      "warpsafe: this object would end in the same statement, and its effect with it; name it: WARPSAFE_TRY(const auto guard, expression)");
  static_assert(
      !is_answer<R>,
      "warpsafe: this tests for an error and drops the answer; take it with WARPSAFE_TRY(const auto answer, expression)");
  return tested;
}

/// Diagnoses WARPSAFE_TRY with one argument. The return type is deduced, so that this is the first
/// error.
template <class Never = void>
auto no_comma() noexcept {
  static_assert(!std::is_void_v<Never>,
                "warpsafe: WARPSAFE_TRY takes a declaration, a comma and an expression: "
                "WARPSAFE_TRY(auto x, expression)");
}

/// What a function returns if it returns no result.
enum class Returns { other, nothing, number, itself };
constexpr bool is_same_name(const char* a, const char* b) noexcept {
  const auto is_end = [](char c) { return c == 0 || c == ':' || c == '<' || c == '('; };
  const char* const begin = a;
  for (; !is_end(*a) && *a == *b; ++a) ++b;
  return a != begin && is_end(*a) && is_end(*b);
}
/// Whether the function is a constructor or a destructor: `S::S(…)`, `S<T>::~S(…)`.
constexpr bool has_name_of_class(const char* function) noexcept {
  const char* outer = "";
  const char* name = function;
  bool found = false;
  int depth = 0;
  for (const char* at = function; *at != 0 && (depth != 0 || *at != ' '); ++at) {
    if (depth == 0 && *at == ':' && at[1] == ':') {
      outer = name;
      name = ++at + 1;
      found = false;  // so a lambda in a constructor is none
    } else if (*at == '(' || *at == '<' || *at == '{') {
      if (depth++ == 0 && *at == '(') found = is_same_name(outer, *name == '~' ? name + 1 : name);
    } else if (*at == ')' || *at == '>' || *at == '}') {
      --depth;
    }
  }
  return found;
}
/// Reads the compiler's name of the function, __PRETTY_FUNCTION__. g++ does not show a lambda's
/// return type there.
constexpr Returns returned_by(const char* function) noexcept {
  for (const char* word : {"static ", "virtual ", "constexpr ", "consteval ", "inline "}) {
    function = after(function, word);
  }
  for (const char* type : {"void ", "int ", "bool "}) {
    const char* const name = after(function, type);
    if (name != function && *name != '*' && *name != '&' && !(*name == '(' && name[1] == '*')) {
      return *type == 'v' ? Returns::nothing : Returns::number;
    }
  }
  // Most functions return a result, and a compiler would read all of its name in each of them.
  for (const char* result : {"warpsafe::", "boost::outcome_v2::"}) {
    if (after(function, result) != function) return Returns::other;
  }
  return has_name_of_class(function) ? Returns::itself : Returns::other;
}

using Failure = BOOST_OUTCOME_V2_NAMESPACE::failure_type<LaunchError>;

#define WARPSAFE_DETAIL_SENTENCE \
  "warpsafe: give the lambda a return type: [&]() -> ws::result<void> { ... }"
/// What the macros return. Compilers print its name for a lambda without a return type, so the name
/// is a hint.
class [[nodiscard(WARPSAFE_DETAIL_SENTENCE)]] NeedsResultAsReturnTypeOrCoTry {
 public:
  constexpr explicit NeedsResultAsReturnTypeOrCoTry(const LaunchError& error) noexcept
      : error_(error) {}
  // Out of line, because a copy of the error takes more code than all else at a call.
  template <class T>
  [[gnu::cold, gnu::noinline]] constexpr operator result<T>() const noexcept {
    return failure<T>(error_);
  }
  /// To a result of another error type.
  template <class R>
  requires(!is_result<R>) && std::is_convertible_v<Failure, R>  //
      [[gnu::cold, gnu::noinline]] constexpr operator R() const noexcept {
    return Failure(error_);
  }
#undef WARPSAFE_DETAIL_SENTENCE
#define WARPSAFE_DETAIL_SENTENCE                                                                     \
  "warpsafe: WARPSAFE_TRY returns the error from the enclosing function, and this one "              \
  "returns no result; let it return result<T> (in a coroutine, write WARPSAFE_CO_TRY), or test the " \
  "result with has_value()"
  template <class R WARPSAFE_DETAIL_WHY>
  requires(!is_result<R> && !std::is_convertible_v<Failure, R>) WARPSAFE_DETAIL_REFUSED operator R()
      const WARPSAFE_DETAIL_REFUSAL(R);
#undef WARPSAFE_DETAIL_SENTENCE

 private:
  const LaunchError& error_;
};
template <Returns>
struct Returned {
  template <class R>
  [[nodiscard]] static constexpr auto error_of(const R& result) noexcept {
    return NeedsResultAsReturnTypeOrCoTry(UnwrapWithTryOrValue::error_in(result));
  }
};
template <class R>
constexpr bool diagnose_returned() noexcept {
  static_assert(
      std::is_void_v<R>,
      "warpsafe: WARPSAFE_TRY returns the error from the enclosing function, and this one returns "
      "void or a number; let it return a result, or test the result with has_value()");
  return false;
}
template <>
struct Returned<Returns::nothing> {
  template <class R>
  static constexpr void error_of(const R&) noexcept {
    static_cast<void>(diagnose_returned<R>());
  }
};
template <>
struct Returned<Returns::number> {
  template <class R>
  static constexpr bool error_of(const R&) noexcept {
    return diagnose_returned<R>();
  }
};
template <>
struct Returned<Returns::itself> {
  // The return type is deduced, so that this is the first error.
  template <class R>
  static constexpr auto error_of(const R&) noexcept {
    static_assert(
        std::is_void_v<R>,
        "warpsafe: WARPSAFE_TRY returns the error from the enclosing function, and a constructor or "
        "destructor returns none; write a static function that returns a result of the class, or "
        "test the result with has_value()");
  }
};

}  // namespace warpsafe::inline WARPSAFE_DETAIL_VERSION::detail

// Parts of the macros below. A `for`, because a single `if` would take a following `else`.
#define WARPSAFE_DETAIL_PASTE(a, b) a##b
#define WARPSAFE_DETAIL_JOIN(a, b) WARPSAFE_DETAIL_PASTE(a, b)
#define WARPSAFE_DETAIL_RETURN(name, return_, initialiser, tested)                   \
  for (initialiser; !(tested).has_value();)                                          \
  [[unlikely]] return_ ::warpsafe::detail::Returned<::warpsafe::detail::returned_by( \
      __PRETTY_FUNCTION__)>::error_of(name)
#define WARPSAFE_DETAIL_TRYV(name, return_, ...)  \
  WARPSAFE_DETAIL_RETURN(                         \
      name, return_, auto&& name = (__VA_ARGS__), \
      ::warpsafe::detail::check_no_answer(::warpsafe::detail::check_result(name)))
// The expression, or a diagnosis if there is none: WARPSAFE_TRY(auto x = expression).
#define WARPSAFE_DETAIL_SECOND(first, second, ...) second
#define WARPSAFE_DETAIL_GIVEN(...)                                                      \
  WARPSAFE_DETAIL_SECOND(__VA_OPT__(, (__VA_ARGS__), )::warpsafe::detail::no_comma<>(), \
                         ::warpsafe::detail::no_comma<>(), )
#define WARPSAFE_DETAIL_TRY(name, return_, declaration, ...)                       \
  auto&& name = WARPSAFE_DETAIL_GIVEN(__VA_ARGS__);                                \
  WARPSAFE_DETAIL_RETURN(name, return_, , ::warpsafe::detail::check_result(name)); \
  declaration = static_cast<decltype(name)&&>(name).assume_value()
#define WARPSAFE_DETAIL_TRYV_NAME WARPSAFE_DETAIL_JOIN(warpsafe_try_, __COUNTER__)
// Without braces after `if`, `for` or `case`, compilers report this name.
#define WARPSAFE_DETAIL_TRY_NAME WARPSAFE_DETAIL_JOIN(warpsafe_try_needs_braces_, __COUNTER__)

/// `WARPSAFE_TRY(auto x, expression);` declares x with the value of a `result`, or returns its
/// error from the enclosing function. That function may return any `result`, or an
/// `outcome::result<T, std::error_code>` if <warpsafe/error/message.hpp> is included. Give a lambda
/// a return type: `[&]() -> result<int> { … }`. As a declaration, it needs braces after `if`, `for`
/// and `case`.
#define WARPSAFE_TRY(declaration, ...) \
  WARPSAFE_DETAIL_TRY(WARPSAFE_DETAIL_TRY_NAME, return, declaration, __VA_ARGS__)

/// `WARPSAFE_TRYV(expression);` returns the error of a `result<void>`, if it has one. It is one
/// statement, also without braces. It does not compile for an object that acts until its
/// destructor, such as a DeviceGuard or a Capture: the object would be destroyed at once.
#define WARPSAFE_TRYV(...) WARPSAFE_DETAIL_TRYV(WARPSAFE_DETAIL_TRYV_NAME, return, __VA_ARGS__)

/// The same two macros for a coroutine whose promise takes a `result` from `co_return`.
#define WARPSAFE_CO_TRY(declaration, ...) \
  WARPSAFE_DETAIL_TRY(WARPSAFE_DETAIL_TRY_NAME, co_return, declaration, __VA_ARGS__)
#define WARPSAFE_CO_TRYV(...) \
  WARPSAFE_DETAIL_TRYV(WARPSAFE_DETAIL_TRYV_NAME, co_return, __VA_ARGS__)
