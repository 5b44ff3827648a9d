// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/args/device_span.hpp>
#include <warpsafe/core/cxx20.hpp>
#include <warpsafe/core/size_type.hpp>
#include <warpsafe/dims/extent.hpp>

namespace warpsafe::inline WARPSAFE_DETAIL_VERSION {

namespace detail {
struct PitchedAccess;
#if !defined(__CUDACC__) && !defined(__HIPCC__)
/// As ElementIndex, for a matrix.
struct MatrixIndex {
  Index3 element;
  KernelPlace at;
  constexpr MatrixIndex(Index3 its_element, KernelPlace its_place = {}) noexcept
      : element(its_element), at(its_place) {}
  constexpr MatrixIndex(size_type x, size_type y, size_type z = 0,
                        KernelPlace its_place = {}) noexcept
      : element{x, y, z}, at(its_place) {}
};
#endif
}  // namespace detail

/// A matrix in device memory whose rows need not be contiguous. Kernels take it by value. It holds
/// the distance between rows. C++17, without standard headers. Host code uses a PitchedView
/// (pitched_view.hpp), which a launch converts to this type.
template <class T>
class PitchedSpan {
 public:
  using element_type = T;

  constexpr PitchedSpan() noexcept = default;
  template <class U, class = decltype(static_cast<T (*)[]>(static_cast<U (*)[]>(nullptr)))>
  WARPSAFE_FN constexpr PitchedSpan(
      PitchedSpan<U> other) noexcept  // NOLINT(google-explicit-constructor)
      : data_(other.data_), pitch_(other.pitch_), rows_(other.rows_), cols_(other.cols_) {}

  /// The number of elements along the axes.
  [[nodiscard]] WARPSAFE_FN constexpr size_type rows() const noexcept { return rows_; }
  [[nodiscard]] WARPSAFE_FN constexpr size_type cols() const noexcept { return cols_; }
  [[nodiscard]] WARPSAFE_FN constexpr extent<2> size() const noexcept {
    return extent<2>{warpsafe::rows{rows_}, warpsafe::cols{cols_}};
  }
  /// The contiguous elements of one row. If there is no such row: as DeviceSpan::subspan.
  template <CheckLevel Level = current_level>
  [[nodiscard]] WARPSAFE_FN DeviceSpan<T> row(size_type index, detail::KernelPlace at = {}) const {
    if (!detail::is_inside<Level>(index, 1, rows_, at)) return {};
    return DeviceSpan<T>(detail::DeviceAccess::pointer(start_of(index)), cols_);
  }
  /// The element at row `index.y` and column `index.x`, as in thread_index(). Use it in kernels
  /// only. Outside of the matrix: as DeviceSpan's operator.
#if defined(__CUDA_ARCH__) || defined(__HIP_DEVICE_COMPILE__)
  [[nodiscard]] WARPSAFE_FN T& operator[](Index3 index) const noexcept {
    return start_of(index.row())[index.col()];
  }
#elif defined(__CUDACC__) || defined(__HIPCC__)
  [[nodiscard]] WARPSAFE_FN T& operator[](Index3) const noexcept {
    return detail::device_memory_from_host_code<T&>();
  }
#else
  template <CheckLevel Level = current_level>
  [[nodiscard]] T& operator[](detail::MatrixIndex index) const {
    static_cast<void>(detail::is_inside<Level>(index.element.row(), 1, rows_, index.at));
    static_cast<void>(detail::is_inside<Level>(index.element.col(), 1, cols_, index.at));
    return start_of(index.element.row())[index.element.col()];
  }
#endif
  /// The part with the extent `size` that begins at `origin`. If the matrix does not contain it: as
  /// DeviceSpan::subspan.
  template <CheckLevel Level = current_level>
  [[nodiscard]] WARPSAFE_FN PitchedSpan window(extent<2> origin, extent<2> size,
                                               detail::KernelPlace at = {}) const {
    if (!detail::is_inside<Level>(number(origin, 1), number(size, 1), rows_, at) ||
        !detail::is_inside<Level>(number(origin, 0), number(size, 0), cols_, at)) {
      return {};
    }
    PitchedSpan part;
    part.data_ = data_ == nullptr ? nullptr : start_of(origin.size(1)) + origin.size(0);
    part.pitch_ = pitch_;
    part.rows_ = size.size(1);
    part.cols_ = size.size(0);
    return part;
  }

 private:
  template <class>
  friend class PitchedSpan;
  friend struct detail::PitchedAccess;

  /// Beyond every matrix if it is negative.
  WARPSAFE_FN static constexpr size_type number(extent<2> from, int axis) noexcept {
    return from.negative(axis) ? ~size_type{0} : from.size(axis);
  }
  [[nodiscard]] WARPSAFE_FN T* start_of(size_type row) const noexcept {
    // Computed as an integer: a pointer to bytes would have to be const if T is.
    return reinterpret_cast<T*>(reinterpret_cast<size_type>(data_) + row * pitch_);
  }
  T* data_ = nullptr;
  size_type pitch_ = 0;  // bytes
  size_type rows_ = 0;
  size_type cols_ = 0;
};

/// Diagnoses a matrix whose rows may be apart for a parameter T*, which expects contiguous
/// elements.
template <class T>
struct device_pointer_traits<PitchedSpan<T>> {
  template <class Given>
  WARPSAFE_FN static auto get(const Given&) noexcept {
    static_assert(
        detail::is_never<Given>,
        "warpsafe: the rows of this matrix have padding between them, which a pointer parameter does not show; let the kernel take a PitchedSpan, or pass row(i)");
    return static_cast<T*>(nullptr);
  }
};

namespace detail {
template <class T>
inline constexpr bool is_device_memory<PitchedSpan<T>> = true;
}  // namespace detail

}  // namespace warpsafe::inline WARPSAFE_DETAIL_VERSION
