// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <cstddef>
#include <cstdint>

namespace warpsafe::debug {

enum class AccessKind : std::uint8_t {
  read,
  write,     ///< or both: what a kernel does through a `T*`
  allocate,  ///< the memory is there from here on
  release,   ///< and until here
};

/// Memory that one piece of work touches: bytes in a row, or rows of them.
struct MemoryAccess {
  std::uintptr_t begin = 0;
  std::size_t bytes = 0;  ///< of each row; or `whole_allocation`
  AccessKind kind = AccessKind::read;
  std::size_t rows = 1;
  std::size_t pitch = 0;  ///< bytes from the begin of a row to that of the next; at least `bytes`

  /// All of the allocation that holds `begin`: what a kernel may reach through a pointer.
  static constexpr std::size_t whole_allocation = ~std::size_t{0};

  /// From the first byte to the last, what is between the rows included.
  [[nodiscard]] constexpr std::size_t extent() const noexcept {
    return rows <= 1 ? bytes : pitch * (rows - 1) + bytes;
  }
  [[nodiscard]] constexpr std::uintptr_t end() const noexcept { return begin + extent(); }

  /// Whether some byte of [from, to) is touched.
  [[nodiscard]] constexpr bool touches(std::uintptr_t from, std::uintptr_t to) const noexcept {
    if (from >= to || to <= begin || from >= end()) return false;
    if (rows <= 1) return bytes != 0;
    // The last row that begins before `to` reaches furthest.
    std::size_t row = (to - 1 - begin) / pitch;
    if (row >= rows) row = rows - 1;
    return begin + row * pitch + bytes > from;
  }
  /// Whether some byte is touched by both. Looks at each row of the one that has fewer.
  [[nodiscard]] constexpr bool overlaps(const MemoryAccess& other) const noexcept {
    if (other.rows < rows) return other.overlaps(*this);
    for (std::size_t row = 0; row < rows; ++row) {
      const std::uintptr_t from = begin + row * pitch;
      if (other.touches(from, from + bytes)) return true;
    }
    return false;
  }
  friend constexpr bool operator==(const MemoryAccess&, const MemoryAccess&) noexcept = default;
};

}  // namespace warpsafe::debug
