// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/device_span.hpp>

namespace warpsafe {

/// A DeviceSpan in the hands of host code: what a buffer's view() gives. It is passed on, cut and
/// counted; its elements are the device's, so nothing that would read one compiles.
template <class T>
class DeviceView : public DeviceSpan<T> {
  // No iterator by the standard's concepts: whatever asks whether this is a range hears that it is
  // none.
  struct NoIterator {
    NoIterator& operator++();
    T& operator*() const;
    bool operator!=(NoIterator) const;
  };
  template <class U>
  static U* unreadable() noexcept {
    static_assert(!detail::is_size<decltype(sizeof(U*))>,
                  "warpsafe: host code cannot read or write device memory; copy it: "
                  "buffer.to_host(stream) gives it once it is there; its address is pointer()");
    return nullptr;
  }

 public:
  constexpr DeviceView() noexcept = default;
  /// `device` is the ordinal of the device that the memory is on; -1: not known.
  explicit constexpr DeviceView(DeviceSpan<T> span, int device = -1) noexcept
      : DeviceSpan<T>(span), device_(device) {}
  template <class U, class = decltype(static_cast<T (*)[]>(static_cast<U (*)[]>(nullptr)))>
  constexpr DeviceView(DeviceView<U> other) noexcept  // NOLINT(google-explicit-constructor)
      : DeviceSpan<T>(other), device_(other.device()) {}

  /// The device that the memory is on; -1: not known.
  [[nodiscard]] constexpr int device() const noexcept { return device_; }

  /// `count` elements from `offset`; both in elements, cut at the end.
  [[nodiscard]] constexpr DeviceView subspan(size_type offset, size_type count) const noexcept {
    return DeviceView(DeviceSpan<T>::subspan(offset, count), device_);
  }

  // The sentence for who reads an element.
  template <class U = T>
  U& operator[](size_type) const noexcept {
    return *unreadable<U>();
  }
  template <class U = T>
  U& operator*() const noexcept {
    return *unreadable<U>();
  }
  template <class U = T>
  U& front() const noexcept {
    return *unreadable<U>();
  }
  template <class U = T>
  U& back() const noexcept {
    return *unreadable<U>();
  }
  template <class U = T>
  U* data() const noexcept {
    return unreadable<U>();
  }
  template <class U = T>
  NoIterator begin() const noexcept {
    return unreadable<U>(), NoIterator();
  }
  template <class U = T>
  NoIterator end() const noexcept {
    return unreadable<U>(), NoIterator();
  }

 private:
  int device_ = -1;
};

template <class T>
struct device_pointer_traits<DeviceView<T>> : device_pointer_traits<DeviceSpan<T>> {};

}  // namespace warpsafe
