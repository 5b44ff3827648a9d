// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/args/device_ptr.hpp>

namespace warpsafe {
inline namespace WARPSAFE_DETAIL_VERSION {

namespace detail {

#if defined(__CUDACC__) || defined(__HIPCC__)
struct KernelPlace {};
#else
/// A line of kernel code: by default the caller's.
struct KernelPlace {
  const char* file;
  unsigned line;
  constexpr KernelPlace(const char* its_file = __builtin_FILE(),
                        unsigned its_line = __builtin_LINE()) noexcept
      : file(its_file), line(its_line) {}
};
/// The index in an element's brackets, and the line of the brackets.
struct ElementIndex {
  size_type number;
  KernelPlace at;
  // Implicit, as every index.
  constexpr ElementIndex(size_type its_number, KernelPlace its_place = {}) noexcept
      : number(its_number), at(its_place) {}
  template <class N, typename If<__is_class(N)>::type* = nullptr>
  constexpr ElementIndex(const N& its_number, KernelPlace its_place = {})
      : number(static_cast<size_type>(its_number)), at(its_place) {}
};
#endif
#if !defined(__CUDACC_RTC__) && !defined(__HIPCC_RTC__)
/// On the host backend, ends the kernel that uses `count` elements from `first` on, of only `size`
/// elements, in this line. Does nothing outside of kernels. nullptr until the host backend is used.
[[gnu::visibility("default")]] inline void (*leave_span)(size_type first, size_type count,
                                                         size_type size, const char* file,
                                                         unsigned line) = nullptr;
/// On the host backend, sees that the kernel of this thread uses these elements of a span. nullptr
/// unless its launch has fewer threads than elements.
[[gnu::visibility("default")]] inline thread_local void (*see_elements)(size_type first,
                                                                        size_type count,
                                                                        size_type size) = nullptr;
#endif
#if !defined(__CUDACC__) && !defined(__HIPCC__)
/// Tells the host backend that kernel code uses these elements of a span.
[[gnu::cold, gnu::noinline]] inline void tell_use(size_type first, size_type count, size_type size,
                                                  const char* file, unsigned line) {
  const bool inside = first <= size && count <= size - first;
  if (!inside && leave_span != nullptr) leave_span(first, count, size, file, line);
  if (see_elements != nullptr) see_elements(first, count, size);
}
#endif

/// Whether `count` elements from `first` on are among `size`. In a checked build, a kernel of the
/// host backend ends if they are not.
template <CheckLevel Level>
[[gnu::always_inline]] WARPSAFE_FN constexpr bool is_inside(
    size_type first, size_type count, size_type size, [[maybe_unused]] const KernelPlace& at) {
  const bool inside = first <= size && count <= size - first;
#if !defined(__CUDACC__) && !defined(__HIPCC__)
  if constexpr (Level == CheckLevel::full) {
    bool is_seen = false;
    if (!__builtin_is_constant_evaluated()) is_seen = see_elements != nullptr;
    if (__builtin_expect(static_cast<long>(!inside || is_seen), 0) != 0) {
      tell_use(first, count, size, at.file, at.line);
    }
  }
#endif
  return inside;
}

}  // namespace detail

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
  /// `count` elements from `offset`, both in elements. If the span has fewer, a kernel of the host
  /// backend ends with Errc::execution_failed in a checked build; otherwise the result has no
  /// elements and address 0, so that an access faults.
  template <CheckLevel Level = current_level>
  [[nodiscard]] WARPSAFE_FN constexpr DeviceSpan subspan(size_type offset, size_type count,
                                                         detail::KernelPlace at = {}) const {
    if (!detail::is_inside<Level>(offset, count, size_, at)) return {};
    return DeviceSpan(detail::DeviceAccess::pointer(data_ + offset), count);
  }
  /// The element. Use it in kernels only: a device compiler rejects it in host code. On the host
  /// backend, kernels are host code, so the compiler cannot reject it. There, in a checked build,
  /// an index beyond the end ends the kernel with Errc::execution_failed, which names the line.
#if defined(__CUDA_ARCH__) || defined(__HIP_DEVICE_COMPILE__)
  [[nodiscard]] WARPSAFE_FN constexpr T& operator[](size_type index) const noexcept {
    return data_[index];
  }
#elif defined(__CUDACC__) || defined(__HIPCC__)
  [[nodiscard]] WARPSAFE_FN constexpr T& operator[](size_type) const noexcept {
    return detail::device_memory_from_host_code<T&>();
  }
#else
  template <CheckLevel Level = current_level>
  [[nodiscard]] constexpr T& operator[](detail::ElementIndex index) const {
    static_cast<void>(detail::is_inside<Level>(index.number, 1, size_, index.at));
    return data_[index.number];
  }
#endif

 private:
  friend struct device_pointer_traits<DeviceSpan>;
  T* data_ = nullptr;
  size_type size_ = 0;
};

template <class T>
struct device_pointer_traits<DeviceSpan<T>> {
  [[gnu::always_inline]] WARPSAFE_FN static constexpr T* get(const DeviceSpan<T>& span) noexcept {
    return span.data_;
  }
};

namespace detail {
template <class T>
inline constexpr bool is_device_memory<DeviceSpan<T>> = true;
}  // namespace detail

}  // namespace WARPSAFE_DETAIL_VERSION
}  // namespace warpsafe
