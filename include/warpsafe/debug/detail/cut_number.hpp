// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/core/cxx20.hpp>

#include <cstdint>

namespace warpsafe::inline WARPSAFE_DETAIL_VERSION::debug::detail {

/// Cuts a whole number, written in digits alone, off the front of `text`. Returns false if there is
/// none, or none of 64 bits.
[[nodiscard]] inline bool cut_number(const char*& text, std::uint64_t& number) noexcept {
  const char* const begin = text;
  for (number = 0; *text >= '0' && *text <= '9'; ++text) {
    if (__builtin_mul_overflow(number, std::uint64_t{10}, &number) ||
        __builtin_add_overflow(number, static_cast<std::uint64_t>(*text - '0'), &number)) {
      return false;
    }
  }
  return text != begin;
}

}  // namespace warpsafe::inline WARPSAFE_DETAIL_VERSION::debug::detail
