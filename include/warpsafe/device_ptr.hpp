// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/size_type.hpp>

// Device memory by type: what a kernel's pointer parameters take instead of a raw pointer. No
// standard header, C++17: kernels may have these as parameters themselves.

namespace warpsafe {

/// A pointer into device memory. No raw pointer converts to it: it comes from a buffer, from
/// `device_pointer_traits` of an adapted type, or from `trust`.
template <class T>
class device_ptr {
 public:
  using element_type = T;

  constexpr device_ptr() noexcept = default;
  WARPSAFE_FN constexpr device_ptr(decltype(nullptr)) noexcept {
  }  // NOLINT(google-explicit-constructor)
  /// No raw pointer becomes one: the sentence for who tries.
  template <class U>
  WARPSAFE_FN explicit constexpr device_ptr(U* raw) noexcept : pointer_(raw) {
    static_assert(!detail::is_size<decltype(sizeof(U*))>,
                  "warpsafe: a raw pointer may be host memory; take a device buffer's view(), or "
                  "pass trust(p) to the launch where other code allocated it on the device");
  }
  /// `device_ptr<float>` converts to `device_ptr<const float>`, and nothing else does.
  template <class U, class = decltype(static_cast<T (*)[]>(static_cast<U (*)[]>(nullptr)))>
  WARPSAFE_FN constexpr device_ptr(
      device_ptr<U> other) noexcept  // NOLINT(google-explicit-constructor)
      : pointer_(other.get()) {}

  /// Takes the word of the caller that `pointer` is device memory. `trust` is the checked spelling.
  [[nodiscard]] WARPSAFE_FN static constexpr device_ptr assume(T* pointer) noexcept {
    device_ptr result;
    result.pointer_ = pointer;
    return result;
  }
  [[nodiscard]] WARPSAFE_FN constexpr T* get() const noexcept { return pointer_; }
  /// The pointer `count` elements further; the caller knows that it is still in the allocation.
  [[nodiscard]] WARPSAFE_FN constexpr device_ptr operator+(size_type count) const noexcept {
    return assume(pointer_ + count);
  }

 private:
  T* pointer_ = nullptr;
};

/// Elements of device memory with their number. A kernel that takes it by value indexes it; on the
/// host it only travels.
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

  [[nodiscard]] WARPSAFE_FN constexpr size_type size() const noexcept { return size_; }
  [[nodiscard]] WARPSAFE_FN constexpr bool empty() const noexcept { return size_ == 0; }
  [[nodiscard]] WARPSAFE_FN constexpr device_ptr<T> pointer() const noexcept {
    return device_ptr<T>::assume(data_);
  }
  /// `count` elements from `offset`; both in elements, cut at the end of this span.
  [[nodiscard]] WARPSAFE_FN constexpr DeviceSpan subspan(size_type offset,
                                                         size_type count) const noexcept {
    const size_type start = offset < size_ ? offset : size_;
    const size_type left = size_ - start;
    return DeviceSpan(device_ptr<T>::assume(data_ + start), count < left ? count : left);
  }
  /// In kernels only: the element itself.
  [[nodiscard]] WARPSAFE_FN constexpr T& operator[](size_type index) const noexcept {
    return data_[index];
  }

 private:
  T* data_ = nullptr;
  size_type size_ = 0;
};

/// Device memory that is known to start at a multiple of `Alignment` bytes: what a kernel takes
/// that reads it in wide pieces (float4). Made by `align` (align.hpp), which looks at the value.
template <class T, size_type Alignment>
class aligned_ptr {
  static_assert(Alignment >= alignof(T) && (Alignment & (Alignment - 1)) == 0,
                "warpsafe: an alignment is a power of 2, at least the element's own");

 public:
  using element_type = T;
  static constexpr size_type alignment = Alignment;

  [[nodiscard]] WARPSAFE_FN constexpr T* get() const noexcept { return pointer_; }
  // It knows more than what it converts to.
  WARPSAFE_FN constexpr operator device_ptr<T>()
      const noexcept {  // NOLINT(google-explicit-constructor)
    return device_ptr<T>::assume(pointer_);
  }
  /// In kernels only: the memory as elements of a wider type.
  template <class Wide>
  [[nodiscard]] WARPSAFE_FN Wide* as() const noexcept {
    static_assert(alignof(Wide) <= Alignment,
                  "warpsafe: this type needs more alignment than the pointer is known to have");
    return reinterpret_cast<Wide*>(pointer_);
  }

 private:
  friend struct aligned_access;
  WARPSAFE_FN constexpr explicit aligned_ptr(T* pointer) noexcept : pointer_(pointer) {}
  T* pointer_;
};

/// A raw pointer that the caller knows to be device memory; checked builds ask the driver.
template <class T>
struct trusted_ptr {
  T* pointer;
};
/// The named escape for memory that other code allocated: `launch(…, trust(raw))`. Checked builds
/// verify at the launch that the device can read it: Errc::argument_host_pointer.
template <class T>
[[nodiscard]] WARPSAFE_FN constexpr trusted_ptr<T> trust(T* pointer) noexcept {
  return {pointer};
}

/// Adapts a type of another library to kernel parameters that are pointers. Specialise it with
///   static T* get(const Type&) noexcept;   // device memory, as the kernel's parameter has it
/// for at::Tensor, thrust::device_ptr<T>, rmm::device_uvector<T>, …
template <class Type>
struct device_pointer_traits;

template <class T>
struct device_pointer_traits<device_ptr<T>> {
  WARPSAFE_FN static constexpr T* get(const device_ptr<T>& pointer) noexcept {
    return pointer.get();
  }
};
template <class T>
struct device_pointer_traits<DeviceSpan<T>> {
  WARPSAFE_FN static constexpr T* get(const DeviceSpan<T>& span) noexcept {
    return span.pointer().get();
  }
};
template <class T>
struct device_pointer_traits<trusted_ptr<T>> {
  WARPSAFE_FN static constexpr T* get(const trusted_ptr<T>& trusted) noexcept {
    return trusted.pointer;
  }
};

}  // namespace warpsafe
