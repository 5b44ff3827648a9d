// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/core/name.hpp>

#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <string>

namespace warpsafe::inline WARPSAFE_DETAIL_VERSION::debug {

/// One JSON object (RFC 8259), written field by field in the order of the calls. Bytes that are not
/// valid UTF-8 become U+FFFD, so that every reader accepts the text.
class JsonObject {
 public:
  JsonObject& add(const char* key, const std::string& text) {
    name(key);
    quote({text.data(), text.size()});
    return *this;
  }
  JsonObject& add(const char* key, Name text) {
    name(key);
    quote(text);
    return *this;
  }
  JsonObject& add(const char* key, const char* text) { return add(key, Name::of(text)); }
  JsonObject& add(const char* key, std::uint64_t number) {
    return raw(key, std::to_string(number));
  }
  JsonObject& add(const char* key, std::uint32_t number) {
    return raw(key, std::to_string(number));
  }
  JsonObject& add(const char* key, std::int32_t number) { return raw(key, std::to_string(number)); }
  JsonObject& add(const char* key, bool value) { return raw(key, value ? "true" : "false"); }
  /// Writes three decimals: microseconds, down to the nanosecond. Null if it is not a number or is
  /// infinite, which JSON cannot express.
  JsonObject& add(const char* key, double number) {
    if (!std::isfinite(number)) return raw(key, "null");
    char text[320];  // the largest has 309 digits before the point
    // Unlike printf, this does not ask the locale for the decimal point.
    char* const end =
        std::to_chars(text, text + sizeof text, number, std::chars_format::fixed, 3).ptr;
    return raw(key, std::string(text, end));
  }
  JsonObject& add(const char* key, const std::uint32_t (&axes)[3]) {
    return raw(key, '[' + std::to_string(axes[0]) + ',' + std::to_string(axes[1]) + ',' +
                        std::to_string(axes[2]) + ']');
  }
  /// Writes an address as text, because JSON readers do not keep 64-bit numbers exactly.
  JsonObject& add(const char* key, const void* address) {
    char text[32];
    std::snprintf(text, sizeof text, "0x%llx",
                  static_cast<unsigned long long>(reinterpret_cast<std::uintptr_t>(address)));
    return add(key, text);
  }
  JsonObject& add(const char* key, const JsonObject& object) { return raw(key, object.text()); }
  /// Adds a value that is JSON already.
  JsonObject& raw(const char* key, const std::string& value) {
    name(key);
    text_ += value;
    return *this;
  }
  /// The object on one line, without a newline.
  [[nodiscard]] std::string text() const { return text_ + '}'; }

 private:
  void name(const char* key) {
    if (text_.size() > 1) text_ += ',';
    quote(Name::of(key));
    text_ += ':';
  }
  void quote(Name text) {
    text_ += '"';
    for (std::size_t i = 0; i < text.size;) {
      const auto letter = static_cast<unsigned char>(text.data[i]);
      if (letter == '"' || letter == '\\') {
        text_ += '\\';
        text_ += text.data[i++];
      } else if (letter < 0x20 || letter == 0x7f) {
        char escaped[8];
        std::snprintf(escaped, sizeof escaped, "\\u%04x", static_cast<unsigned>(letter));
        text_ += escaped;
        ++i;
      } else if (const std::size_t size = sequence(text, i); size != 0) {
        text_.append(text.data + i, size);
        i += size;
      } else {
        text_ += "\\ufffd";
        ++i;
      }
    }
    text_ += '"';
  }
  /// The length in bytes of the character at `at`, or 0 if it is not valid UTF-8 (RFC 3629, section
  /// 4).
  [[nodiscard]] static std::size_t sequence(Name text, std::size_t at) noexcept {
    const auto byte = [&](std::size_t i) -> unsigned {
      return i < text.size ? static_cast<unsigned char>(text.data[i]) : 0U;
    };
    const unsigned first = byte(at);
    if (first < 0x80) return 1;
    const std::size_t size = first >= 0xc2 && first < 0xe0   ? 2
                             : first >= 0xe0 && first < 0xf0 ? 3
                             : first >= 0xf0 && first < 0xf5 ? 4
                                                             : 0;
    for (std::size_t i = 1; i < size; ++i) {
      if ((byte(at + i) & 0xc0U) != 0x80) return 0;
    }
    const unsigned second = byte(at + 1);
    const bool overlong = (first == 0xe0 && second < 0xa0) || (first == 0xf0 && second < 0x90);
    const bool beyond = (first == 0xed && second > 0x9f) || (first == 0xf4 && second > 0x8f);
    return overlong || beyond ? 0 : size;
  }

  std::string text_ = "{";
};

namespace detail {

[[nodiscard]] inline double microseconds(std::uint64_t nanoseconds) noexcept {
  return static_cast<double>(nanoseconds) / 1000;
}

}  // namespace detail

}  // namespace warpsafe::inline WARPSAFE_DETAIL_VERSION::debug
