// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace warpsafe::ranks {

/// One line of a process' file of names: a JSON object.
class JsonLine {
 public:
  JsonLine& add(std::string_view name, std::string_view value) {
    begin(name) += '"';
    for (const char letter : value) {
      const auto code = static_cast<unsigned char>(letter);
      if (letter == '"' || letter == '\\') text_ += '\\';
      if (code < 0x20U) {
        static constexpr char digits[] = "0123456789abcdef";
        text_ += "\\u00";
        text_ += digits[code >> 4U];
        text_ += digits[code & 15U];
      } else {
        text_ += letter;
      }
    }
    text_ += '"';
    return *this;
  }
  JsonLine& add(std::string_view name, std::int64_t value) {
    begin(name) += std::to_string(value);
    return *this;
  }
  /// A list of texts that need no escapes.
  template <std::size_t N>
  JsonLine& add(std::string_view name, const char* const (&values)[N]) {
    begin(name) += '[';
    for (std::size_t i = 0; i < N; ++i) (text_ += i == 0 ? "\"" : ",\"").append(values[i]) += '"';
    text_ += ']';
    return *this;
  }
  [[nodiscard]] std::string line() const { return text_ + "}\n"; }

 private:
  std::string& begin(std::string_view name) {
    return ((text_ += text_.empty() ? "{\"" : ",\"") += name) += "\":";
  }
  std::string text_;
};

}  // namespace warpsafe::ranks
