// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <cstdint>

// The checksum of a buffer, the same on the host and in the kernel of nccl/checksum_kernel.cu. It
// is a sum over words of eight bytes, so that threads can compute parts of it in any order.

#ifdef __CUDACC__
#define WARPSAFE_ON_BOTH __host__ __device__
#else
#define WARPSAFE_ON_BOTH
#endif

namespace warpsafe::ranks {

/// Elements in which a NaN or an infinity can be found. `bytes` stands for all other types.
enum class Format : std::uint32_t {
  bytes,
  float64,
  float32,
  float16,
  bfloat16,
  float8e4m3,
  float8e5m2
};

/// Where the parts of an element are. A format without infinities (float8e4m3) counts all of them
/// as NaN.
struct FormatBits {
  std::uint32_t width;     ///< bits of an element; 0: not examined
  std::uint64_t exponent;  ///< all of these bits are ones in a NaN or an infinity
  std::uint64_t mantissa;  ///< and one of these in a NaN

  [[nodiscard]] WARPSAFE_ON_BOTH static FormatBits of(Format format) noexcept {
    switch (format) {
      case Format::float64:
        return {64, 0x7ff0000000000000U, 0x000fffffffffffffU};
      case Format::float32:
        return {32, 0x7f800000U, 0x007fffffU};
      case Format::float16:
        return {16, 0x7c00U, 0x03ffU};
      case Format::bfloat16:
        return {16, 0x7f80U, 0x007fU};
      case Format::float8e4m3:
        return {8, 0x7fU, 0x7fU};
      case Format::float8e5m2:
        return {8, 0x7cU, 0x03U};
      case Format::bytes:
        break;
    }
    return {0, 0, 0};
  }
};

struct Checksum {
  static constexpr std::uint64_t none = ~std::uint64_t{0};

  std::uint64_t sum = 0;
  std::uint64_t nans = 0;
  std::uint64_t infinities = 0;
  std::uint64_t first = none;  ///< index of the first element that is NaN or infinite

  WARPSAFE_ON_BOTH void add(const Checksum& other) noexcept {
    sum += other.sum;
    nans += other.nans;
    infinities += other.infinities;
    if (other.first < first) first = other.first;
  }
  /// Adds the word of that index. The order of a sum's operands decides the bits of a NaN and the
  /// sign of a zero, and differs between ranks: all NaNs are equal here, and both zeros.
  WARPSAFE_ON_BOTH void add_word(std::uint64_t word, std::uint64_t index,
                                 FormatBits bits) noexcept {
    if (bits.width != 0) {
      const std::uint64_t all = none >> (64U - bits.width);
      const std::uint64_t sign = (all >> 1U) + 1;
      for (std::uint32_t shift = 0; shift < 64; shift += bits.width) {
        const std::uint64_t element = (word >> shift) & all;
        if ((element & bits.exponent) == bits.exponent) {
          const bool is_nan = (element & bits.mantissa) != 0;
          nans += is_nan ? 1 : 0;
          infinities += is_nan ? 0 : 1;
          const std::uint64_t at = (index * 64 + shift) / bits.width;
          if (at < first) first = at;
          if (is_nan) word |= all << shift;
        } else if (element == sign) {
          word &= ~(sign << shift);
        }
      }
    }
    // The finalizer of SplitMix64 (Steele, Lea, Flood 2014).
    word += (index + 1) * 0x9e3779b97f4a7c15U;
    word = (word ^ (word >> 30U)) * 0xbf58476d1ce4e5b9U;
    word = (word ^ (word >> 27U)) * 0x94d049bb133111ebU;
    sum += word ^ (word >> 31U);
  }
};

/// The words `begin`, `begin + step` and so on of a buffer; the last one is filled up with zeros.
/// `offset` is the number of words of the whole before `data`.
[[nodiscard]] WARPSAFE_ON_BOTH inline Checksum checksum_part(const unsigned char* data,
                                                             std::uint64_t bytes, Format format,
                                                             std::uint64_t begin,
                                                             std::uint64_t step,
                                                             std::uint64_t offset = 0) noexcept {
  Checksum part;
  const FormatBits bits = FormatBits::of(format);
  const std::uint64_t whole = bytes / 8;
  const bool is_aligned = reinterpret_cast<std::uintptr_t>(data) % 8 == 0;
  std::uint64_t index = begin;
  if (is_aligned) {
    const auto* const words = reinterpret_cast<const std::uint64_t*>(data);
    // Four loads are in flight together.
    for (; index + 3 * step < whole; index += 4 * step) {
      const std::uint64_t first = words[index];
      const std::uint64_t second = words[index + step];
      const std::uint64_t third = words[index + 2 * step];
      const std::uint64_t fourth = words[index + 3 * step];
      part.add_word(first, index + offset, bits);
      part.add_word(second, index + step + offset, bits);
      part.add_word(third, index + 2 * step + offset, bits);
      part.add_word(fourth, index + 3 * step + offset, bits);
    }
    for (; index < whole; index += step) part.add_word(words[index], index + offset, bits);
  }
  for (; index * 8 < bytes; index += step) {
    const std::uint64_t left = bytes - index * 8;
    std::uint64_t word = 0;
    for (std::uint32_t byte = 0; byte < 8 && byte < left; ++byte) {
      word |= static_cast<std::uint64_t>(data[index * 8 + byte]) << (8 * byte);
    }
    part.add_word(word, index + offset, bits);
  }
  return part;
}

/// How the kernel is launched: a block for each part.
inline constexpr std::uint32_t checksum_threads = 512;
inline constexpr std::uint32_t checksum_most_blocks = 128;

}  // namespace warpsafe::ranks
