// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <type_traits>

namespace warpsafe::detail {

/// Refuses, while compiling, a T that no buffer can hold: device, managed and pinned alike.
template <class T>
constexpr bool check_element() noexcept {
  static_assert(std::is_trivially_copyable_v<T> && !std::is_const_v<T>,
                "warpsafe: a buffer holds trivially copyable elements: they are copied as bytes");
  return true;
}

}  // namespace warpsafe::detail
