// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/args/device_ptr.hpp>

#include <cstddef>
#include <type_traits>
#include <utility>

// The types that kernel parameters may have. The bytes of an argument are copied to the device and
// must keep their meaning there: no reference, no owner, no view of host memory.

namespace warpsafe {

// args/trust.hpp
template <class T>
class trusted_ptr;
template <class T>
class trusted_span;

namespace detail {

/// Converts to any type except an aggregate. It counts members, including those of a structure
/// inside.
struct AnyMember {
  template <class T>
  requires(!std::is_aggregate_v<T>) operator T() const noexcept;
};
/// Whether a class or union may hide an address. P is a type whose members cannot be examined,
/// because it has a constructor or private members, or is a union. It may hide an address if it has
/// room for a pointer, is not a type of device memory, and does not name the type of its numbers
/// (std::complex has a value_type, std::chrono's durations a rep, HIP's float4 a Native_vec_).
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
/// The number of members of P, up to `Most`. It counts down, because a member without a default
/// constructor needs an initialiser.
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
/// Whether a member of the aggregate is a raw pointer or may hide one. Arrays and structures inside
/// it count as their members. Members after the 64th are not examined.
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

/// Whether the type P holds, or could hide, an address that may be host memory.
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

/// A class with a reference member, or a lambda with captures, cannot be assigned.
template <class P>
inline constexpr bool is_assignable_type =
    !std::is_class_v<P> || std::is_copy_assignable_v<P> || std::is_move_assignable_v<P>;

}  // namespace detail

/// Allows a type as a kernel parameter. Specialise it as true for a type that is refused although
/// its bytes mean the same on the device. Such a type is formally not trivially copyable, has a
/// const member, or holds a raw pointer that is always device memory. Or it cannot be examined (a
/// constructor, private members, a union) and contains no address.
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

/// Diagnoses the parameter of type P and number Number, counted from 1.
template <std::size_t Number, class P>
constexpr bool check_parameter() noexcept {
  constexpr bool reference = std::is_reference_v<P>;
  static_assert(
      !reference,
      "warpsafe: the kernel takes a reference, and the device cannot use the address of a host object; take the parameter by value, or a pointer to device memory");
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
          "warpsafe: the kernel takes a type that could hide the address of host memory: it has a constructor or private members, or is a union; use a plain struct of values and DeviceSpans, or set warpsafe::is_device_copyable<T> = true for a type without such an address");
    }
    return !polymorphic && is_device_copyable<P>;
  } else {
    return false;
  }
}

/// The size of a parameter block in bytes. Each parameter has its own alignment, as the runtimes
/// lay it out.
template <class... P>
constexpr std::size_t parameter_bytes() noexcept {
  std::size_t total = 0;
  ((total = (total + alignof(P) - 1) / alignof(P) * alignof(P) + sizeof(P)), ...);
  return total;
}

}  // namespace detail
}  // namespace warpsafe
