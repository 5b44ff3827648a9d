// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/args/aligned_ptr.hpp>
#include <warpsafe/args/device_view.hpp>
#include <warpsafe/dims/bytes.hpp>
#include <warpsafe/error/result.hpp>

#include <cstdint>

namespace warpsafe::inline WARPSAFE_DETAIL_VERSION {

/// The result of `align`. Kernels take it as an aligned_ptr. Like the view, it tracks its buffer.
template <class T, size_type Alignment>
class aligned_view {
 public:
  using element_type = T;
  static constexpr size_type alignment = Alignment;
  /// The type that kernels take; see DeviceView::span.
  [[nodiscard]] constexpr aligned_ptr<T, Alignment> pointer() const noexcept {
    return kernel_form_;
  }

 private:
  friend struct detail::DeviceAccess;
  struct Known {};
  WARPSAFE_FN constexpr aligned_view(Known, T* start, size_type size,
                                     detail::OwnerRef owner) noexcept
      : kernel_form_(detail::DeviceAccess::make<aligned_ptr<T, Alignment>>(start)),
        size_(size),
        owner_(owner) {}
  aligned_ptr<T, Alignment> kernel_form_;
  size_type size_;  // in elements, behind the address as in a DeviceView; a launch reads it
  detail::OwnerRef owner_;
};

namespace detail {
template <class T, size_type Alignment>
inline constexpr bool is_view<aligned_view<T, Alignment>> = true;

/// Makes an `Aligned` from `start` and the other parts, if `start` is aligned.
template <class Aligned, class T, class... Parts>
[[nodiscard]] result<Aligned> align_start(T* start, call_site site, Parts... parts) noexcept {
  constexpr size_type alignment = Aligned::alignment;
  static_assert(
      alignment <= memory_alignment,
      "warpsafe: the runtimes align memory to 256 bytes, so a larger alignment holds by chance only; align to at most 256");
  const auto address = reinterpret_cast<std::uintptr_t>(start);
  if (address % alignment != 0) {
    return LaunchError::make(Errc::argument_misaligned, Stage::construction,
                             address & (~address + 1), alignment, Axis::none, site);
  }
  return DeviceAccess::make<Aligned>(start, parts...);
}
}  // namespace detail

/// Checks that a view, or a part of one, is aligned for a kernel that reads it in pieces of
/// `Alignment` bytes. Errc::argument_misaligned (value: the alignment of the start in bytes) if the
/// start is not aligned, for example after `subspan(1, n)`. On CUDA, a misaligned wide access loses
/// the whole context; AMD has no error code for it.
template <size_type Alignment, class T>
[[nodiscard]] result<aligned_view<T, Alignment>> align(
    DeviceView<T> view, call_site site = call_site::current()) noexcept {
  return detail::align_start<aligned_view<T, Alignment>>(view.pointer().get(), site, view.size(),
                                                         detail::DeviceAccess::owner(view));
}
/// As above, for a span. It has no buffer to track.
template <size_type Alignment, class T>
[[nodiscard]] result<aligned_ptr<T, Alignment>> align(
    DeviceSpan<T> span, call_site site = call_site::current()) noexcept {
  return detail::align_start<aligned_ptr<T, Alignment>>(span.pointer().get(), site);
}
/// Diagnoses an argument that is not device memory with a size.
// The return type is deduced, so that this is the first error.
template <size_type Alignment, class Memory>
auto align(const Memory&) noexcept {
  static_assert(
      detail::is_never<Memory>,
      "warpsafe: align takes a device buffer's view() or a part of it; write align<16>(buffer.view())");
  return nullptr;
}

}  // namespace warpsafe::inline WARPSAFE_DETAIL_VERSION
