// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/core/detail/refused.hpp>
#include <warpsafe/error/result.hpp>

#include <cstddef>
#include <type_traits>

// The sentences of the compiler about a buffer that is used in a wrong way.

namespace warpsafe::inline WARPSAFE_DETAIL_VERSION::detail {

/// Diagnoses an element of device memory in host code. The return type is deduced, so that this is
/// the first error.
template <class T, class Index>
auto diagnose_element_on_host() noexcept {
  static_assert(is_never<Index>,
                "warpsafe: host code cannot use an element of device memory; copy the elements: "
                "to_host(stream).get()");
  return T{};
}
/// Diagnoses the address of device memory as that of host memory.
template <class T>
auto diagnose_address_on_host() noexcept {
  static_assert(is_never<T>,
                "warpsafe: a buffer has no data(), because its memory is the device's; pass its "
                "view() to a launch, and copy the elements with to_host(stream).get()");
  return static_cast<T*>(nullptr);
}
/// Diagnoses a call of a buffer without its stream.
template <class Never>
[[nodiscard]] auto diagnose_missing_stream() noexcept {
  static_assert(
      !std::is_void_v<Never>,
      "warpsafe: work on a buffer takes the stream that runs it: zero(stream), to_host(stream)");
  return success();
}
/// Diagnoses the view or the span of a temporary buffer. The return type is deduced, so that this
/// is the first error.
template <class Never>
auto diagnose_view_of_temporary() noexcept {
  static_assert(
      !std::is_void_v<Never>,
      "warpsafe: this temporary buffer frees its memory at the end of the statement, and its view would point to freed memory; give the buffer a name: WARPSAFE_TRY(auto x, expression), or auto x = expression.value()");
  return static_cast<Never*>(nullptr);
}

/// Diagnoses `fill_bytes` of anything but a std::byte, since a fill does not set elements to a
/// value.
template <class Value>
constexpr bool check_fill_value() noexcept {
  constexpr bool is_byte = std::is_same_v<Value, std::byte>;
  static_assert(
      is_byte,
      "warpsafe: a fill sets single bytes: use zero(stream) or fill_bytes(stream, std::byte{0xff}), and a kernel to set elements to another value");
  return is_byte;
}

}  // namespace warpsafe::inline WARPSAFE_DETAIL_VERSION::detail
