// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/args/detail/memory_owner.hpp>
#include <warpsafe/args/device_view.hpp>

#include <cstddef>

namespace warpsafe::inline WARPSAFE_DETAIL_VERSION {

namespace detail {
template <class Byte, class T>
[[nodiscard]] DeviceView<Byte> bytes_of(const DeviceView<T>& view) noexcept {
  auto* const start = reinterpret_cast<Byte*>(view.pointer().get());
  return DeviceView<Byte>({DeviceAccess::pointer(start), view.size() * sizeof(T)}, view.device(),
                          DeviceAccess::owner(view));
}
}  // namespace detail

/// Views device memory as bytes, with its size in bytes. Use it for a kernel's `void*` parameter,
/// if the kernel knows from elsewhere what the memory holds. Like the view, the result tracks its
/// buffer.
template <class T>
[[nodiscard]] DeviceView<const std::byte> as_bytes(DeviceView<T> view) noexcept {
  return detail::bytes_of<const std::byte>(view);
}
/// Diagnoses an argument that is not a view, and a matrix whose rows are not contiguous.
template <class T>
auto as_bytes(const T&) noexcept {
  static_assert(
      detail::is_never<T>,
      "warpsafe: as_bytes takes a view of contiguous elements; write as_bytes(buffer.view())");
  return nullptr;
}
/// Like as_bytes, for a kernel that writes. The elements must not be const.
template <class T>
[[nodiscard]] DeviceView<std::byte> as_writable_bytes(DeviceView<T> view) noexcept {
  return detail::bytes_of<std::byte>(view);
}
/// Diagnoses const elements.
template <class T>
DeviceView<std::byte> as_writable_bytes(DeviceView<const T>) noexcept {
  static_assert(
      detail::is_never<T>,
      "warpsafe: these elements are const; use as_bytes(view) for a kernel that only reads");
  return {};
}

template <class T>
auto as_writable_bytes(const T&) noexcept {
  static_assert(
      detail::is_never<T>,
      "warpsafe: as_writable_bytes takes a view of contiguous elements; write as_writable_bytes(buffer.view())");
  return nullptr;
}

}  // namespace warpsafe::inline WARPSAFE_DETAIL_VERSION
