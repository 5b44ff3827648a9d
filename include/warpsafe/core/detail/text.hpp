// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/core/detail/without_cancel.hpp>
#include <warpsafe/core/name.hpp>

#include <unistd.h>

#include <cstddef>
#include <cstdint>

namespace warpsafe::inline WARPSAFE_DETAIL_VERSION::detail {

/// Writes a text to standard error. Every file that launches includes this header, and <cstdio>
/// would cost it more than <unistd.h>, which Outcome includes already.
[[WARPSAFE_DETAIL_RARE]] inline void write_stderr(Name text) noexcept {
  const WithoutCancel whole;
  // There is nowhere to report that standard error takes no text.
  [[maybe_unused]] const auto written = ::write(STDERR_FILENO, text.data, text.size);
}

/// Writes text into a fixed buffer. Text that does not fit is dropped, and the result always ends
/// in '\0'. Messages, log lines and exceptions use it. It needs neither <string> nor allocation.
/// Control characters become \xNN, except tabs and ends of lines: names and values from outside of
/// the program would otherwise reach the user's terminal as commands.
class TextBuffer {
 public:
  /// `capacity` is in bytes, includes the final '\0', and is at least 1.
  constexpr TextBuffer(char* buffer, std::size_t capacity) noexcept
      : begin_(buffer), capacity_(capacity) {
    begin_[0] = '\0';
  }
  [[nodiscard]] constexpr std::size_t size() const noexcept { return size_; }
  [[nodiscard]] constexpr std::size_t capacity() const noexcept { return capacity_; }

  /// Whether a letter that follows `previous` is a control character and must be escaped. In UTF-8,
  /// the control characters from 0x80 on are the byte 0xc2 and a byte below 0xa0.
  [[nodiscard]] static constexpr bool is_control(char previous, char letter) noexcept {
    const auto byte = static_cast<unsigned char>(letter);
    if (byte < 0x20) return letter != '\n' && letter != '\t';
    return byte == 0x7f || (byte >= 0x80 && byte < 0xa0 && previous == '\xc2');
  }
  constexpr TextBuffer& operator<<(char letter) noexcept {
    if (is_control(size_ == 0 ? '\0' : begin_[size_ - 1], letter)) [[unlikely]]
      return escape(letter);
    if (size_ + 1 < capacity_) {
      begin_[size_++] = letter;
      begin_[size_] = '\0';
    }
    return *this;
  }
  /// Escapes ends of lines and tabs too: a value from outside cannot forge a line of a log.
  constexpr TextBuffer& one_line(Name value) noexcept {
    for (std::size_t i = 0; i < value.size; ++i) {
      const char letter = value.data[i];
      letter == '\n' || letter == '\t' ? escape(letter) : *this << letter;
    }
    return *this;
  }
  /// Writes a character as \xNN.
  [[gnu::noinline]] constexpr TextBuffer& escape(char letter) noexcept {
    // Removes the 0xc2 before it.
    if (static_cast<unsigned char>(letter) >= 0x80) begin_[--size_] = '\0';
    const auto byte = static_cast<unsigned char>(letter);
    return *this << '\\' << 'x' << "0123456789abcdef"[byte / 16] << "0123456789abcdef"[byte % 16];
  }
  constexpr TextBuffer& operator<<(const char* text) noexcept { return *this << Name::of(text); }
  [[gnu::noinline]] constexpr TextBuffer& operator<<(Name text) noexcept {
    for (std::size_t i = 0; i < text.size; ++i) *this << text.data[i];
    return *this;
  }
  constexpr TextBuffer& operator<<(std::uint64_t number) noexcept { return digits(number, 10); }
  constexpr TextBuffer& operator<<(std::uint32_t number) noexcept { return digits(number, 10); }
  constexpr TextBuffer& operator<<(std::int32_t number) noexcept {
    return *this << static_cast<std::int64_t>(number);
  }
  constexpr TextBuffer& operator<<(std::int64_t number) noexcept {
    if (number < 0) {
      *this << '-';
      return digits(~static_cast<std::uint64_t>(number) + 1, 10);
    }
    return digits(static_cast<std::uint64_t>(number), 10);
  }
  /// An address, written as 0x….
  TextBuffer& operator<<(const void* address) noexcept {
    *this << "0x";
    return digits(reinterpret_cast<std::uintptr_t>(address), 16);
  }
  /// Three axes, written as (x,y,z).
  constexpr TextBuffer& operator<<(const std::uint32_t (&axes)[3]) noexcept {
    return *this << '(' << axes[0] << ',' << axes[1] << ',' << axes[2] << ')';
  }
  /// A source line, written as file:line without folders. @pre site.file is not nullptr
  constexpr TextBuffer& operator<<(const call_site& site) noexcept {
    const Name file = Name::of(site.file);
    std::size_t start = file.size;
    while (start != 0 && file.data[start - 1] != '/') --start;
    return *this << Name{file.data + start, file.size - start} << ':' << site.line;
  }

 private:
  [[gnu::noinline]] constexpr TextBuffer& digits(std::uint64_t number, unsigned base) noexcept {
    char reversed[20] = {};
    unsigned count = 0;
    do {
      reversed[count++] = "0123456789abcdef"[number % base];
      number /= base;
    } while (number != 0);
    while (count != 0) *this << reversed[--count];
    return *this;
  }

  char* begin_;
  std::size_t capacity_;
  std::size_t size_ = 0;
};

}  // namespace warpsafe::inline WARPSAFE_DETAIL_VERSION::detail
