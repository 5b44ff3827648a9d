// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/args/detail/memory_owner.hpp>
#include <warpsafe/args/device_ptr.hpp>
#include <warpsafe/kernel/detail/argument_types.hpp>

#include <type_traits>
#include <utility>

namespace warpsafe {

/// A scalar of a library's function that is in host memory. Made by host_scalar.
template <class T>
struct HostScalar {
  static_assert(std::is_trivially_copyable_v<std::remove_reference_t<T>>,
                "warpsafe: a library's scalar is a plain number or structure");
  T value;  // a reference where host_scalar was given a variable
  [[nodiscard]] constexpr auto* get() const noexcept { return &value; }
};
/// A scalar that is in device memory. Made by device_scalar.
template <class Pointer>
struct DeviceScalar {
  Pointer pointer;
  [[nodiscard]] constexpr auto* get() const noexcept {
    return device_pointer_traits<Pointer>::get(pointer);
  }
  /// Not for use: what is told of a call on another stream.
  [[nodiscard]] constexpr detail::MemoryOwner* memory_owner() const noexcept {
    return detail::owner_of(pointer);
  }
};

/// A scalar argument of StreamBound::call, by value, or by a variable that lives on the host, which
/// a function that returns a number through it writes: `host_scalar(1.0F)`, `host_scalar(norm)`.
/// The handle reads and writes scalars on the host unless a call has a device_scalar.
template <class T>
[[nodiscard]] constexpr HostScalar<T> host_scalar(T&& scalar) noexcept {
  return {std::forward<T>(scalar)};
}
/// A scalar argument in device memory: a buffer's view(), a device_ptr, trust(p). All scalars of
/// the call are on the device then; the handle's pointer mode is device for this call alone.
template <class Pointer>
[[nodiscard]] constexpr DeviceScalar<Pointer> device_scalar(const Pointer& pointer) noexcept {
  static_assert(
      detail::DevicePointer<Pointer>,
      "warpsafe: device_scalar takes device memory: a device buffer's view(), or trust(p)");
  return {pointer};
}

namespace detail {

/// Where a library's function finds an argument that it takes by address.
enum class ScalarPlace : unsigned char { unknown, host, device };

template <class A>
inline constexpr ScalarPlace scalar_place = ScalarPlace::unknown;
template <class Pointer>
inline constexpr bool holds_owner<DeviceScalar<Pointer>> = true;
template <class T>
inline constexpr ScalarPlace scalar_place<HostScalar<T>> = ScalarPlace::host;
template <class Pointer>
inline constexpr ScalarPlace scalar_place<DeviceScalar<Pointer>> = ScalarPlace::device;
/// `&alpha`: the libraries' own spelling of a scalar on the host. Other pointers take sizes out.
template <class T>
inline constexpr ScalarPlace scalar_place<T*> =
    std::is_floating_point_v<T> ? ScalarPlace::host : ScalarPlace::unknown;

}  // namespace detail
}  // namespace warpsafe
