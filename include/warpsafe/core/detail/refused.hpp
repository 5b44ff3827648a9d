// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/core/config.hpp>

// Constructors and conversions that exist to say what to write instead. Overload resolution selects
// this function, so the compiler's error contains its sentence. Calling it is an error, so
// std::is_convertible_v<int, BlockDim> is false. Each compiler prints the sentence in its own way:
//
// * clang++ and hipcc have the attribute `unavailable`.
// * g++ prints the template arguments of a deleted function, and the sentence is one of them.
// * nvcc's front end prints neither: it cuts a text in a template argument after 20 characters. g++
//   in C++17 has no such arguments. With these two, the function's body asserts, and traits say
//   that the function can be used.
//
//   #define WARPSAFE_DETAIL_SENTENCE "warpsafe: ..."
//   template <class N WARPSAFE_DETAIL_WHY>
//   requires(is_mistake<N>) WARPSAFE_DETAIL_REFUSED Type(N) WARPSAFE_DETAIL_REFUSAL(N, : member_())
//   #undef WARPSAFE_DETAIL_SENTENCE
//
// REFUSAL's first argument is a template parameter of the function; its second is what the body
// needs: a constructor's initialisers, or nothing. C++17, without standard headers, because
// kernel_api.hpp includes this file.

namespace warpsafe::detail {

/// Whether traits see that a refused function cannot be called.
#if defined(__clang__) && !defined(__NVCC__)
inline constexpr bool refusals_show_in_traits = true;
#define WARPSAFE_DETAIL_WHY
#define WARPSAFE_DETAIL_REFUSED __attribute__((unavailable(WARPSAFE_DETAIL_SENTENCE)))
#define WARPSAFE_DETAIL_REFUSAL(T, ...)

#elif !defined(__CUDACC__) && defined(__cpp_nontype_template_args) && \
    __cpp_nontype_template_args >= 201911L
inline constexpr bool refusals_show_in_traits = true;
/// A text as a template argument.
template <decltype(sizeof(0)) Size>
struct Sentence {
  char text[Size];
  constexpr Sentence(
      const char (&its_text)[Size]) noexcept {  // NOLINT(google-explicit-constructor)
    for (decltype(sizeof(0)) i = 0; i < Size; ++i) text[i] = its_text[i];
  }
};
#define WARPSAFE_DETAIL_WHY , ::warpsafe::detail::Sentence why = WARPSAFE_DETAIL_SENTENCE
#define WARPSAFE_DETAIL_REFUSED
#define WARPSAFE_DETAIL_REFUSAL(T, ...) = delete

#else
inline constexpr bool refusals_show_in_traits = false;
template <class T>
inline constexpr bool is_never = false;
#define WARPSAFE_DETAIL_WHY
#define WARPSAFE_DETAIL_REFUSED
#define WARPSAFE_DETAIL_REFUSAL(T, ...)                                       \
  __VA_ARGS__ {                                                               \
    static_assert(::warpsafe::detail::is_never<T>, WARPSAFE_DETAIL_SENTENCE); \
    __builtin_unreachable();                                                  \
  }
#endif

/// Like std::declval, for headers without the standard library.
template <class T>
WARPSAFE_FN const T& lvalue() noexcept;
/// Like std::enable_if, without the standard library: `typename If<b>::type* = nullptr`.
template <bool>
struct If {};
template <>
struct If<true> {
  using type = void;
};

}  // namespace warpsafe::detail
