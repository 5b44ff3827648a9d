// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <cstddef>
#include <cstdint>

namespace warpsafe::ranks {

/// The table of a code object that gives the line of each instruction, since Python 3.11. The
/// format is described in CPython's Objects/locations.md.
class PythonLineTable {
 public:
  PythonLineTable(const unsigned char* begin, std::size_t size) noexcept
      : next_(begin), end_(begin + size) {}

  /// The line of the instruction that is `offset` bytes behind the first one. `first`: the first
  /// line of the code object.
  [[nodiscard]] std::int32_t line_of(std::ptrdiff_t offset, std::int32_t first) noexcept {
    std::int32_t line = first;
    for (std::ptrdiff_t end = 0; next_ < end_ && end <= offset;) {
      const unsigned char head = byte();
      end += ((head & 7U) + 1) * 2;
      const unsigned kind = (head >> 3U) & 15U;
      if (kind == 13 || kind == 14) line += signed_number();
      if (kind >= 10 && kind <= 12) line += static_cast<std::int32_t>(kind) - 10;
      // The rest of an entry are columns. Only an entry's first byte has bit 7.
      while (next_ < end_ && (*next_ & 0x80U) == 0) ++next_;
    }
    return line;
  }

 private:
  unsigned char byte() noexcept { return next_ < end_ ? *next_++ : 0; }
  /// Six bits in each byte, the lowest first. Bit 6: another byte follows. The number's bit 0 is
  /// its sign.
  std::int32_t signed_number() noexcept {
    std::uint32_t number = 0;
    for (unsigned shift = 0; shift < 32; shift += 6) {
      const unsigned char part = byte();
      number |= (part & 63U) << shift;
      if ((part & 64U) == 0) break;
    }
    const auto magnitude = static_cast<std::int32_t>(number >> 1U);
    return (number & 1U) != 0 ? -magnitude : magnitude;
  }

  const unsigned char* next_;
  const unsigned char* end_;
};

}  // namespace warpsafe::ranks
