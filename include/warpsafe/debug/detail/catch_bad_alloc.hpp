// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/core/cxx20.hpp>

#include <new>

namespace warpsafe::inline WARPSAFE_DETAIL_VERSION::debug::detail {

/// Runs `body()`. Returns its value, or `on_memory` if the host has no memory left.
template <class Body, class T>
[[nodiscard]] T catch_bad_alloc(const Body& body, T on_memory) noexcept {
#if defined(__cpp_exceptions)
  try {
    return body();
  } catch (const std::bad_alloc&) {
    return on_memory;
  }
#else
  static_cast<void>(on_memory);
  return body();
#endif
}
/// Runs `body()`. Returns false if the host has no memory left.
template <class Body>
[[nodiscard]] bool has_memory_for(const Body& body) noexcept {
  const auto run = [&] {
    body();
    return true;
  };
  return catch_bad_alloc(run, false);
}

}  // namespace warpsafe::inline WARPSAFE_DETAIL_VERSION::debug::detail
