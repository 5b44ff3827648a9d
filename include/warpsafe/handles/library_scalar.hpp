// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/args/detail/memory_owner.hpp>
#include <warpsafe/args/device_ptr.hpp>
#include <warpsafe/args/trust.hpp>
#include <warpsafe/kernel/detail/argument_types.hpp>

#include <type_traits>
#include <utility>

namespace warpsafe::inline WARPSAFE_DETAIL_VERSION {

namespace detail {
/// Diagnoses an argument of type A&& that is a temporary owner of device memory.
template <class A>
constexpr void check_lives_on() noexcept {
  static_assert(
      !FreesTooEarly<A>,
      "warpsafe: this temporary frees its device memory at the end of the statement, while the library's work may still run; give it a name that lives until the stream is synchronized, or declare may_be_temporary in its device_pointer_traits if its free waits for the handle's stream");
}
}  // namespace detail

/// A scalar argument in host memory. host_scalar makes it.
template <class T>
struct HostScalar {
  static_assert(std::is_trivially_copyable_v<std::remove_reference_t<T>>,
                "warpsafe: a library's scalar must be a plain number or struct");
  T value;  // a reference if host_scalar was given a variable
  [[nodiscard]] constexpr auto* get() const noexcept { return &value; }
};
/// A scalar argument in device memory. device_scalar makes it.
template <class Pointer>
struct DeviceScalar {
  Pointer pointer;
  [[nodiscard]] constexpr auto* get() const noexcept {
    return device_pointer_traits<Pointer>::get(pointer);
  }
  /// For internal use: the owner that records calls on other streams.
  [[nodiscard]] constexpr detail::MemoryOwner* memory_owner() const noexcept {
    return detail::owner_of(pointer);
  }
};

/// A scalar argument of StreamBound::call in host memory. Pass a value (`host_scalar(1.0F)`), or a
/// variable if the function writes its result there (`host_scalar(norm)`). The handle's pointer
/// mode is host, except in calls with a device_scalar.
template <class T>
[[nodiscard]] constexpr HostScalar<T> host_scalar(T&& scalar) noexcept {
  return {std::forward<T>(scalar)};
}
/// A scalar argument in device memory: a buffer's view(), a device_ptr, trust(p). All scalars of
/// the call must then be on the device; the handle's pointer mode is device for this one call.
template <class Pointer>
[[nodiscard]] constexpr DeviceScalar<Pointer> device_scalar(const Pointer& pointer) noexcept {
  static_assert(
      detail::DevicePointer<Pointer>,
      "warpsafe: device_scalar takes device memory: a device buffer's view(), or trust(p)");
  return {pointer};
}
/// Diagnoses a temporary that owns the device memory.
template <class Pointer>
requires detail::FreesTooEarly<Pointer>
auto device_scalar(Pointer&&) noexcept {
  detail::check_lives_on<Pointer>();
  return DeviceScalar<Pointer>{};
}

/// Set beside the bits of handle_traits::scalar_pointers if all other pointers of the function are
/// device memory.
inline constexpr unsigned others_on_device = 1U << 31U;

namespace detail {

/// Where a library's function finds a scalar that it takes by address.
enum class ScalarPlace : unsigned char { unknown, host, device };

template <class A>
inline constexpr ScalarPlace scalar_place = ScalarPlace::unknown;
template <class Pointer>
inline constexpr bool holds_owner<DeviceScalar<Pointer>> = true;
template <class T>
inline constexpr ScalarPlace scalar_place<HostScalar<T>> = ScalarPlace::host;
template <class Pointer>
inline constexpr ScalarPlace scalar_place<DeviceScalar<Pointer>> = ScalarPlace::device;
/// `&alpha` is how the libraries themselves spell a scalar on the host. Pointers to other types may
/// be outputs, such as sizes.
template <class T>
inline constexpr ScalarPlace scalar_place<T*> =
    std::is_floating_point_v<T> ? ScalarPlace::host : ScalarPlace::unknown;

/// What a pointer parameter of a library's function takes. Its type does not show this: a scalar
/// and an array are both a `const float*`.
enum class PointerRole : unsigned char {
  unknown,
  scalar,  ///< on the host or on the device, as the handle's pointer mode says
  data,    ///< an array in device memory
  other,   ///< no scalar: an array, a descriptor, a size
};

/// Whether the library writes the argument, a number in host memory, in the order of its stream.
template <class P, class A, PointerRole Role>
inline constexpr bool is_host_result =
    std::is_pointer_v<P> && !std::is_const_v<std::remove_pointer_t<P>> &&
    scalar_place<A> == ScalarPlace::host && (Role == PointerRole::scalar || !std::is_pointer_v<A>);

/// Where an argument of type A is, if it is a scalar. A raw pointer is host memory where the
/// function takes a scalar. Elsewhere it is an array, or the place of a size, which is on the host
/// in both modes.
template <class A, PointerRole Role>
inline constexpr ScalarPlace place_of_role =
    Role == PointerRole::scalar&& std::is_pointer_v<A>                     ? ScalarPlace::host
    : Role == PointerRole::unknown || scalar_place<A> != ScalarPlace::host ? scalar_place<A>
    : Role == PointerRole::scalar                                          ? ScalarPlace::host
                                                                           : ScalarPlace::unknown;

}  // namespace detail
}  // namespace warpsafe::inline WARPSAFE_DETAIL_VERSION
