// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <cstddef>
#include <utility>

// What the layout of a class tells g++ about its private members. clang++ shows each of them.

namespace warpsafe::detail {

/// 0, 1, ... N - 1. g++ 13 under nvcc takes no std::make_index_sequence inside a fold.
template <std::size_t N>
inline constexpr std::make_index_sequence<N> indices{};

template <class N, std::size_t Size>
struct ArrayOf {
  N all[Size];
};
template <class...>
struct Members {};
template <class A>
struct Members<A> {
  A a;
};
template <class A, class B>
struct Members<A, B> {
  A a;
  B b;
};
template <class A, class B, class C>
struct Members<A, B, C> {
  A a;
  B b;
  C c;
};
template <class A, class B, class C, class D>
struct Members<A, B, C, D> {
  A a;
  B b;
  C c;
  D d;
};
#if !defined(__clang__)
/// Whether P has the members M and further numbers, up to four in all, of eight bytes at most each.
template <class P, class... M, class... N>
constexpr bool has_numbers(Members<N...> all) noexcept {
  if constexpr (sizeof(Members<M...>) <= sizeof(P) &&
                (sizeof(Members<M...>) + 7) / 8 + 4 - sizeof...(M) >= sizeof(P) / 8) {
    if constexpr ((__is_layout_compatible(P, Members<M..., N>) || ...)) return true;
    if constexpr (sizeof...(M) < 3) return (has_numbers<P, M..., N>(all) || ...);
  }
  return false;
}
template <class T, std::size_t>
using Repeated = T;
/// The room of an A before or behind an array of T.
template <class T, class A>
inline constexpr std::size_t slot = sizeof(A) > sizeof(T) ? sizeof(A) : sizeof(T);
template <class P, class T, class... M>
inline constexpr bool is_between = false;
template <class P, class T, class A, class B>
requires(sizeof(P) >=
         slot<T, A> + slot<T, B> + sizeof(T)) inline constexpr bool is_between<P, T, A, B> =
    __is_layout_compatible(P, Members<A, T[(sizeof(P) - slot<T, A> - slot<T, B>) / sizeof(T)], B>);
/// A lambda that captures values has their types as members, however many they are.
template <class... M>
auto class_of(M... members) {
  return [... all = members] { (static_cast<void>(all), ...); };
}
template <class P, class T, class U, std::size_t... A, std::size_t... B>
constexpr bool has_runs(std::index_sequence<A...>, std::index_sequence<B...>) noexcept {
  return __is_layout_compatible(P, decltype(class_of(Repeated<T, A>{}..., Repeated<U, B>{}...)));
}
/// Whether P has `A` members of type T, behind them only members of type U, and then padding.
template <class P, class T, class U, std::size_t A, std::size_t... Padding>
constexpr bool has_runs(std::index_sequence<Padding...>) noexcept {
  constexpr std::size_t most = (sizeof(P) - A * sizeof(T)) / sizeof(U);
  return (has_runs<P, T, U>(indices<A>, indices<(most > Padding ? most - Padding : 0)>) || ...);
}
template <class P, class T, class U, std::size_t... A>
constexpr bool has_two_runs(std::index_sequence<A...>) noexcept {
  return (has_runs<P, T, U, A>(indices<sizeof(T) / sizeof(U) + 1>) || ...);
}
/// Whether P has members of one or of two of these types, those of one type side by side.
template <class P, class Wide, class... N>
constexpr bool has_wide_run() noexcept {
  constexpr std::size_t size = sizeof(P) <= 128 ? sizeof(P) : 0;
  return (has_two_runs<P, Wide, N>(indices<size / sizeof(Wide) + 1>) || ...) ||
         (has_two_runs<P, N, Wide>(indices<size / sizeof(N)>) || ...);
}
/// Whether P is an array of T with the numbers M beside it, or with up to two further ones.
template <class P, class T, class... M>
constexpr bool is_array_beside() noexcept {
  constexpr std::size_t beside = sizeof...(M) == 0 ? 0 : sizeof(Members<M...>);
  if constexpr (sizeof(P) >= beside + sizeof(T)) {
    using Array = T[(sizeof(P) - beside) / sizeof(T)];
    if constexpr (__is_layout_compatible(P, Members<Array, M...>) ||
                  __is_layout_compatible(P, Members<M..., Array>) || is_between<P, T, M...>) {
      return true;
    } else if constexpr (sizeof...(M) < 2) {
      return is_array_beside<P, T, M..., double>() || is_array_beside<P, T, M..., long>() ||
             is_array_beside<P, T, M..., unsigned long>() || is_array_beside<P, T, M..., float>() ||
             is_array_beside<P, T, M..., int>() || is_array_beside<P, T, M..., unsigned>() ||
             is_array_beside<P, T, M..., bool>();
    }
  }
  return false;
}
/// Whether P is an array of one of the types T, alone or with up to two numbers beside it.
template <class P, class... T>
constexpr bool is_array_of() noexcept {
  return (is_array_beside<P, T>() || ...);
}
#endif
/// Whether g++ shows by P's layout that its members are numbers. clang++ shows each member.
template <class P>
constexpr bool is_laid_out_as_numbers() noexcept {
#if defined(__clang__)
  return false;
#else
  return has_numbers<P>(Members<double, long, unsigned long, float, int, unsigned, long long,
                                unsigned long long, bool>{}) ||
         is_array_of<P, double, float, int, long, unsigned long, long long, unsigned long long>() ||
         has_wide_run<P, double, double, float, int, unsigned, long, unsigned long, bool>() ||
         has_wide_run<P, long, long, float, int, unsigned, bool>() ||
         has_wide_run<P, unsigned long, unsigned long, float, int, unsigned, bool>();
#endif
}
}  // namespace warpsafe::detail
