// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/args/device_span.hpp>
#include <warpsafe/core/cxx20.hpp>

#include <type_traits>

// Lets a launch take device memory that other code allocated.

namespace warpsafe::inline WARPSAFE_DETAIL_VERSION {

#define WARPSAFE_DETAIL_SENTENCE \
  "warpsafe: make a trusted pointer with trust(p), or with trust(p, count) for a number of elements"

/// A raw pointer that the caller knows to be device memory. Checked builds ask the driver. Only
/// `trust` creates one.
template <class T>
class trusted_ptr {
 public:
  template <class U WARPSAFE_DETAIL_WHY>
  WARPSAFE_DETAIL_REFUSED explicit trusted_ptr(U*) WARPSAFE_DETAIL_REFUSAL(U);
  [[nodiscard]] WARPSAFE_FN constexpr T* get() const noexcept { return pointer_; }

 private:
  friend struct detail::DeviceAccess;
  struct Known {};
  WARPSAFE_FN constexpr trusted_ptr(Known, T* pointer) noexcept : pointer_(pointer) {}
  T* pointer_;
};

/// A trusted pointer with a number of elements, for a kernel that takes a DeviceSpan.
template <class T>
class trusted_span {
 public:
  template <class U, class Count WARPSAFE_DETAIL_WHY>
  WARPSAFE_DETAIL_REFUSED explicit trusted_span(U*, Count) WARPSAFE_DETAIL_REFUSAL(U);
  [[nodiscard]] WARPSAFE_FN constexpr T* get() const noexcept { return pointer_; }
  /// The number of elements with its sign. Checked builds return an error for a negative one.
  [[nodiscard]] WARPSAFE_FN constexpr detail::SignedSize size() const noexcept { return size_; }

 private:
  friend struct detail::DeviceAccess;
  struct Known {};
  WARPSAFE_FN constexpr trusted_span(Known, T* pointer, detail::SignedSize size) noexcept
      : pointer_(pointer), size_(size) {}
  T* pointer_;
  detail::SignedSize size_;
};
#undef WARPSAFE_DETAIL_SENTENCE

template <class U>
trusted_ptr(U*) -> trusted_ptr<U>;
template <class U, class Count>
trusted_span(U*, Count) -> trusted_span<U>;

/// Passes a raw pointer for a kernel's pointer parameter: `launch(…, trust(raw))`. Checked builds
/// verify at the launch that the device can read it (Errc::argument_host_pointer), and that it is
/// aligned for a T (Errc::argument_misaligned).
template <class T>
[[nodiscard]] WARPSAFE_FN constexpr trusted_ptr<T> trust(T* pointer) noexcept {
  return detail::DeviceAccess::make<trusted_ptr<T>>(pointer);
}
/// Passes a raw pointer with its number of elements for a kernel's DeviceSpan parameter: `launch(…,
/// trust(raw, n))`. Checked builds verify that the device can read the first element
/// (Errc::argument_host_pointer), that it is aligned for a T (Errc::argument_misaligned), and that
/// n is not negative (Errc::argument_negative).
template <class T, class Count>
[[nodiscard]] WARPSAFE_FN constexpr trusted_span<T> trust(T* pointer, Count count) noexcept {
  return detail::DeviceAccess::make<trusted_span<T>>(pointer, detail::SignedSize::of(count));
}
/// Diagnoses an argument that is not a raw pointer. The return type is deduced, so that this is the
/// first error.
template <class T, class... Count>
requires(!std::is_pointer_v<T> && !std::is_array_v<T>) constexpr auto trust(const T&,
                                                                            Count...) noexcept {
  static_assert(
      std::is_pointer_v<T>,
      "warpsafe: trust takes a raw pointer to device memory that other code allocated; pass a device buffer's view(), or nullptr for a null pointer");
  return nullptr;
}

template <class T>
struct device_pointer_traits<trusted_ptr<T>> {
  WARPSAFE_FN static constexpr T* get(const trusted_ptr<T>& trusted) noexcept {
    return trusted.get();
  }
};
template <class T>
struct device_pointer_traits<trusted_span<T>> {
  WARPSAFE_FN static constexpr T* get(const trusted_span<T>& trusted) noexcept {
    return trusted.get();
  }
};

}  // namespace warpsafe::inline WARPSAFE_DETAIL_VERSION
