// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <cstdint>
#include <type_traits>

namespace warpsafe::detail {

/// Puts into `fits` the block that an error suggests instead of `block`, which has no axis of 0: of
/// about the same shape, with at most `limit` threads (at least 1), and one that `block<…>` takes,
/// so at most 64 in z. Returns its threads.
constexpr std::uint64_t fitting_block(const std::uint32_t (&block)[3], std::uint64_t limit,
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

/// How many blocks of `per_block` items hold `n` items. n + per_block - 1 is never formed, so
/// nothing overflows. Any unsigned type (the tests run it through all 8-bit ones).
template <class Unsigned>
[[nodiscard, gnu::always_inline]] constexpr Unsigned blocks_for(Unsigned n,
                                                                Unsigned per_block) noexcept {
  return static_cast<Unsigned>(n / per_block + static_cast<Unsigned>(n % per_block != 0));
}

/// Puts a*b into `product`; false if it does not fit, and then `product` is unspecified.
template <class Unsigned>
[[nodiscard]] constexpr bool multiply(Unsigned a, Unsigned b, Unsigned& product) noexcept {
  if (std::is_constant_evaluated()) {  // nvcc cannot evaluate the builtin while compiling
    product = static_cast<Unsigned>(a * b);
    return a == 0 || static_cast<Unsigned>(product / a) == b;
  }
  return !__builtin_mul_overflow(a, b, &product);
}

}  // namespace warpsafe::detail
