// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/core/detail/refused.hpp>
#include <warpsafe/core/size_type.hpp>

// Pointers whose type says that they point to device memory. A kernel's pointer parameters take
// them instead of raw pointers; the kernel itself may declare this parameter. C++17, without
// standard headers.

// These declarations replace kernel code in the host pass of a device compiler. Kernel code must
// compile in that pass, because a functor's call operator is host and device code, but it must not
// run there. None of these functions is defined: if the host compiler generates a call to one, it
// prints the attribute's text.
#if (defined(__CUDACC__) || defined(__HIPCC__)) && !defined(__CUDACC_RTC__) && \
    !defined(__HIPCC_RTC__)

namespace warpsafe {
inline namespace WARPSAFE_DETAIL_VERSION {
namespace detail {

// noexcept, because clang ignores the attribute on a call that may throw.
template <class T>
__host__ __device__ __attribute__((error(
    "warpsafe: host code called a device function; call it from a kernel, and launch that"))) T
called_from_host_code() noexcept;

template <class T>
__host__ __device__ __attribute__((error(
    "warpsafe: host code cannot read or write device memory; copy it with buffer.to_host(stream)"))) T
device_memory_from_host_code() noexcept;

}  // namespace detail
}  // namespace WARPSAFE_DETAIL_VERSION
}  // namespace warpsafe

#endif

namespace warpsafe {
inline namespace WARPSAFE_DETAIL_VERSION {

namespace detail {
struct DeviceAccess;
/// Whether a kernel parameter of type P is device memory whose first member is its address.
/// P::element_type is the type of its elements, const if the kernel only reads them.
template <class P>
inline constexpr bool is_device_memory = false;
}  // namespace detail

/// A pointer into device memory. No raw pointer converts to it. It comes from a buffer, from
/// `device_pointer_traits` of an adapted type, or from `trust`.
template <class T>
class device_ptr {
 public:
  using element_type = T;

  constexpr device_ptr() noexcept = default;
  WARPSAFE_FN constexpr device_ptr(decltype(nullptr)) noexcept {
  }  // NOLINT(google-explicit-constructor)
  // No raw pointer converts. Implicit, so that every attempt prints the sentence.
#define WARPSAFE_DETAIL_SENTENCE                                                                 \
  "warpsafe: a raw pointer may be host memory; take a device buffer's view(), or pass trust(p) " \
  "to the launch where other code allocated it on the device"
  template <class U WARPSAFE_DETAIL_WHY>
  WARPSAFE_FN WARPSAFE_DETAIL_REFUSED device_ptr(U*) WARPSAFE_DETAIL_REFUSAL(U);
#undef WARPSAFE_DETAIL_SENTENCE
  /// Converts `device_ptr<float>` to `device_ptr<const float>`, and nothing else.
  template <class U, class = decltype(static_cast<T (*)[]>(static_cast<U (*)[]>(nullptr)))>
  WARPSAFE_FN constexpr device_ptr(
      device_ptr<U> other) noexcept  // NOLINT(google-explicit-constructor)
      : pointer_(other.get()) {}

  [[nodiscard]] WARPSAFE_FN constexpr T* get() const noexcept { return pointer_; }
  /// The pointer `count` elements further. @pre the result is still in the allocation
  [[nodiscard]] WARPSAFE_FN constexpr device_ptr operator+(size_type count) const noexcept {
    device_ptr further;
    further.pointer_ = pointer_ + count;
    return further;
  }

  /// Diagnoses an access through the pointer.
  template <class U = T>
  WARPSAFE_FN U& operator*() const noexcept {
    static_assert(
        detail::is_never<U>,
        "warpsafe: a device_ptr cannot be dereferenced; in a kernel use get(), and on the host copy the memory with buffer.to_host(stream)");
    return *pointer_;
  }
  template <class U = T>
  WARPSAFE_FN U& operator[](size_type) const noexcept {
    return operator*<U>();
  }
  template <class U = T>
  WARPSAFE_FN U* operator->() const noexcept {
    return &operator*<U>();
  }

 private:
  friend struct detail::DeviceAccess;
  T* pointer_ = nullptr;
};

/// Adapts a type of another library to pointer parameters of kernels: at::Tensor,
/// thrust::device_ptr<T>, rmm::device_uvector<T>, … Specialise it with
///
///   static T* get(const Type&) noexcept;   // device memory, with the kernel parameter's type
///
/// and, if Type has no size() in elements, with a count. A DeviceSpan parameter needs it, and so do
/// observers that look at data:
///
///   static std::size_t count(const Type&) noexcept;   // elements behind it
///
/// A launch refuses a temporary of a type with a destructor, because its memory is freed at the end
/// of the statement, while the kernel may still run. If the free waits for the work of the stream
/// that the launch is on, as at::Tensor's does on PyTorch's current stream, and cudaFree's, write
///
///   static constexpr bool may_be_temporary = true;
template <class Type>
struct device_pointer_traits;

template <class T>
struct device_pointer_traits<device_ptr<T>> {
  WARPSAFE_FN static constexpr T* get(const device_ptr<T>& pointer) noexcept {
    return pointer.get();
  }
};

namespace detail {
template <class T>
inline constexpr bool is_device_memory<device_ptr<T>> = true;

/// Makes the types of device memory, for code that knows where the memory is: buffers, the launch,
/// `trust`, `align`.
struct DeviceAccess {
  template <class T>
  [[nodiscard]] WARPSAFE_FN static constexpr device_ptr<T> pointer(T* raw) noexcept {
    device_ptr<T> made;
    made.pointer_ = raw;
    return made;
  }
  /// The type that a kernel takes for a view of a buffer. `owner` below returns the memory's owner.
  template <class View>
  [[nodiscard]] WARPSAFE_FN static constexpr auto kernel_form(const View& view) noexcept {
    return view.kernel_form_;
  }
  template <class View>
  [[nodiscard]] WARPSAFE_FN static constexpr auto owner(const View& view) noexcept {
    return view.owner_;
  }
  /// Makes any other type of device memory through its private constructor.
  template <class Made, class... A>
  [[nodiscard]] WARPSAFE_FN static constexpr Made make(A... parts) noexcept {
    return Made(typename Made::Known{}, parts...);
  }
};

}  // namespace detail
}  // namespace WARPSAFE_DETAIL_VERSION
}  // namespace warpsafe
