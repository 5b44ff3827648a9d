// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/core/cxx20.hpp>

#include <cstddef>
#include <cstdint>

namespace warpsafe::inline WARPSAFE_DETAIL_VERSION::detail {

/// The first multiple of `alignment` that is at least `used`.
constexpr std::size_t place_after(std::size_t used, std::size_t alignment) noexcept {
  return (used + alignment - 1) / alignment * alignment;
}

/// The smaller of two numbers; 0 means "none".
[[gnu::always_inline]] constexpr std::uint64_t strictest(std::uint64_t a,
                                                         std::uint64_t b) noexcept {
  return a == 0 ? b : b == 0 ? a : a < b ? a : b;
}

/// Stores in `fits` the block that an error suggests in place of `block`, and returns its number of
/// threads. The suggestion has about the same shape, at most `limit` threads, and at most 64 in z,
/// so that `block<…>` accepts it.
/// @pre no axis of `block` is 0, and `limit` is at least 1
[[WARPSAFE_DETAIL_RARE]] constexpr std::uint64_t fitting_block(const std::uint32_t (&block)[3],
                                                               std::uint64_t limit,
                                                               std::uint32_t (&fits)[3]) noexcept {
  for (int axis = 0; axis < 3; ++axis) fits[axis] = block[axis];
  for (;;) {
    const std::uint64_t plane = static_cast<std::uint64_t>(fits[0]) * fits[1];
    if (plane <= limit && plane * fits[2] <= limit && fits[2] <= 64) return plane * fits[2];
    // Halve the longest axis: 64x64 becomes 32x32, 2048 becomes 1024.
    const int longest =
        fits[0] > fits[1] ? (fits[0] >= fits[2] ? 0 : 2) : (fits[1] >= fits[2] ? 1 : 2);
    fits[longest] /= 2;
  }
}

/// The number of blocks of `per_block` items that `n` items need. It does not overflow, because n +
/// per_block - 1 is never formed. Works for any unsigned type; the tests run all 8-bit values.
template <class Unsigned>
[[nodiscard, gnu::always_inline]] constexpr Unsigned blocks_for(Unsigned n,
                                                                Unsigned per_block) noexcept {
  return static_cast<Unsigned>(n / per_block + static_cast<Unsigned>(n % per_block != 0));
}

/// Stores a*b in `product`. Returns false, with `product` unspecified, if the result does not fit.
template <class Unsigned>
[[nodiscard, gnu::always_inline]] constexpr bool multiply(Unsigned a, Unsigned b,
                                                          Unsigned& product) noexcept {
  if (__builtin_is_constant_evaluated()) {  // nvcc cannot evaluate the builtin at compile time
    product = static_cast<Unsigned>(a * b);
    return a == 0 || static_cast<Unsigned>(product / a) == b;
  }
  return !__builtin_mul_overflow(a, b, &product);
}

}  // namespace warpsafe::inline WARPSAFE_DETAIL_VERSION::detail
