// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

// Only this header includes Boost.Outcome. Of Outcome's headers, only basic_result.hpp is light and
// compiles under nvcc in every Boost from 1.74 on.

#include <warpsafe/core/detail/refused.hpp>
#include <warpsafe/error/error.hpp>

#include <boost/outcome/basic_result.hpp>

#include <type_traits>
#include <utility>

namespace warpsafe::inline WARPSAFE_DETAIL_VERSION::detail {

template <class, class T>
struct LaterType {
  using type = T;
};
/// T, made dependent on Template. The compiler instantiates result<later<B, int>> only where the
/// template is called. It would instantiate result<int> in every translation unit, in some 10 ms.
template <class Template, class T>
using later = typename LaterType<Template, T>::type;

/// Parameters of deleted copies. Compilers print their names, so the names are hints.
struct MoveItOrPassItsView {};
struct MoveItOrPassAReference {};

/// Throws for `.value()` and `.error()`. Defined in exception.hpp, which warpsafe.hpp includes.
struct Thrower;
/// Whether Thrower is defined. Self delays the answer until `.value()` or `.error()` is called.
template <class Self>
constexpr bool can_throw() noexcept {
  constexpr bool defined = requires { sizeof(later<Self, Thrower>); };
  static_assert(defined,
                "warpsafe: value() and error() throw; include <warpsafe/error/exception.hpp>");
  return defined;
}

/// Outcome's policy of a result: `.value()` throws. Without exceptions it prints the error and
/// terminates. Compilers print its name if a result is used as its value, so the name is a hint.
struct UnwrapWithTryOrValue : BOOST_OUTCOME_V2_NAMESPACE::policy::base {
  template <class Self>
  static constexpr void wide_value_check(Self&& self) {
    if constexpr (can_throw<Self>()) {
      if (!base::_has_value(self)) later<Self, Thrower>::no_value(base::_error(self));
    }
  }
  template <class Self>
  static constexpr void wide_error_check(Self&& self, const call_site& site = {}) {
    if constexpr (can_throw<Self>()) {
      if (!base::_has_error(self)) later<Self, Thrower>::no_error(site);
    }
  }
  template <class Self>
  static constexpr void wide_exception_check(Self&& self) {
    base::narrow_exception_check(static_cast<Self&&>(self));
  }
  // Every launch uses these two in place of assume_value() and assume_error(), each of which makes
  // the compiler write five functions for each T.
  template <class Result>
  [[gnu::always_inline]] static constexpr const auto& value_in(const Result& result) noexcept {
    return base::_value(result);
  }
  template <class Result>
  [[gnu::always_inline]] static constexpr auto& error_in(Result& result) noexcept {
    return base::_error(result);
  }
  /// Makes an error of a success. Its error, which error_in returns, was filled in before.
  template <class Result>
  [[gnu::always_inline]] static constexpr void mark_as_error(Result& result) noexcept {
    base::_set_has_value(result, false);
    base::_set_has_error(result, true);
  }
};

/// UnwrapWithTryOrValue under another name, for Outcome's own `value()` and `error()`.
struct OutcomePolicy : UnwrapWithTryOrValue {};

}  // namespace warpsafe::inline WARPSAFE_DETAIL_VERSION::detail

// `value()` and `error()` of a temporary result are values. Outcome's are references into the
// result, which is gone in the body of `for (float x : pending.get().value())`.
namespace BOOST_OUTCOME_V2_NAMESPACE::detail {

/// Whether code that asks a result for a Given means its value: a T, or what a T converts to, as a
/// Stream to a StreamRef. Observers: those of the result.
template <class Observers, class Given>
constexpr bool stands_for_value() noexcept {
  if constexpr (requires { typename Observers::value_type; }) {
    using T = typename Observers::value_type;
    if constexpr (std::is_same_v<T, Given>) {
      return !std::is_same_v<T, bool>;
    } else if constexpr (requires { typename Given::backend; }) {
      return std::is_convertible_v<const T&, Given>;
    }
  }
  return false;
}
/// What a refused member returns, so that its use is the only error.
struct FitsEverywhere {
  template <class Any>
  operator Any() const noexcept;  // NOLINT(google-explicit-constructor)
};
/// Whether Code can be a status of a vendor's function. All of C are unscoped. Other enumerations
/// are left out: a function may take one of them in one overload, and what a result converts to in
/// another.
template <class Code>
constexpr bool is_status() noexcept {
  if constexpr (std::is_enum_v<Code>) {
    return std::is_convertible_v<Code, int> || std::is_same_v<Code, warpsafe::Errc>;
  }
  return false;
}

template <class Base, class T>
requires(!std::is_void_v<T>) class basic_result_value_observers<
    Base, T, warpsafe::detail::UnwrapWithTryOrValue>
    : public basic_result_value_observers<Base, T, warpsafe::detail::OutcomePolicy> {
  using Outcome = basic_result_value_observers<Base, T, warpsafe::detail::OutcomePolicy>;

 public:
  using Outcome::Outcome;
  constexpr T& value() & { return Outcome::value(); }
  constexpr const T& value() const& { return Outcome::value(); }
  constexpr T value() && { return static_cast<T&&>(Outcome::value()); }
  constexpr T value() const&& { return Outcome::value(); }
#define WARPSAFE_DETAIL_SENTENCE                                                           \
  "warpsafe: this result may hold an error instead of a value; take the value first, and " \
  "give it a name: WARPSAFE_TRY(auto x, expression), or auto x = expression.value()"
  // Members of the value, as in `create(stream, n).view()`.
  template <class Never = void WARPSAFE_DETAIL_WHY>
  WARPSAFE_DETAIL_REFUSED FitsEverywhere view() const WARPSAFE_DETAIL_REFUSAL(Never);
  template <class Never = void, class... A WARPSAFE_DETAIL_WHY>
  WARPSAFE_DETAIL_REFUSED FitsEverywhere to_host(const A&...) const WARPSAFE_DETAIL_REFUSAL(Never);
  template <class Never = void WARPSAFE_DETAIL_WHY>
  WARPSAFE_DETAIL_REFUSED T* operator->() const WARPSAFE_DETAIL_REFUSAL(Never);
  template <class Never = void WARPSAFE_DETAIL_WHY>
  WARPSAFE_DETAIL_REFUSED FitsEverywhere operator*() const WARPSAFE_DETAIL_REFUSAL(Never);
  template <class Index WARPSAFE_DETAIL_WHY>
  WARPSAFE_DETAIL_REFUSED FitsEverywhere operator[](const Index&) const
      WARPSAFE_DETAIL_REFUSAL(Index);
#undef WARPSAFE_DETAIL_SENTENCE
};
template <class Base, class E>
class basic_result_error_observers<Base, E, warpsafe::detail::UnwrapWithTryOrValue>
    : public basic_result_error_observers<Base, E, warpsafe::detail::OutcomePolicy> {
  using Outcome = basic_result_error_observers<Base, E, warpsafe::detail::OutcomePolicy>;
  using Policy = warpsafe::detail::UnwrapWithTryOrValue;
  using call_site = warpsafe::call_site;

 public:
  using Outcome::Outcome;
  constexpr E& error(const call_site& site = call_site::current()) & {
    Policy::wide_error_check(*this, site);
    return Outcome::assume_error();
  }
  constexpr const E& error(const call_site& site = call_site::current()) const& {
    Policy::wide_error_check(*this, site);
    return Outcome::assume_error();
  }
  constexpr E error(const call_site& site = call_site::current()) const&& {
    Policy::wide_error_check(*this, site);
    return Outcome::assume_error();
  }
#define WARPSAFE_DETAIL_SENTENCE                                                       \
  "warpsafe: this result may hold an error instead of a value; take the value first: " \
  "WARPSAFE_TRY(auto x, expression), or auto x = expression.value()"
  template <class Value WARPSAFE_DETAIL_WHY>
  requires(stands_for_value<Base, Value>()) WARPSAFE_DETAIL_REFUSED operator Value() const
      WARPSAFE_DETAIL_REFUSAL(Value);
#undef WARPSAFE_DETAIL_SENTENCE
#define WARPSAFE_DETAIL_SENTENCE                                                                \
  "warpsafe: a result is no status code; ask whether it has_value(), and compare error().code " \
  "with an Errc"
  template <class Code WARPSAFE_DETAIL_WHY>
  requires(is_status<Code>() && !stands_for_value<Base, Code>()) WARPSAFE_DETAIL_REFUSED
  operator Code() const WARPSAFE_DETAIL_REFUSAL(Code);
#undef WARPSAFE_DETAIL_SENTENCE
};

}  // namespace BOOST_OUTCOME_V2_NAMESPACE::detail

namespace warpsafe::inline WARPSAFE_DETAIL_VERSION {

/// A T, or the LaunchError that says why there is none. `[[nodiscard]]`. `.value()` on an error
/// throws LaunchException; without exceptions it prints the text and terminates.
template <class T>
using result =
    BOOST_OUTCOME_V2_NAMESPACE::basic_result<T, LaunchError, detail::UnwrapWithTryOrValue>;

/// The success of a `result<void>`.
[[nodiscard, gnu::always_inline]] inline constexpr result<void> success() noexcept {
  return result<void>(BOOST_OUTCOME_V2_NAMESPACE::in_place_type<void>);
}

/// Diagnoses `launch(…) != cudaSuccess`, and the comparison of a result with any other number.
template <class T, class Code>
requires(std::is_arithmetic_v<Code> || std::is_enum_v<Code>) constexpr bool operator==(
    const result<T>&, Code) noexcept {
  static_assert(
      sizeof(Code) == 0,
      "warpsafe: a result is no status code; ask whether it has_value(), and compare error().code with an Errc, or value() with a number");
  return false;
}

namespace detail {
/// A result whose value is constructed in place, because a copy would go through memory.
template <class T, class... A>
[[nodiscard, gnu::always_inline]] inline constexpr result<T> result_of(const A&... parts) noexcept {
  return result<T>(BOOST_OUTCOME_V2_NAMESPACE::in_place_type<T>, parts...);
}
/// A result that is an error: one constructor, because each costs compile time for each T.
template <class T>
[[nodiscard, gnu::always_inline]] inline constexpr result<T> failure(
    const LaunchError& error) noexcept {
  return result<T>(BOOST_OUTCOME_V2_NAMESPACE::in_place_type<LaunchError>, error);
}
}  // namespace detail

/// Whether T is a `result<…>`.
template <class T>
inline constexpr bool is_result = false;
template <class T>
inline constexpr bool is_result<result<T>> = true;

/// The answer to a query, or the error of the query: a result<T> that cannot be a condition.
/// Otherwise `if (stream.ready())` would be true whenever the query succeeds, even if the work
/// still runs, and `if (compare(a, b))` even if the arrays differ.
template <class T>
class [[nodiscard]] answer : public result<T> {
 public:
  // Implicit, so that a function can return either.
  answer(T value) noexcept  // NOLINT(google-explicit-constructor)
      : result<T>(BOOST_OUTCOME_V2_NAMESPACE::in_place_type<T>, static_cast<T&&>(value)) {}
  answer(const LaunchError& error) noexcept  // NOLINT(google-explicit-constructor)
      : result<T>(BOOST_OUTCOME_V2_NAMESPACE::in_place_type<LaunchError>, error) {}

  /// Diagnoses the use as a condition.
  constexpr explicit operator bool() const noexcept {
    static_assert(
        std::is_void_v<T>,
        "warpsafe: as a condition this would test for an error, not for the answer; write ready().value() for the answer, compare(a, b).value().agrees() for the verdict, or has_value() to test for an error");
    return false;
  }
};

}  // namespace warpsafe::inline WARPSAFE_DETAIL_VERSION
