// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace warpsafe::watch {

/// Measures how long a mangled name (Itanium C++ ABI, "Mangling") is in its source, without making
/// that text: each part that repeats an earlier one may double it. The result is at least the
/// length, and at most a few times as much.
class MangledSize {
 public:
  /// Nothing for a name with parts that are not measured: expressions, lambdas, local names.
  [[nodiscard]] static std::optional<std::uint64_t> of(std::string_view mangled) {
    MangledSize reader(mangled);
    if (!reader.take('_') || !reader.take('Z')) return std::nullopt;
    reader.encoding();
    return reader.is_good_ ? std::optional(reader.size_) : std::nullopt;
  }

 private:
  using Size = std::uint64_t;
  static constexpr Size most = Size{1} << 40U;
  static constexpr int most_depth = 200;
  static constexpr Size punctuation = 16;  ///< "::", ", ", "(anonymous namespace)"
  static constexpr Size longest_word = 24;

  explicit MangledSize(std::string_view mangled) : text_(mangled) {}

  [[nodiscard]] char peek(std::size_t ahead = 0) const {
    return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0';
  }
  [[nodiscard]] bool take(char letter) {
    if (peek() != letter) return false;
    ++at_;
    return true;
  }
  [[nodiscard]] static bool is_digit(char one) { return one >= '0' && one <= '9'; }
  [[nodiscard]] static bool is_small(char one) { return one >= 'a' && one <= 'z'; }
  [[nodiscard]] static Size sum(Size a, Size b) { return a + b < most ? a + b : most; }
  /// Also ends each loop, because nothing follows.
  Size stop() {
    is_good_ = false;
    at_ = text_.size();
    return 0;
  }
  Size candidate(Size size) {
    parts_.push_back(size);
    return size;
  }

  void encoding() {
    size_ = name();
    arguments_ = size_;
    while (is_good_ && at_ < text_.size() && peek() != '.')
      size_ = sum(size_, sum(type(), punctuation));
  }
  Size source_name() {
    std::size_t length = 0;
    while (is_digit(peek()) && length < text_.size()) {
      length = length * 10 + static_cast<std::size_t>(text_[at_++] - '0');
    }
    if (length == 0 || length > text_.size() - at_) return stop();
    at_ += length;
    return length + punctuation;
  }
  /// A name; of a class, it is no candidate yet.
  Size name() {
    if (peek() == 'N') return nested_name();
    if (peek() == 'S' && peek(1) != 't') {
      const Size part = repeated();
      return peek() == 'I' ? sum(part, arguments()) : stop();
    }
    Size size = 0;
    if (peek() == 'S') {
      at_ += 2;
      size = punctuation + 3;
    }
    size = sum(size, source_name());
    return peek() == 'I' ? sum(candidate(size), arguments()) : size;
  }
  Size nested_name() {
    if (++depth_ > most_depth) return stop();
    ++at_;
    while (peek() == 'r' || peek() == 'V' || peek() == 'K' || peek() == 'R' || peek() == 'O') ++at_;
    Size size = 0;
    while (is_good_ && !take('E')) {
      bool is_new = true;
      if (peek() == 'S') {
        is_new = false;
        if (peek(1) == 't') {
          at_ += 2;
          size = sum(size, punctuation);
        } else {
          size = sum(size, repeated());
        }
      } else if (peek() == 'T') {
        size = sum(size, argument_of_template());
      } else if (peek() == 'I') {
        size = sum(size, arguments());
      } else if (is_digit(peek())) {
        size = sum(size, source_name());
      } else if ((peek() == 'C' || peek() == 'D') && is_digit(peek(1))) {
        at_ += 2;
        size = sum(size, size);
      } else if (is_small(peek()) && is_small(peek(1)) && !(peek() == 'c' && peek(1) == 'v')) {
        at_ += 2;
        size = sum(size, longest_word);
      } else {
        stop();
      }
      if (is_new && peek() != 'E') candidate(size);
    }
    --depth_;
    return size;
  }
  /// "S_", "S0_", "Sa": an earlier part, or one of the standard library's classes.
  Size repeated() {
    ++at_;
    if (is_small(peek())) {
      ++at_;
      return 4 * longest_word;
    }
    std::size_t number = 0;
    if (peek() != '_') {
      while (peek() != '_' && number < text_.size()) {
        const char one = peek();
        const bool is_letter = one >= 'A' && one <= 'Z';
        if (!is_letter && !is_digit(one)) return stop();
        number = number * 36 + static_cast<std::size_t>(is_letter ? one - 'A' + 10 : one - '0');
        ++at_;
      }
      ++number;
    }
    return take('_') && number < parts_.size() ? parts_[number] : stop();
  }
  /// "T_", "T0_": at most all of them.
  Size argument_of_template() {
    ++at_;
    while (is_digit(peek())) ++at_;
    return take('_') ? sum(arguments_, punctuation) : stop();
  }
  Size arguments() {
    if (++depth_ > most_depth) return stop();
    ++at_;
    Size size = punctuation;
    while (is_good_ && !take('E')) {
      if (peek() == 'I' || peek() == 'J') {
        size = sum(size, arguments());
      } else if (take('L')) {
        size = sum(size, sum(peek() == '_' ? stop() : type(), longest_word));
        while (is_digit(peek()) || peek() == 'n') ++at_;
        if (!take('E')) stop();
      } else {
        size = sum(size, sum(type(), punctuation));
      }
    }
    --depth_;
    return size;
  }
  Size type() {
    if (++depth_ > most_depth) return stop();
    const Size size = type_here();
    --depth_;
    return size;
  }
  Size type_here() {
    const char one = peek();
    if (one == 'r' || one == 'V' || one == 'K') {
      while (peek() == 'r' || peek() == 'V' || peek() == 'K') ++at_;
      return candidate(sum(type(), longest_word));
    }
    switch (one) {
      case 'P':
      case 'R':
      case 'O':
      case 'C':
      case 'G':
        ++at_;
        return candidate(sum(type(), longest_word));
      case 'F': {
        ++at_;
        Size size = punctuation;
        while (is_good_ && !take('E')) size = sum(size, sum(type(), punctuation));
        return candidate(size);
      }
      case 'A':
        ++at_;
        while (is_digit(peek())) ++at_;
        return take('_') ? candidate(sum(type(), longest_word)) : stop();
      case 'M': {
        ++at_;
        const Size of = type();
        return candidate(sum(of, sum(type(), punctuation)));
      }
      case 'T': {
        const Size size = argument_of_template();
        if (peek() != 'I') return candidate(size);
        candidate(size);
        return candidate(sum(size, arguments()));
      }
      case 'S': {
        if (peek(1) == 't') return candidate(name());
        const bool is_class = is_small(peek(1));
        const Size size = repeated();
        if (peek() == 'I') return candidate(sum(is_class ? candidate(size) : size, arguments()));
        return size;
      }
      case 'D':
        if (peek(1) == 'p') {
          at_ += 2;
          return candidate(sum(type(), punctuation));
        }
        if (!is_small(peek(1)) || peek(1) == 't' || peek(1) == 'v') return stop();
        at_ += 2;
        return longest_word;
      case 'u':
        ++at_;
        return candidate(source_name());
      case 'N':
        return candidate(nested_name());
      default:
        if (is_digit(one)) return candidate(name());
        if (!is_small(one)) return stop();
        ++at_;
        return longest_word;
    }
  }

  std::string_view text_;
  std::size_t at_ = 0;
  bool is_good_ = true;
  int depth_ = 0;
  Size size_ = 0;
  Size arguments_ = longest_word;  ///< of the function's template
  std::vector<Size> parts_;        ///< that later ones can repeat, with their sizes
};

}  // namespace warpsafe::watch
