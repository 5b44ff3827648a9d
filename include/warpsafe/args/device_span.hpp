// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/args/device_ptr.hpp>

namespace warpsafe {

/// A pointer to device memory with the number of elements, for kernels that index. Kernels take it
/// by value. C++17, without standard headers. Host code uses a DeviceView (device_view.hpp), which
/// a launch converts to this type.
template <class T>
class DeviceSpan {
 public:
  using element_type = T;

  constexpr DeviceSpan() noexcept = default;
  WARPSAFE_FN constexpr DeviceSpan(device_ptr<T> first, size_type count) noexcept
      : data_(first.get()), size_(count) {}
  template <class U, class = decltype(static_cast<T (*)[]>(static_cast<U (*)[]>(nullptr)))>
  WARPSAFE_FN constexpr DeviceSpan(
      DeviceSpan<U> other) noexcept  // NOLINT(google-explicit-constructor)
      : data_(other.pointer().get()), size_(other.size()) {}

  // Host memory (a vector, an array, a std::span) does not convert.
#define WARPSAFE_DETAIL_SENTENCE                                                              \
  "warpsafe: a DeviceSpan is device memory; copy the elements into a device buffer and take " \
  "its view()"
  template <class Range, class = typename Range::value_type,
            class = decltype(static_cast<const volatile void*>(
                detail::lvalue<Range>().data())) WARPSAFE_DETAIL_WHY>
  WARPSAFE_FN WARPSAFE_DETAIL_REFUSED DeviceSpan(const Range&) WARPSAFE_DETAIL_REFUSAL(Range);
#undef WARPSAFE_DETAIL_SENTENCE

  [[nodiscard]] WARPSAFE_FN constexpr size_type size() const noexcept { return size_; }
  [[nodiscard]] WARPSAFE_FN constexpr bool empty() const noexcept { return size_ == 0; }
  [[nodiscard]] WARPSAFE_FN constexpr device_ptr<T> pointer() const noexcept {
    return detail::DeviceAccess::pointer(data_);
  }
  /// `count` elements from `offset`, both in elements, cut at the end of this span.
  [[nodiscard]] WARPSAFE_FN constexpr DeviceSpan subspan(size_type offset,
                                                         size_type count) const noexcept {
    const size_type start = offset < size_ ? offset : size_;
    const size_type left = size_ - start;
    return DeviceSpan(detail::DeviceAccess::pointer(data_ + start), count < left ? count : left);
  }
  /// The element. Use it in kernels only: a device compiler rejects it in host code. On the host
  /// backend, kernels are host code, so the compiler cannot reject it.
  [[nodiscard]] WARPSAFE_FN constexpr T& operator[](size_type index) const noexcept {
#if (defined(__CUDACC__) || defined(__HIPCC__)) && !defined(__CUDA_ARCH__) && \
    !defined(__HIP_DEVICE_COMPILE__)
    return static_cast<void>(index), detail::device_memory_from_host_code<T&>();
#else
    return data_[index];
#endif
  }

 private:
  T* data_ = nullptr;
  size_type size_ = 0;
};

template <class T>
struct device_pointer_traits<DeviceSpan<T>> {
  WARPSAFE_FN static constexpr T* get(const DeviceSpan<T>& span) noexcept {
    return span.pointer().get();
  }
};

namespace detail {
template <class T>
inline constexpr bool is_device_memory<DeviceSpan<T>> = true;
}  // namespace detail

}  // namespace warpsafe
