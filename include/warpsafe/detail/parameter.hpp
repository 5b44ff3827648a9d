// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

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
/// Converts to any pointer to an object, and to nothing else.
struct AnyPointer {
  template <class T>
  operator T*() const noexcept;
};

/// Whether the aggregate P, after `Before` members, has a raw pointer; arrays and structures inside
/// it count as their own members. A pointer after the 64nd member is not seen.
template <class P, std::size_t... Before>
constexpr bool has_raw_pointer(std::index_sequence<Before...>) noexcept {
  constexpr std::size_t count = sizeof...(Before);
  if constexpr (requires { P{(static_cast<void>(Before), AnyMember{})..., AnyPointer{}}; }) {
    return true;
  } else if constexpr (count < 64 && requires {
                         P{(static_cast<void>(Before), AnyMember{})..., AnyMember{}};
                       }) {
    return has_raw_pointer<P>(std::make_index_sequence<count + 1>{});
  } else {
    return false;
  }
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

/// Whether P shows in its type that it holds an address that may be host memory. A class that hides
/// a raw pointer in a private member shows nothing.
template <class P>
constexpr bool shows_address() noexcept {
  if constexpr (!std::is_class_v<P> && !std::is_union_v<P>) {
    return std::is_member_function_pointer_v<P>;
  } else if constexpr (ViewOfMemory<P> || HolderOfPointers<P> || IteratorOfMemory<P> ||
                       ReferenceInDisguise<P>) {
    return true;
  } else if constexpr (std::is_aggregate_v<P>) {
    return has_raw_pointer<P>(std::index_sequence<>{});
  } else {
    return false;
  }
}

/// A class with a reference in it, or a lambda that captures, cannot be assigned.
template <class P>
inline constexpr bool is_assignable_type =
    !std::is_class_v<P> || std::is_copy_assignable_v<P> || std::is_move_assignable_v<P>;

}  // namespace detail

/// Opens a type to kernels: specialise it as true for a type whose bytes mean the same on the
/// device, although it is not trivially copyable by the letter, has a const member, or holds a raw
/// pointer that is always device memory.
template <class T>
inline constexpr bool is_device_copyable =
    std::is_trivially_copyable_v<T>&& detail::is_assignable_type<T> && !detail::shows_address<T>();

namespace detail {

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
      static_assert(
          trivial,
          "warpsafe: the kernel takes a type that is not trivially copyable: its bytes on the "
          "device would point to host memory, or be freed twice; pass a span of device memory");
      static_assert(
          !trivial || assignable,
          "warpsafe: the kernel takes a lambda with captures, or a type with a reference or a const "
          "member: what it refers to may be on the host; use a plain struct of values");
      static_assert(
          !trivial || !assignable,
          "warpsafe: the kernel takes a type that holds a raw pointer, or is a view or an iterator "
          "of memory, which may be the host's; use DeviceSpan or device_ptr (a buffer's view()), or "
          "trusted_ptr for trust(p)");
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
