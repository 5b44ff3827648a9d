// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/args/detail/memory_owner.hpp>
#include <warpsafe/args/device_span.hpp>
#include <warpsafe/error/result.hpp>

namespace warpsafe::inline WARPSAFE_DETAIL_VERSION {

namespace detail {
/// Errc::part_outside unless `count` elements from `first` on are among `size`; else a code of 0.
[[nodiscard]] constexpr LaunchError part_error(size_type first, size_type count, size_type size,
                                               Axis axis, call_site site) noexcept {
  if (first <= size && count <= size - first) return LaunchError::make(Errc{}, Stage{});
  LaunchError error =
      LaunchError::make(Errc::part_outside, Stage::construction, count, size, axis, site);
  error.extra = first;
  return error;
}
}  // namespace detail

/// Device memory for host code: what a buffer's view() returns. Host code can pass it on, cut it
/// and ask for its size, but access to an element does not compile. A kernel takes it as a
/// DeviceSpan, a device_ptr or a plain pointer. It tracks its buffer: if it is passed to a kernel,
/// a copy or a library call on a stream other than the buffer's, the memory is freed after that
/// work. @pre a buffer, a token or a graph still holds the memory
template <class T>
class DeviceView {
  // No iterator by the standard's concepts, so that a view is no range.
  struct NoIterator {
    NoIterator& operator++();
    T& operator*() const;
    bool operator!=(NoIterator) const;
  };
  template <class U>
  static U* unreadable() noexcept {
    static_assert(
        detail::is_never<U>,
        "warpsafe: host code cannot read or write device memory; copy it with buffer.to_host(stream), or take its address with pointer(); kernels and their structures take a DeviceSpan: view.span()");
    return nullptr;
  }

 public:
  using element_type = T;

  constexpr DeviceView() noexcept = default;
  /// `device` is the ordinal of the memory's device, or -1 if unknown. `owner` is private to the
  /// library.
  explicit constexpr DeviceView(DeviceSpan<T> span, int device = -1,
                                detail::OwnerRef owner = {}) noexcept
      : kernel_form_(span), owner_(owner), device_(device) {}
  template <class U, class = decltype(static_cast<T (*)[]>(static_cast<U (*)[]>(nullptr)))>
  constexpr DeviceView(DeviceView<U> other) noexcept  // NOLINT(google-explicit-constructor)
      : kernel_form_(other.span()),
        owner_(detail::DeviceAccess::owner(other)),
        device_(other.device()) {}

  /// The number of elements.
  [[nodiscard]] constexpr size_type size() const noexcept { return kernel_form_.size(); }
  [[nodiscard]] constexpr bool empty() const noexcept { return kernel_form_.empty(); }
  /// The memory's device, or -1 if unknown.
  [[nodiscard]] constexpr int device() const noexcept { return device_; }
  /// `count` elements from `offset`, both in elements. Errc::part_outside (value: the count, limit:
  /// the elements of this view) if it has fewer.
  [[nodiscard]] constexpr result<DeviceView> subspan(
      size_type offset, size_type count, call_site site = call_site::current()) const noexcept {
    if (const LaunchError outside = detail::part_error(offset, count, size(), Axis::none, site);
        outside.code != Errc{}) {
      return outside;
    }
    return DeviceView(kernel_form_.template subspan<CheckLevel::off>(offset, count), device_,
                      owner_);
  }
  /// All elements from `offset` on. Errc::part_outside if `offset` is behind the end.
  [[nodiscard]] constexpr result<DeviceView> subspan(
      size_type offset, call_site site = call_site::current()) const noexcept {
    return subspan(offset, offset < size() ? size() - offset : 0, site);
  }

  /// The type that kernels take; use it as a member of a structure that a kernel takes. It does not
  /// track its buffer: after a launch on a stream other than the buffer's, call used_on.
  [[nodiscard]] constexpr DeviceSpan<T> span() const noexcept { return kernel_form_; }
  /// The address, which does not track its buffer either.
  [[nodiscard]] constexpr device_ptr<T> pointer() const noexcept { return kernel_form_.pointer(); }
  // A view does not become a span without `span()`.
#define WARPSAFE_DETAIL_SENTENCE \
  "warpsafe: a DeviceSpan does not track its buffer, which may be freed while a kernel on another stream uses it; pass the view itself, or write span() and call used_on after the launch"
  template <class U WARPSAFE_DETAIL_WHY>
  WARPSAFE_DETAIL_REFUSED operator DeviceSpan<U>() const WARPSAFE_DETAIL_REFUSAL(U);
#undef WARPSAFE_DETAIL_SENTENCE

  // Diagnose an access to an element.
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
  friend struct detail::DeviceAccess;
  friend struct device_pointer_traits<DeviceView>;
  DeviceSpan<T> kernel_form_;
  detail::OwnerRef owner_;
  int device_ = -1;
};

template <class T>
struct device_pointer_traits<DeviceView<T>> {
  [[gnu::always_inline]] static constexpr T* get(const DeviceView<T>& view) noexcept {
    return device_pointer_traits<DeviceSpan<T>>::get(view.kernel_form_);
  }
};

namespace detail {
template <class T>
inline constexpr bool is_view<DeviceView<T>> = true;
}  // namespace detail

}  // namespace warpsafe::inline WARPSAFE_DETAIL_VERSION
