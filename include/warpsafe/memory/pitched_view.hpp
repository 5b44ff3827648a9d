// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/args/device_view.hpp>
#include <warpsafe/args/pitched_span.hpp>
#include <warpsafe/error/result.hpp>
#include <warpsafe/memory/detail/copy_operand.hpp>

#include <cstddef>
#include <type_traits>

namespace warpsafe::inline WARPSAFE_DETAIL_VERSION {

/// A matrix of device memory in host code: you can pass it on, cut it and copy it, but not read it.
/// A kernel takes it as a PitchedSpan. Like a DeviceView, it knows its buffer.
template <class T>
class PitchedView {
 public:
  using element_type = T;

  constexpr PitchedView() noexcept = default;
  template <class U, class = decltype(static_cast<T (*)[]>(static_cast<U (*)[]>(nullptr)))>
  constexpr PitchedView(PitchedView<U> other) noexcept  // NOLINT(google-explicit-constructor)
      : kernel_form_(other.span()),
        owner_(detail::DeviceAccess::owner(other)),
        device_(other.device()) {}

  /// In elements.
  [[nodiscard]] constexpr size_type rows() const noexcept { return kernel_form_.rows(); }
  [[nodiscard]] constexpr size_type cols() const noexcept { return kernel_form_.cols(); }
  [[nodiscard]] constexpr extent<2> size() const noexcept { return kernel_form_.size(); }
  /// The device that holds the memory; -1 if unknown.
  [[nodiscard]] constexpr int device() const noexcept { return device_; }
  /// The elements of one row, which are contiguous. Errc::part_outside if there is no such row
  /// (limit: the rows).
  [[nodiscard]] result<DeviceView<T>> row(size_type index,
                                          call_site site = call_site::current()) const noexcept {
    const LaunchError outside = detail::part_error(index, 1, rows(), Axis::y, site);
    if (outside.code != Errc{}) return outside;
    return DeviceView<T>(kernel_form_.template row<CheckLevel::off>(index), device_, owner_);
  }
  /// The part of `size` elements that begins at row and column `origin`. Errc::part_outside if it
  /// is not inside of this view (limit: the view's rows or columns), ::size_negative.
  [[nodiscard]] result<PitchedView> window(extent<2> origin, extent<2> size,
                                           call_site site = call_site::current()) const noexcept {
    for (int axis = 0; axis < 2; ++axis) {
      for (const extent<2>& given : {origin, size}) {
        if (!given.negative(axis)) continue;
        return LaunchError::make(Errc::size_negative, Stage::construction, given.size(axis), 0,
                                 static_cast<Axis>(axis), site);
      }
      const LaunchError outside =
          detail::part_error(origin.size(axis), size.size(axis), this->size().size(axis),
                             static_cast<Axis>(axis), site);
      if (outside.code != Errc{}) return outside;
    }
    return PitchedView(kernel_form_.template window<CheckLevel::off>(origin, size), device_,
                       owner_);
  }
  /// The type that kernels take; see DeviceView::span.
  [[nodiscard]] constexpr PitchedSpan<T> span() const noexcept { return kernel_form_; }
  // A view does not become a span without `span()`.
#define WARPSAFE_DETAIL_SENTENCE \
  "warpsafe: a PitchedSpan does not track its buffer, which may be freed while a kernel on another stream uses it; pass the view itself, or write span() and call used_on after the launch"
  template <class U WARPSAFE_DETAIL_WHY>
  WARPSAFE_DETAIL_REFUSED operator PitchedSpan<U>() const WARPSAFE_DETAIL_REFUSAL(U);
#undef WARPSAFE_DETAIL_SENTENCE
  /// Diagnoses an access to an element.
  template <class Index>
  auto operator[](Index) const noexcept {
    static_assert(
        std::is_void_v<Index>,
        "warpsafe: host code cannot read or write device memory; copy it with buffer.to_host(stream)");
    return T{};
  }

 private:
  friend struct detail::PitchedAccess;
  friend struct detail::DeviceAccess;
  constexpr PitchedView(PitchedSpan<T> span, int device, detail::OwnerRef owner) noexcept
      : kernel_form_(span), owner_(owner), device_(device) {}
  PitchedSpan<T> kernel_form_;
  detail::OwnerRef owner_;
  int device_ = -1;
};

template <class T>
struct device_pointer_traits<PitchedView<T>> : device_pointer_traits<PitchedSpan<T>> {};

namespace detail {

/// Makes views of matrices for their buffers, and describes them to copies.
struct PitchedAccess {
  /// `pitch` is in bytes.
  template <class T>
  [[nodiscard]] static PitchedView<T> make(T* data, size_type pitch, size_type rows, size_type cols,
                                           int device, OwnerRef owner) noexcept {
    PitchedSpan<T> span;
    span.data_ = data;
    span.pitch_ = pitch;
    span.rows_ = rows;
    span.cols_ = cols;
    return PitchedView<T>(span, device, owner);
  }
  /// The distance between the starts of two rows, in bytes.
  template <class T>
  [[nodiscard]] static constexpr size_type pitch_of(const PitchedSpan<T>& span) noexcept {
    return span.pitch_;
  }
  template <class T>
  [[nodiscard]] static constexpr const T* start_of(const PitchedSpan<T>& span) noexcept {
    return span.data_;
  }
  template <class T>
  [[nodiscard]] static CopyRows rows_of(const PitchedView<T>& view) noexcept {
    const PitchedSpan<T> span = view.span();
    void* const start = const_cast<std::remove_const_t<T>*>(span.data_);
    return {start, span.pitch_,   span.cols_ * sizeof(T),  span.rows_,
            true,  view.device(), span.rows_ * span.cols_, checked_owner_of(view)};
  }
};

template <class T>
struct CopyOperand<PitchedView<T>> {
  static constexpr bool known = true;
  static constexpr CopyPlace place = CopyPlace::device;
  using element = T;
  using backend = void;
  [[nodiscard]] static CopyRows rows(const PitchedView<T>& view) noexcept {
    return PitchedAccess::rows_of(view);
  }
};

template <class T>
inline constexpr bool is_view<PitchedView<T>> = true;

}  // namespace detail
}  // namespace warpsafe::inline WARPSAFE_DETAIL_VERSION
