// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace warpsafe::watch {

/// Reads a part of a section of DWARF, such as .debug_line, and nothing beyond its
/// end: there each value is 0, and the reader has failed.
class DwarfBytes {
 public:
  DwarfBytes(const unsigned char* begin, std::size_t size) noexcept
      : next_(begin), end_(begin + size) {}

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

 private:
  void fail() noexcept {
    has_failed_ = true;
    next_ = end_;
  }

  const unsigned char* next_;
  const unsigned char* end_;
  bool has_failed_ = false;
};

}  // namespace warpsafe::watch
