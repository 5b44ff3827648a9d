// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/args/device_ptr.hpp>
#include <warpsafe/core/cxx20.hpp>

#include <cstddef>
#include <type_traits>
#include <utility>

// The types that kernel parameters may have. The bytes of an argument are copied to the device and
// must keep their meaning there: no reference, no owner, no view of host memory.

namespace warpsafe::inline WARPSAFE_DETAIL_VERSION {

// args/trust.hpp
template <class T>
class trusted_ptr;
template <class T>
class trusted_span;

namespace detail {

template <class T>
inline constexpr bool is_trusted = false;
template <class T>
inline constexpr bool is_trusted<trusted_ptr<T>> = true;
template <class T>
inline constexpr bool is_trusted<trusted_span<T>> = true;

/// 0, 1, ... N - 1. g++ 13 under nvcc takes no std::make_index_sequence inside a fold.
template <std::size_t N>
inline constexpr std::make_index_sequence<N> indices{};

/// Whether a type has no members that could be initialised one by one.
template <class T>
inline constexpr bool is_single_member = __is_empty(T) || !__is_aggregate(T) ||
                                         (!__is_class(T) && !__is_union(T));
/// Converts to any type without members of its own. Counts members, also of structures inside.
struct AnyMember {
  template <class T>
  requires(is_single_member<T>) operator T() const noexcept;
};
template <class N, std::size_t Size>
struct ArrayOf {
  N all[Size];
};
#if !defined(__clang__)
/// A union is a literal type if one member is. So this one can hold a P in a constant expression,
/// also if P has no constexpr constructor.
template <class P>
union Unconstructed {
  char other;
  P held;
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
/// The room of an A before or behind an array of T.
template <class T, class A>
inline constexpr std::size_t slot = sizeof(A) > sizeof(T) ? sizeof(A) : sizeof(T);
template <class P, class T, class... M>
inline constexpr bool is_between = false;
template <class P, class T, class A, class B>
requires(sizeof(P) >=
         slot<T, A> + slot<T, B> + sizeof(T)) inline constexpr bool is_between<P, T, A, B> =
    __is_layout_compatible(P, Members<A, T[(sizeof(P) - slot<T, A> - slot<T, B>) / sizeof(T)], B>);
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
/// Whether P is an array of pointers to one of the T, alone or with up to two numbers beside it.
template <class P, class... T>
constexpr bool is_array_of_pointers() noexcept {
  if constexpr (alignof(P) < alignof(void*)) return false;
  return ((is_array_beside<P, T*>() || is_array_beside<P, const T*>()) || ...);
}
#endif
// g++ changes its answer for a lambda once it was asked for the assignment, so this asks first.
template <class P>
constexpr bool is_made_of_bytes() noexcept {
  if constexpr (__is_trivially_copyable(P) && !__is_union(P)) {
    constexpr ArrayOf<unsigned char, sizeof(P)> bytes{};
#if defined(__clang__)
    static_cast<void>(__builtin_bit_cast(P, bytes));
#else
    const Unconstructed<P> made{.held = __builtin_bit_cast(P, bytes)};
    static_cast<void>(made);
#endif
    return true;
  }
  return false;
}
/// Whether the type becomes no pointer, reference or union if it is made of bytes while compiling.
template <class P>
concept MadeOfBytes = requires {
  typename std::enable_if_t<is_made_of_bytes<P>()>;
};
/// Whether the class P, with its private members or its captures, consists of numbers alone, as far
/// as bytes show it. g++ does not look into a private array (nvcc's own front end does):
/// is_array_of_pointers finds the usual ones.
template <class P>
inline constexpr bool is_examined = requires {
  requires MadeOfBytes<std::remove_cv_t<P>>;
#if !defined(__clang__)
  requires !MadeOfBytes<ArrayOf<P*, 1>> ||
      !is_array_of_pointers<P, P, void, char, int, float, double>();
#endif
};
template <class T>
constexpr bool is_refused_member() noexcept;
template <class T>
constexpr bool is_refused_element() noexcept;
/// std::complex of each vendor: two numbers, and no room for more.
template <class P>
inline constexpr bool is_complex = false;
template <template <class> class Number, class T>
requires(std::is_arithmetic_v<T>&&
             std::is_constructible_v<Number<T>, T, T>) inline constexpr bool is_complex<Number<T>> =
    sizeof(Number<T>) == 2 * sizeof(T) && requires(const Number<T>& number) {
  requires std::is_same_v<decltype(number.real()), T>;
  requires std::is_same_v<decltype(number.imag()), T>;
};
/// std::optional and std::expected: they hold one of their template's types beside a flag, and have
/// no room for more.
template <class P>
inline constexpr bool is_holder_of_values = false;
template <template <class...> class Holder, class... T>
requires requires(const Holder<T...>& held) {
  held.has_value();
  requires std::is_constructible_v < Holder<T...>,
  typename Holder<T...>::value_type > ;
  requires(!is_refused_element<T>() && ...);
}
inline constexpr bool is_holder_of_values<Holder<T...>> = [] {
  std::size_t bytes = 0;
  std::size_t alignment = 1;
  ((bytes = sizeof(T) > bytes ? sizeof(T) : bytes), ...);
  ((alignment = alignof(T) > alignment ? alignof(T) : alignment), ...);
  return alignof(Holder<T...>) == alignment &&
         sizeof(Holder<T...>) == (bytes / alignment + 1) * alignment;
}();
/// Whether P may hide an address: a class or union whose members cannot be examined one by one. It
/// may if it has room for a pointer, is not a type of device memory, is not known to consist of
/// numbers, and is no holder of values, complex number or vector of HIP (float4: Native_vec_).
template <class P>
constexpr bool may_hide_address() noexcept {
  if constexpr (sizeof(P) < sizeof(void*) || alignof(P) < alignof(void*) || is_device_memory<P> ||
                requires { typename P::Native_vec_; } || is_complex<P> || is_holder_of_values<P>) {
    return false;
  }
  return !is_examined<P>;
}
/// Converts to any pointer to an object and to types that may hide one, and to nothing else.
struct AnyAddress {
  template <class T>
  operator T*() const noexcept;
  template <class T>
  requires(is_refused_member<T>()) operator T() const noexcept;
};

/// Whether the aggregate P can be initialised with `Probe` between other members.
template <class P, class Probe, std::size_t... Before, std::size_t... After>
constexpr bool takes(std::index_sequence<Before...>, std::index_sequence<After...>) noexcept {
  return requires {
    P{(static_cast<void>(Before), AnyMember{})..., Probe{},
      (static_cast<void>(After), AnyMember{})...};
  };
}
/// The number of members of P, up to `Most`. Counts down: each member may need an initialiser.
template <class P, std::size_t Most = (sizeof(P) < 64 ? sizeof(P) : 64)>
constexpr std::size_t count_members() noexcept {
  if constexpr (Most == 0) {
    return 0;
  } else if constexpr (takes<P, AnyMember>(indices<Most - 1>, std::index_sequence<>{})) {
    return Most;
  } else {
    return count_members<P, Most - 1>();
  }
}
/// Whether one of the 192 members after the 64th is a raw pointer or may hide one.
template <class P>
constexpr bool has_late_address() noexcept {
  if constexpr (sizeof(P) > 64 && takes<P, AnyMember>(indices<64>, indices<0>)) {
    return []<std::size_t... Place>(std::index_sequence<Place...>) {
      return (takes<P, AnyAddress>(indices<64 + Place>, indices<0>) || ...);
    }
    (indices<192>);
  }
  return false;
}
/// Whether a member of the aggregate is a raw pointer or may hide one. Arrays and structures inside
/// it count as their members. Members after the 256th are not examined.
template <class P>
constexpr bool has_address() noexcept {
  constexpr std::size_t members = count_members<P>();
  return []<std::size_t... Place>(std::index_sequence<Place...>) {
    return (takes<P, AnyAddress>(indices<Place>, indices<members - 1 - Place>) || ...);
  }
  (indices<members>) || has_late_address<P>();
}

/// Whether a type looks like a view of memory: std::span, std::string_view, std::initializer_list.
/// A type that holds its own elements is an aggregate, or specialises is_device_copyable.
template <class P>
concept ViewOfMemory =
    !std::is_aggregate_v<P> &&
    (
        requires(const P& view) { requires std::is_pointer_v<decltype(view.data())>; } ||
        requires(const P& view) { requires std::is_pointer_v<decltype(view.begin())>; });
/// std::optional<float*>, std::array<float*, 4>, …
template <class P>
concept HolderOfPointers = requires {
  requires std::is_pointer_v<typename P::value_type>;
};
/// std::pair, std::tuple and std::variant: 1 if their members have no address that may be host
/// memory, else -1. 0 for every other type.
template <class P>
inline constexpr int members_of_tuple = 0;
template <template <class...> class Tuple, class... T>
requires(std::tuple_size<Tuple<T...>>::value == sizeof...(T) || requires(const Tuple<T...>& held) {
  held.valueless_by_exception();
}) inline constexpr int members_of_tuple<Tuple<T...>> = (is_refused_element<T>() || ...) ? -1 : 1;
/// An iterator that refers to an element in memory.
template <class P>
concept IteratorOfMemory = requires(const P& iterator) {
  typename P::iterator_category;
  requires std::is_lvalue_reference_v<decltype(*iterator)>;
};
/// std::reference_wrapper.
template <class P>
concept ReferenceWrapper = requires(const P& wrapper) {
  typename P::type;
  requires std::is_lvalue_reference_v<decltype(wrapper.get())>;
};

template <class P>
inline constexpr bool is_view_by_shape =
    ViewOfMemory<P> || HolderOfPointers<P> || IteratorOfMemory<P> || ReferenceWrapper<P> ||
    members_of_tuple<P> < 0;
template <class P>
inline constexpr bool is_closed = std::is_union_v<P> || !std::is_aggregate_v<P>;

/// Whether the type P holds, or could hide, an address that may be host memory.
template <class P>
constexpr bool shows_address() noexcept {
  if constexpr (!std::is_class_v<P> && !std::is_union_v<P>) {
    return std::is_member_function_pointer_v<P>;
  } else if constexpr (is_view_by_shape<P>) {
    return true;
  } else if constexpr (is_closed<P>) {
    return members_of_tuple<P> == 0 && may_hide_address<P>();
  } else {
    return has_address<P>();
  }
}

/// Whether a copy of the bytes is a copy. Assignments do not matter: std::pair has its own.
template <class P>
constexpr bool find_copied_by_bytes() noexcept {
  if constexpr (__is_trivially_copyable(P)) {
    return true;
  } else {
    return std::is_trivially_copy_constructible_v<P> && std::is_trivially_destructible_v<P>;
  }
}
template <class P>
inline constexpr bool is_copied_by_bytes = find_copied_by_bytes<P>();
/// A class with a reference or const member cannot be assigned, nor can a lambda with captures.
template <class P>
constexpr bool may_refer() noexcept {
  if constexpr (std::is_class_v<P>) {
    if constexpr (!is_examined<P> && members_of_tuple<P> <= 0) {
      return !std::is_copy_assignable_v<P> && !std::is_move_assignable_v<P>;
    }
  }
  return false;
}

}  // namespace detail

/// Allows a type as a kernel parameter. Specialise it as true for a type that is refused although
/// its bytes mean the same on the device: it is formally not trivially copyable, its raw pointer is
/// always device memory, or it is a class or union that holds no address and cannot be examined.
template <class T>
inline constexpr bool is_device_copyable =
    detail::is_copied_by_bytes<T> && !detail::may_refer<T>() && !detail::shows_address<T>();

template <class T>
inline constexpr bool is_device_copyable<trusted_ptr<T>> = true;
template <class T>
inline constexpr bool is_device_copyable<trusted_span<T>> = true;

namespace detail {

template <class T>
constexpr bool is_refused_member() noexcept {
  if constexpr (std::is_union_v<T> || (std::is_class_v<T> && !std::is_aggregate_v<T>)) {
    return !is_device_copyable<T>;
  }
  return false;
}
template <class T>
constexpr bool is_refused_element() noexcept {
  return std::is_pointer_v<T> || std::is_reference_v<T> || !is_device_copyable<T>;
}

}  // namespace detail
}  // namespace warpsafe::inline WARPSAFE_DETAIL_VERSION
