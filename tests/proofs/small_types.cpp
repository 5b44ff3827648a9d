// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// Runs the library's own statements for every value of small integer types, and compares the
// results with wide integers. small_types.py takes the statements from the headers (extracted.hpp),
// with std::uint64_t and std::uint32_t replaced by types of BITS and BITS/2 bits, and each limit by
// the one of the same form: 2^31-1 by 2^(BITS/2-1)-1, and so on.

#include <warpsafe/core/detail/arithmetic.hpp>

#include <cstdint>
#include <cstdio>
#include <type_traits>

namespace small {

using Wide = unsigned long long;

/// An unsigned integer of a number of bits, which wraps as the built-in ones do. Arithmetic of two
/// widths has the larger one, as for std::uint32_t and std::uint64_t. C++'s own smaller types do
/// not: their arithmetic is that of int.
template <int Bits>
struct Modular {
  static constexpr Wide mask = (Wide{1} << Bits) - 1;
  Wide value = 0;
  constexpr Modular() = default;
  template <class Number>
  requires std::is_integral_v<Number>
  constexpr Modular(Number number) : value(static_cast<Wide>(number) & mask) {}
  template <int Other>
  requires(Other < Bits) constexpr Modular(Modular<Other> other) : value(other.value) {}
  template <int Other>
  requires(Other > Bits) constexpr explicit Modular(Modular<Other> other)
      : value(other.value & mask) {}
  constexpr Modular& operator|=(Modular other) {
    value |= other.value;
    return *this;
  }
  constexpr Modular& operator+=(Modular other) {
    value = (value + other.value) & mask;
    return *this;
  }
};

template <class T>
inline constexpr int bits_of = 0;
template <int Bits>
inline constexpr int bits_of<Modular<Bits>> = Bits;
template <class A, class B>
inline constexpr int common = bits_of<A> > bits_of<B> ? bits_of<A> : bits_of<B>;
template <class A, class B>
concept Operands = (bits_of<A> != 0 && (bits_of<B> != 0 || std::is_integral_v<B>)) ||
                   (bits_of<B> != 0 && std::is_integral_v<A>);

#define SMALL_OPERATOR(op)                             \
  template <class A, class B>                          \
  requires Operands<A, B>                              \
  constexpr auto operator op(A a, B b) {               \
    using Common = Modular<common<A, B>>;              \
    return Common(Common(a).value op Common(b).value); \
  }
#define SMALL_COMPARISON(op)                   \
  template <class A, class B>                  \
  requires Operands<A, B>                      \
  constexpr bool operator op(A a, B b) {       \
    using Common = Modular<common<A, B>>;      \
    return Common(a).value op Common(b).value; \
  }
SMALL_OPERATOR(+)
SMALL_OPERATOR(-)
SMALL_OPERATOR(*)
SMALL_OPERATOR(/)
SMALL_OPERATOR(%)
SMALL_OPERATOR(&)
SMALL_COMPARISON(==)
SMALL_COMPARISON(!=)
SMALL_COMPARISON(<)
SMALL_COMPARISON(<=)
template <int Bits>
constexpr Modular<Bits> operator<<(Modular<Bits> a, int places) {
  return Modular<Bits>(a.value << places);
}

using u64 = Modular<BITS>;
using u32 = Modular<BITS / 2>;
constexpr Wide most_32 = u32::mask;
constexpr Wide most_31 = u32::mask >> 1;
constexpr Wide most_16 = Modular<BITS / 4>::mask;

enum class CoverRule { round_up, exact };
struct SizeBits {
  u64 bits;
  bool negative;
};
struct DeviceLimits {
  u32 max_grid[3];
  u64 max_threads_per_axis;
};
struct Cuda {};
struct Amd {};
template <class Rules>
inline constexpr DeviceLimits floor_of{{most_31, most_16, most_16}, 0};
template <>
inline constexpr DeviceLimits floor_of<Amd>{{most_31, most_16, most_16}, most_32};
using warpsafe::detail::blocks_for;

// The position of the thread whose loop runs.
struct Local3 {
  u32 x, y, z;
};
struct Index3 {
  u64 x, y, z;
};
Local3 now_thread, now_block, now_size, now_grid;
Local3 thread_in_block() { return now_thread; }
Local3 block_index() { return now_block; }
Local3 block_size() { return now_size; }
Local3 grid_size() { return now_grid; }

// The stride as a GPU computes it. The host model reads the same numbers from its thread.
#define __CUDACC__ 1
#include "extracted.hpp"
#undef __CUDACC__

int failures = 0;
Wide cases = 0;

void expect(bool same, const char* what, Wide a, Wide b, Wide c, Wide d) {
  ++cases;
  if (same) return;
  if (++failures < 10) {
    std::printf("%d bits: %s is wrong for %llu, %llu, %llu, %llu\n", BITS, what, a, b, c, d);
  }
}

template <int Along, class Rules, u32 Items, bool Capped>
void cover_all(Wide cap) {
  const DeviceLimits& floor = floor_of<Rules>;
  for (Wide threads = 1; threads <= most_32; ++threads) {
    const Wide per_block = Items.value != 0 ? threads * Items.value : 1;
    if (per_block > u64::mask) continue;
    Wide most = floor.max_grid[Along].value;
    if (floor.max_threads_per_axis != 0) {
      const Wide by_threads = floor.max_threads_per_axis.value / threads;
      most = by_threads < most ? by_threads : most;
    }
    Wide fewest = cap < most_32 / threads ? cap : most_32 / threads;
    fewest = fewest < most ? fewest : most;
    for (Wide n = 0; n <= u64::mask; ++n) {
      Wide blocks = (n + per_block - 1) / per_block;
      if (Capped) blocks = blocks < fewest ? blocks : fewest;
      if (blocks > most || (Capped && n > u64::mask / 2)) blocks = 0;
      const auto rounded = blocks_or_zero<Along, Rules, Items, Capped>({n, false}, threads,
                                                                       CoverRule::round_up, cap);
      expect(rounded.value == blocks, "a size", n, threads, Items.value, cap);
      if (n > u64::mask / 2) {
        const auto negative = blocks_or_zero<Along, Rules, Items, Capped>({n, true}, threads,
                                                                          CoverRule::round_up, cap);
        expect(negative == 0, "a negative size", n, threads, Items.value, cap);
      }
      if (!Capped) {
        const auto exact =
            blocks_or_zero<Along, Rules, Items, Capped>({n, false}, threads, CoverRule::exact, cap);
        expect(exact.value == (n % per_block == 0 ? blocks : 0), "an exact size", n, threads,
               Items.value, cap);
      }
    }
  }
}

template <class Rules>
void cover_every_way() {
  cover_all<0, Rules, u32{1}, false>(0);
  cover_all<1, Rules, u32{1}, false>(0);
  cover_all<0, Rules, u32{3}, false>(0);
  cover_all<0, Rules, u32{0}, false>(0);
  cover_all<2, Rules, u32{0}, false>(0);
  cover_all<0, Rules, u32{most_32}, false>(0);
  const Wide step = BITS <= 8 ? 1 : u64::mask / 5;
  for (Wide cap = 0; cap <= u64::mask; cap += step) {
    cover_all<0, Rules, u32{1}, true>(cap);
    cover_all<0, Rules, u32{3}, true>(cap);
    cover_all<0, Rules, u32{0}, true>(cap);
  }
}

/// Every grid and block, and every n for which no step wraps: n is at most 2^BITS less the step.
/// Beyond that some n must go wrong, or the bound says nothing.
void stride_all() {
  static unsigned visits[u64::mask + 1];
  Wide wrong_beyond = 0;
  for (Wide grid = 1; grid <= most_32; ++grid) {
    for (Wide size = 1; size <= most_32; ++size) {
      const Wide step = grid * size;
      for (Wide n = 0; n <= u64::mask; ++n) {
        for (unsigned& count : visits) count = 0;
        bool right = true;
        for (Wide at = 0; at < step && right; ++at) {
          now_grid = {grid, 1, 1};
          now_size = {size, 1, 1};
          now_block = {at / size, 0, 0};
          now_thread = {at % size, 0, 0};
          if (thread_index().x != at) right = false;
          Wide rounds = 0;
          for (const u64 i : grid_stride(n)) {
            if (++rounds > u64::mask) {
              right = false;  // it never ends
              break;
            }
            ++visits[i.value];
          }
        }
        for (Wide i = 0; i <= u64::mask; ++i) right = right && visits[i] == (i < n ? 1U : 0U);
        if (n + step <= u64::mask + 1) {
          expect(right, "a stride", n, grid, size, 0);
        } else {
          wrong_beyond += right ? 0 : 1;
        }
      }
    }
  }
  expect(wrong_beyond > 0, "the bound of grid_stride", 0, 0, 0, 0);
}

/// The templates of the library itself, for one of the language's own types.
template <class Unsigned>
void templates_of() {
  constexpr Wide most = static_cast<Unsigned>(~Unsigned{0});
  for (Wide a = 0; a <= most; ++a) {
    for (Wide b = 0; b <= most; ++b) {
      const auto x = static_cast<Unsigned>(a);
      const auto y = static_cast<Unsigned>(b);
      Unsigned product = 0;
      const bool fits = warpsafe::detail::multiply(x, y, product);
      expect(fits == (a * b <= most) && (!fits || product == a * b), "multiply", a, b, 0, 0);
      if (b == 0) continue;
      expect(blocks_for(x, y) == (a + b - 1) / b, "blocks_for", a, b, 0, 0);
    }
  }
}

/// The form of `multiply` that runs while compiling: all values of 4 bits, in 8.
constexpr bool multiplies_while_compiling() {
  for (unsigned a = 0; a < 256; a += 5) {
    for (unsigned b = 0; b < 256; ++b) {
      unsigned char product = 0;
      const bool fits = warpsafe::detail::multiply(static_cast<unsigned char>(a),
                                                   static_cast<unsigned char>(b), product);
      if (fits != (a * b < 256) || (fits && product != a * b)) return false;
    }
  }
  return true;
}
static_assert(multiplies_while_compiling());

}  // namespace small

int main() {
  small::cover_every_way<small::Cuda>();
  small::cover_every_way<small::Amd>();
  if constexpr (BITS <= 8) {
    small::stride_all();
    small::templates_of<std::uint8_t>();
  } else {
    small::templates_of<std::uint16_t>();
  }
  std::printf("%d bits: %llu cases, %d wrong\n", BITS, small::cases, small::failures);
  return small::failures == 0 ? 0 : 1;
}
