// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/args/trust.hpp>

#include <cstddef>
#include <type_traits>
#include <utility>

// Which types a kernel's parameters may have. The bytes of an argument are copied to the device, so
// they must mean the same there: no reference, no owner, no view of host memory.

namespace warpsafe {

namespace detail {

/// Converts to any type but an aggregate: counts the members, those of a structure inside as well.
struct AnyMember {
  template <class T>
  requires(!std::is_aggregate_v<T>) operator T() const noexcept;
};
/// Whether a class or union that cannot be looked into, by a constructor, private members or
/// members in one place, may hold an address that nobody sees: it has room for one, it is no type
/// of device memory, and it does not say what it is made of (std::complex has a value_type,
/// std::chrono's durations a rep, HIP's float4 a Native_vec_).
template <class P>
constexpr bool may_hide_address() noexcept {
  if constexpr (sizeof(P) < sizeof(void*) || alignof(P) < alignof(void*) || is_device_memory<P> ||
                requires { typename P::Native_vec_; }) {
    return false;
  } else if constexpr (requires { typename P::value_type; }) {
    return !std::is_arithmetic_v<typename P::value_type>;
  } else if constexpr (requires { typename P::rep; }) {
    return !std::is_arithmetic_v<typename P::rep>;
  } else {
    return true;
  }
}
template <class T>
constexpr bool is_refused_member() noexcept;
/// Converts to any pointer to an object and to what may hide one, and to nothing else.
struct AnyAddress {
  template <class T>
  operator T*() const noexcept;
  template <class T>
  requires(is_refused_member<T>()) operator T() const noexcept;
};

/// Whether the aggregate P can be made with `Probe` between other members.
template <class P, class Probe, std::size_t... Before, std::size_t... After>
constexpr bool takes(std::index_sequence<Before...>, std::index_sequence<After...>) noexcept {
  return requires {
    P{(static_cast<void>(Before), AnyMember{})..., Probe{},
      (static_cast<void>(After), AnyMember{})...};
  };
}
/// The number of members of P, `Most` at most. From above: a member without a default constructor
/// has to be given.
template <class P, std::size_t Most>
constexpr std::size_t count_members() noexcept {
  if constexpr (Most == 0) {
    return 0;
  } else if constexpr (takes<P, AnyMember>(std::make_index_sequence<Most - 1>{},
                                           std::index_sequence<>{})) {
    return Most;
  } else {
    return count_members<P, Most - 1>();
  }
}
/// Whether one of the aggregate's members is a raw pointer or may hide one; arrays and structures
/// inside it count as their own members. What comes after the 64th is not seen.
template <class P, std::size_t... Place>
constexpr bool has_address_among(std::index_sequence<Place...>) noexcept {
  return (takes<P, AnyAddress>(std::make_index_sequence<Place>{},
                               std::make_index_sequence<sizeof...(Place) - 1 - Place>{}) ||
          ...);
}
template <class P>
constexpr bool has_address() noexcept {
  constexpr std::size_t members = count_members<P, (sizeof(P) < 64 ? sizeof(P) : 64)>();
  return has_address_among<P>(std::make_index_sequence<members>{});
}

/// What is a view of memory by its shape: std::span, std::string_view, std::initializer_list; an
/// array of its own elements is an aggregate, or says otherwise by is_device_copyable.
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
/// An iterator that refers to an element in memory.
template <class P>
concept IteratorOfMemory = requires(const P& iterator) {
  typename P::iterator_category;
  requires std::is_lvalue_reference_v<decltype(*iterator)>;
};
/// std::reference_wrapper.
template <class P>
concept ReferenceInDisguise = requires(const P& wrapper) {
  typename P::type;
  requires std::is_lvalue_reference_v<decltype(wrapper.get())>;
};

template <class P>
inline constexpr bool is_view_by_shape =
    ViewOfMemory<P> || HolderOfPointers<P> || IteratorOfMemory<P> || ReferenceInDisguise<P>;
template <class P>
inline constexpr bool is_closed = std::is_union_v<P> || !std::is_aggregate_v<P>;

/// Whether P shows in its type that it holds an address that may be host memory, or could hide one.
template <class P>
constexpr bool shows_address() noexcept {
  if constexpr (!std::is_class_v<P> && !std::is_union_v<P>) {
    return std::is_member_function_pointer_v<P>;
  } else if constexpr (is_view_by_shape<P>) {
    return true;
  } else if constexpr (is_closed<P>) {
    return may_hide_address<P>();
  } else {
    return has_address<P>();
  }
}

/// A class with a reference in it, or a lambda that captures, cannot be assigned.
template <class P>
inline constexpr bool is_assignable_type =
    !std::is_class_v<P> || std::is_copy_assignable_v<P> || std::is_move_assignable_v<P>;

}  // namespace detail

/// Opens a type to kernels: specialise it as true for a type whose bytes mean the same on the
/// device, although it is not trivially copyable by the letter, has a const member, holds a raw
/// pointer that is always device memory, or cannot be looked into (a constructor, private members,
/// a union) and has no address in it.
template <class T>
inline constexpr bool is_device_copyable =
    std::is_trivially_copyable_v<T>&& detail::is_assignable_type<T> && !detail::shows_address<T>();

template <class T>
inline constexpr bool is_device_copyable<trusted_ptr<T>> = true;
template <class T>
inline constexpr bool is_device_copyable<trusted_span<T>> = true;

namespace detail {

template <class T>
constexpr bool is_refused_member() noexcept {
  if constexpr (std::is_union_v<T> || (std::is_class_v<T> && !std::is_aggregate_v<T>)) {
    return !is_device_copyable<T>;
  } else {
    return false;
  }
}

/// The sentences about parameter number Number (from 1) of type P.
template <std::size_t Number, class P>
constexpr bool check_parameter() noexcept {
  constexpr bool reference = std::is_reference_v<P>;
  static_assert(
      !reference,
      "warpsafe: the kernel takes a reference: the address of a host object means nothing to the "
      "device; take the parameter by value, or a pointer to device memory");
  if constexpr (!reference) {
    constexpr bool polymorphic = std::is_polymorphic_v<P>;
    static_assert(
        !polymorphic,
        "warpsafe: the kernel takes a polymorphic type: its virtual functions are the host's; use a "
        "plain struct");
    if constexpr (!polymorphic && !is_device_copyable<P>) {
      constexpr bool trivial = std::is_trivially_copyable_v<P>;
      constexpr bool assignable = is_assignable_type<P>;
      constexpr bool closed = is_closed<P> && !is_view_by_shape<P>;
      static_assert(
          trivial,
          "warpsafe: the kernel takes a type that is not trivially copyable: its bytes on the "
          "device would point to host memory, or be freed twice; pass a span of device memory");
      static_assert(
          !trivial || assignable,
          "warpsafe: the kernel takes a lambda with captures, or a type with a reference or a const "
          "member: what it refers to may be on the host; use a plain struct of values");
      static_assert(
          !trivial || !assignable || closed,
          "warpsafe: the kernel takes a type that holds a raw pointer, or is a view or an iterator "
          "of memory, which may be the host's; use DeviceSpan or device_ptr (a buffer's view()), or "
          "trusted_ptr for trust(p)");
      static_assert(
          !trivial || !assignable || !closed,
          "warpsafe: the kernel takes a type that could hide the address of host memory: it has a "
          "constructor or private members, or is a union; use a plain struct of values and "
          "DeviceSpans, or say warpsafe::is_device_copyable<T> = true of a type that has none");
    }
    return !polymorphic && is_device_copyable<P>;
  } else {
    return false;
  }
}

/// The bytes of a parameter block: each parameter at its own alignment, as the runtimes lay it out.
template <class... P>
constexpr std::size_t parameter_bytes() noexcept {
  std::size_t total = 0;
  ((total = (total + alignof(P) - 1) / alignof(P) * alignof(P) + sizeof(P)), ...);
  return total;
}

}  // namespace detail
}  // namespace warpsafe
