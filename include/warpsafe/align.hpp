// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/aligned_ptr.hpp>
#include <warpsafe/device_span.hpp>
#include <warpsafe/result.hpp>

#include <cstdint>

namespace warpsafe {

/// `span` for a kernel that reads it in pieces of `Alignment` bytes. Errc::argument_misaligned
/// (value: the bytes that the start is aligned to) for a start in between, as `subspan(1, n)`
/// gives. A misaligned wide access ends the whole context on CUDA, and AMD has no code for it.
template <size_type Alignment, class T>
[[nodiscard]] result<aligned_ptr<T, Alignment>> align(
    DeviceSpan<T> span, call_site site = call_site::current()) noexcept {
  T* const start = span.pointer().get();
  const auto address = reinterpret_cast<std::uintptr_t>(start);
  if (address % Alignment != 0) {
    return LaunchError::make(Errc::argument_misaligned, Stage::construction,
                             address & (~address + 1), Alignment, Axis::none, site);
  }
  return detail::DeviceAccess::make<aligned_ptr<T, Alignment>>(start);
}
/// The sentence for what does not know that it is device memory, or how much.
template <size_type Alignment, class Memory>
requires(!requires(const Memory& memory) {
  DeviceSpan(memory);
}) void align(const Memory&) noexcept {
  static_assert(!detail::is_size<decltype(sizeof(Memory*))>,
                "warpsafe: align takes a device buffer's view(), or a part of it: "
                "align<16>(buffer.view())");
}

}  // namespace warpsafe
