// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <type_traits>

namespace warpsafe::detail {

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
