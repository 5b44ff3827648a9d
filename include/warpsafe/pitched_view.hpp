// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/detail/copy_operand.hpp>
#include <warpsafe/device_view.hpp>
#include <warpsafe/pitched_span.hpp>

#include <cstddef>
#include <type_traits>

namespace warpsafe {

/// A PitchedSpan in the hands of host code: it is passed on, cut and copied, and not read.
template <class T>
class PitchedView : public PitchedSpan<T> {
 public:
  constexpr PitchedView() noexcept = default;
  template <class U, class = decltype(static_cast<T (*)[]>(static_cast<U (*)[]>(nullptr)))>
  constexpr PitchedView(PitchedView<U> other) noexcept  // NOLINT(google-explicit-constructor)
      : PitchedSpan<T>(other), device_(other.device()) {}

  /// The device that the memory is on; -1: not known.
  [[nodiscard]] constexpr int device() const noexcept { return device_; }
  [[nodiscard]] DeviceView<T> row(size_type index) const noexcept {
    return DeviceView<T>(PitchedSpan<T>::row(index), device_);
  }
  [[nodiscard]] PitchedView window(extent<2> origin, extent<2> size) const noexcept {
    return PitchedView(PitchedSpan<T>::window(origin, size), device_);
  }
  /// The sentence for who reads an element.
  template <class Index>
  auto operator[](Index) const noexcept {
    static_assert(std::is_void_v<Index>,
                  "warpsafe: host code cannot read or write device memory; copy it: "
                  "buffer.to_host(stream) gives it once it is there");
    return T{};
  }

 private:
  friend struct detail::PitchedAccess;
  constexpr PitchedView(PitchedSpan<T> span, int device) noexcept
      : PitchedSpan<T>(span), device_(device) {}
  int device_ = -1;
};

template <class T>
struct device_pointer_traits<PitchedView<T>> : device_pointer_traits<PitchedSpan<T>> {};

namespace detail {

/// Makes views of matrices, for their buffers; and tells copies what they are.
struct PitchedAccess {
  /// `pitch` in bytes.
  template <class T>
  [[nodiscard]] static PitchedView<T> make(T* data, size_type pitch, size_type rows, size_type cols,
                                           int device) noexcept {
    PitchedSpan<T> span;
    span.data_ = data;
    span.pitch_ = pitch;
    span.rows_ = rows;
    span.cols_ = cols;
    return PitchedView<T>(span, device);
  }
  template <class T>
  [[nodiscard]] static CopyRows rows_of(const PitchedSpan<T>& span, int device) noexcept {
    void* const start = const_cast<std::remove_const_t<T>*>(span.data_);
    return {start, span.pitch_, span.cols_ * sizeof(T), span.rows_,
            true,  device,      span.rows_ * span.cols_};
  }
};

template <class T>
struct CopyOperand<PitchedView<T>> {
  static constexpr bool known = true;
  static constexpr CopyPlace place = CopyPlace::device;
  using element = T;
  using backend = void;
  [[nodiscard]] static CopyRows rows(const PitchedView<T>& view) noexcept {
    return PitchedAccess::rows_of(view, view.device());
  }
  [[nodiscard]] static std::nullptr_t owner(const PitchedView<T>&) noexcept { return nullptr; }
};

}  // namespace detail
}  // namespace warpsafe
