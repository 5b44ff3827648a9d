// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/core/cxx20.hpp>

#include <cstddef>
#include <cstdint>

namespace warpsafe::inline WARPSAFE_DETAIL_VERSION {

enum class AccessKind : std::uint8_t {
  read,
  write,     ///< or both, like a kernel that takes a `T*`
  allocate,  ///< the memory exists from here on
  release,   ///< the memory no longer exists
};

/// Memory that one operation accesses: contiguous bytes, or rows of bytes.
struct MemoryAccess {
  std::uintptr_t begin = 0;
  std::size_t bytes = 0;  ///< of each row; or `whole_allocation`
  AccessKind kind = AccessKind::read;
  std::size_t rows = 1;
  std::size_t pitch =
      0;  ///< bytes from the start of one row to the start of the next; at least `bytes`

  /// The whole allocation that holds `begin`, since a kernel may access all of it through a
  /// pointer.
  static constexpr std::size_t whole_allocation = ~std::size_t{0};

  /// The access to memory at an address of this process.
  [[nodiscard]] static MemoryAccess of(const void* address, std::size_t bytes, AccessKind kind,
                                       std::size_t rows = 1, std::size_t pitch = 0) noexcept {
    return {reinterpret_cast<std::uintptr_t>(address), bytes, kind, rows, pitch};
  }
  [[nodiscard]] const void* address() const noexcept {
    return reinterpret_cast<const void*>(begin);
  }
  [[nodiscard]] constexpr bool writes() const noexcept { return kind != AccessKind::read; }
  /// Bytes from the first to the last accessed one, including the gaps between rows.
  [[nodiscard]] constexpr std::size_t extent() const noexcept {
    return rows == 0 ? 0 : pitch * (rows - 1) + bytes;
  }
  [[nodiscard]] constexpr std::uintptr_t end() const noexcept { return begin + extent(); }

  /// Whether the access touches a byte of [from, to).
  [[nodiscard]] constexpr bool touches(std::uintptr_t from, std::uintptr_t to) const noexcept {
    if (bytes == 0 || rows == 0 || from >= to || to <= begin || from >= end()) return false;
    if (rows == 1) return true;
    // Of the rows that begin before `to`, the last one reaches furthest. There may be fewer rows,
    // but then the last of them reaches beyond `from`.
    const std::size_t row = (to - 1 - begin) / pitch;
    return begin + row * pitch + bytes > from;
  }
  /// Whether both accesses touch a common byte. Takes time proportional to the smaller number of
  /// rows.
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

}  // namespace warpsafe::inline WARPSAFE_DETAIL_VERSION
