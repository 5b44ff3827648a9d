// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/core/config.hpp>

// Constructors and conversions that only tell the user what to write instead. Overload resolution
// selects this function, so the compiler's error contains its sentence. Traits see that it cannot
// be called, so std::is_convertible_v<int, BlockDim> is false. Each compiler prints the sentence in
// its own way:
//
// * clang++ and hipcc have the attribute `unavailable`.
// * nvcc's front end evaluates the noexcept of a deleted function where code calls it, but not for
//   a trait. It prints the assertion there.
// * g++ prints the template arguments of a deleted function, and the sentence is one of them. In
//   C++17, g++ has no such arguments. The function's body asserts there, and traits say that the
//   function can be used.
//
//   #define WARPSAFE_DETAIL_SENTENCE "warpsafe: ..."
//   template <class N WARPSAFE_DETAIL_WHY>
//   requires(is_mistake<N>) WARPSAFE_DETAIL_REFUSED Type(N) WARPSAFE_DETAIL_REFUSAL(N, : member_())
//   #undef WARPSAFE_DETAIL_SENTENCE
//
// REFUSAL's first argument is a template parameter of the function; its second is what the body
// needs: a constructor's initialisers, or nothing. nvcc says that the function is deleted, and then
// the sentence. With REFUSAL_IN_BODY the sentence is nvcc's first line, but its traits say that the
// function can be used: for functions of which no trait asks. C++17, without standard headers,
// because kernel_api.hpp includes this file.

namespace warpsafe {
inline namespace WARPSAFE_DETAIL_VERSION {
namespace detail {

template <class T>
inline constexpr bool is_never = false;

#if defined(__clang__) && !(defined(__NVCC__) && defined(__CUDACC__))
#define WARPSAFE_DETAIL_WHY
#define WARPSAFE_DETAIL_REFUSED __attribute__((unavailable(WARPSAFE_DETAIL_SENTENCE)))
#define WARPSAFE_DETAIL_REFUSAL(T, ...)
#define WARPSAFE_DETAIL_REFUSAL_IN_BODY(T)

#elif defined(__CUDACC__)
#define WARPSAFE_DETAIL_WHY
#define WARPSAFE_DETAIL_REFUSED
#define WARPSAFE_DETAIL_REFUSAL(T, ...) WARPSAFE_DETAIL_REFUSAL_IN(T, __LINE__)
#define WARPSAFE_DETAIL_REFUSAL_IN(T, line) WARPSAFE_DETAIL_REFUSAL_OF(T, line)
// `this`, because the front end does not find a later member of a class that is no template.
#define WARPSAFE_DETAIL_REFUSAL_OF(T, line)                                          \
  noexcept(sizeof(this->template refused_##line<T>()) != 0) = delete;                \
  template <class Argument>                                                          \
  WARPSAFE_FN static constexpr auto refused_##line() noexcept {                      \
    static_assert(::warpsafe::detail::is_never<Argument>, WARPSAFE_DETAIL_SENTENCE); \
    return true;                                                                     \
  }
#define WARPSAFE_DETAIL_REFUSAL_IN_BODY(T)                                    \
  {                                                                           \
    static_assert(::warpsafe::detail::is_never<T>, WARPSAFE_DETAIL_SENTENCE); \
    __builtin_unreachable();                                                  \
  }                                                                           \
  static_assert(true)

#elif defined(__cpp_nontype_template_args) && __cpp_nontype_template_args >= 201911L
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
#define WARPSAFE_DETAIL_REFUSAL_IN_BODY(T) = delete

#else
#define WARPSAFE_DETAIL_WHY
#define WARPSAFE_DETAIL_REFUSED
#define WARPSAFE_DETAIL_REFUSAL(T, ...)                                       \
  __VA_ARGS__ {                                                               \
    static_assert(::warpsafe::detail::is_never<T>, WARPSAFE_DETAIL_SENTENCE); \
    __builtin_unreachable();                                                  \
  }
#define WARPSAFE_DETAIL_REFUSAL_IN_BODY(T) WARPSAFE_DETAIL_REFUSAL(T) static_assert(true)
#endif

// The constructors of a class whose objects a function makes that can fail, which the sentence
// names. `explicit(…)`: without arguments it is as implicit as a default constructor. C++20.
#define WARPSAFE_DETAIL_NO_CONSTRUCTOR(Type)                                \
  template <class Never = void, class... Any WARPSAFE_DETAIL_WHY>           \
  WARPSAFE_DETAIL_REFUSED explicit(sizeof...(Any) != 0) Type(const Any&...) \
      WARPSAFE_DETAIL_REFUSAL(Never)

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

}  // namespace detail
}  // namespace WARPSAFE_DETAIL_VERSION
}  // namespace warpsafe
