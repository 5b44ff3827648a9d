// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/core/config.hpp>
#include <warpsafe/error/result.hpp>
#include <warpsafe/handles/detail/library_function.hpp>
#include <warpsafe/handles/handle_traits.hpp>

// `call<fn>` where a library's C++ header overloads fn: a template argument that is one of several
// functions finds its own by the type of a parameter, so there is one `call` for each signature.

namespace warpsafe::detail {

/// The first argument of a function of one signature: a type of its own for each, since clang++ 14
/// otherwise takes one `call` for a redeclaration of the other.
template <class Traits, class Function>
struct FirstOfOverload : LibraryFunction<Traits, Function>::First {
  using LibraryFunction<Traits, Function>::First::First;
};

/// `call` for functions that a library's C++ header overloads: one for each signature.
template <class Self, class Traits, class... Signature>
struct OverloadedCalls {
  struct Nothing {};
  void call(Nothing) = delete;
};
template <class Self, class Traits, class StatusType, class... P, class... More>
struct OverloadedCalls<Self, Traits, StatusType(P...), More...>
    : OverloadedCalls<Self, Traits, More...> {
  using OverloadedCalls<Self, Traits, More...>::call;
  template <StatusType (*Fn)(P...), CheckLevel Level = current_level, class... A>
  [[nodiscard, gnu::always_inline]] result<void> call(
      FirstOfOverload<Traits, StatusType (*)(P...)> first, A&&... rest) noexcept {
    using First = typename LibraryFunction<Traits, StatusType (*)(P...)>::First;
    return static_cast<Self*>(this)->template call_from<Fn, Level>(static_cast<First&>(first),
                                                                   decayed(rest)...);
  }
};
template <class Self, class Traits>
struct CallsOf {
  using type = OverloadedCalls<Self, Traits>;
};
template <class Self, class Traits, class... Signature>
OverloadedCalls<Self, Traits, Signature...> make_calls(Signatures<Signature...>);
template <class Self, class Traits>
requires requires { typename Traits::overloaded; }
struct CallsOf<Self, Traits> {
  using type = decltype(make_calls<Self, Traits>(typename Traits::overloaded{}));
};

}  // namespace warpsafe::detail
