// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace warpsafe::ranks {

/// Reads a part of a section of DWARF, such as .eh_frame or .debug_line, and nothing beyond its
/// end: there each value is 0, and the reader has failed.
class DwarfBytes {
 public:
  DwarfBytes(const unsigned char* begin, std::size_t size) noexcept
      : next_(begin), end_(begin + size) {}
  /// An entry, without the length before it. The form with 64 bits is not read.
  [[nodiscard]] static DwarfBytes of_entry(const unsigned char* entry) noexcept {
    std::uint32_t size = 0;
    std::memcpy(&size, entry, sizeof size);
    return {entry + sizeof size, size == 0xffffffffU ? 0 : size};
  }

  [[nodiscard]] const unsigned char* position() const noexcept { return next_; }
  [[nodiscard]] bool is_at_end() const noexcept { return next_ == end_; }
  [[nodiscard]] bool has_failed() const noexcept { return has_failed_; }

  template <class T>
  T take() noexcept {
    T value{};
    if (static_cast<std::size_t>(end_ - next_) < sizeof value) {
      fail();
    } else {
      std::memcpy(&value, next_, sizeof value);
      next_ += sizeof value;
    }
    return value;
  }
  void skip(std::uint64_t size) noexcept {
    if (static_cast<std::uint64_t>(end_ - next_) < size) return fail();
    next_ += size;
  }
  /// The next bytes, which are left out here.
  DwarfBytes part(std::uint64_t size) noexcept {
    const unsigned char* const begin = next_;
    skip(size);
    return {begin, static_cast<std::size_t>(next_ - begin)};
  }
  /// A text up to its null byte, or to the end.
  std::string_view text() noexcept {
    const auto* const begin = reinterpret_cast<const char*>(next_);
    while (take<char>() != '\0') continue;
    const auto size = static_cast<std::size_t>(reinterpret_cast<const char*>(next_) - begin);
    return {begin, has_failed_ || size == 0 ? size : size - 1};
  }
  std::uint64_t unsigned_leb() noexcept {
    std::uint64_t value = 0;
    for (unsigned shift = 0;; shift += 7) {
      const auto byte = take<std::uint8_t>();
      if (shift < 64) value |= std::uint64_t{byte & 0x7fU} << shift;
      if ((byte & 0x80U) == 0) return value;
    }
  }
  std::int64_t signed_leb() noexcept {
    std::uint64_t value = 0;
    for (unsigned shift = 0;;) {
      const auto byte = take<std::uint8_t>();
      if (shift < 64) value |= std::uint64_t{byte & 0x7fU} << shift;
      shift += 7;
      if ((byte & 0x80U) != 0) continue;
      if (shift < 64 && (byte & 0x40U) != 0) value |= ~std::uint64_t{0} << shift;
      return static_cast<std::int64_t>(value);
    }
  }
  /// An address (DW_EH_PE): 8 bytes, or 4 with or without sign; absolute, or from its own place.
  std::uintptr_t address(unsigned encoding) noexcept {
    const auto here = reinterpret_cast<std::uintptr_t>(next_);
    std::uintptr_t value = 0;
    switch (encoding & 0x0fU) {
      case 0x00:
      case 0x04:
      case 0x0c:
        value = take<std::uint64_t>();
        break;
      case 0x03:
        value = take<std::uint32_t>();
        break;
      case 0x0b:
        value = static_cast<std::uintptr_t>(std::int64_t{take<std::int32_t>()});
        break;
      default:
        fail();
    }
    if ((encoding & 0xf0U) == 0x10) return value + here;
    if ((encoding & 0xf0U) != 0) fail();
    return value;
  }

 private:
  void fail() noexcept {
    has_failed_ = true;
    next_ = end_;
  }

  const unsigned char* next_;
  const unsigned char* end_;
  bool has_failed_ = false;
};

}  // namespace warpsafe::ranks
