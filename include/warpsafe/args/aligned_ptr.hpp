// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/args/device_ptr.hpp>

namespace warpsafe {
inline namespace WARPSAFE_DETAIL_VERSION {

/// Device memory whose start is a multiple of `Alignment` bytes, for kernels that read it in wide
/// pieces (float4). `align` (align.hpp) makes it and checks the address. C++17, without standard
/// headers.
template <class T, size_type Alignment>
class aligned_ptr {
  static_assert(
      Alignment >= alignof(T) && (Alignment & (Alignment - 1)) == 0,
      "warpsafe: an alignment must be a power of 2 and at least the alignment of the element");

 public:
  using element_type = T;
  static constexpr size_type alignment = Alignment;

#define WARPSAFE_DETAIL_SENTENCE \
  "warpsafe: make an aligned_ptr with align<16>(buffer.view()), which checks the address"
  template <class U WARPSAFE_DETAIL_WHY>
  WARPSAFE_FN WARPSAFE_DETAIL_REFUSED explicit aligned_ptr(const U&)
      WARPSAFE_DETAIL_REFUSAL(U,
                              : pointer_(nullptr));
#undef WARPSAFE_DETAIL_SENTENCE

  [[nodiscard]] WARPSAFE_FN constexpr T* get() const noexcept { return pointer_; }
  // Implicit, because a device_ptr promises less.
  WARPSAFE_FN constexpr operator device_ptr<T>()
      const noexcept {  // NOLINT(google-explicit-constructor)
    return detail::DeviceAccess::pointer(pointer_);
  }
  /// The memory as elements of a wider type. In kernels only.
  template <class Wide>
  [[nodiscard]] WARPSAFE_FN Wide* as() const noexcept {
    static_assert(alignof(Wide) <= Alignment,
                  "warpsafe: this type needs a larger alignment than the pointer guarantees");
#if (defined(__CUDACC__) || defined(__HIPCC__)) && !defined(__CUDA_ARCH__) && \
    !defined(__HIP_DEVICE_COMPILE__)
    return detail::device_memory_from_host_code<Wide*>();
#else
    return reinterpret_cast<Wide*>(pointer_);
#endif
  }

 private:
  friend struct detail::DeviceAccess;
  struct Known {};
  WARPSAFE_FN constexpr aligned_ptr(Known, T* pointer) noexcept : pointer_(pointer) {}
  T* pointer_;
};

namespace detail {
template <class T, size_type Alignment>
inline constexpr bool is_device_memory<aligned_ptr<T, Alignment>> = true;
}  // namespace detail

}  // namespace WARPSAFE_DETAIL_VERSION
}  // namespace warpsafe
