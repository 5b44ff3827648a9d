// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/backend/kernel_entry.hpp>
#include <warpsafe/core/detail/text.hpp>
#include <warpsafe/core/element_type.hpp>
#include <warpsafe/core/name.hpp>

#include <cxxabi.h>

#include <cstddef>
#include <cstdlib>
#include <cstring>

// The kernels of an image and the most likely intended one, as text for an error.

namespace warpsafe::inline WARPSAFE_DETAIL_VERSION::detail {

/// The Levenshtein distance: how many letters to insert, drop or replace to turn one name into the
/// other. Letters after the 255th are ignored.
[[nodiscard]] inline std::size_t edit_distance(Name a, Name b) noexcept {
  constexpr std::size_t most = 255;
  const std::size_t rows = a.size < most ? a.size : most;
  const std::size_t columns = b.size < most ? b.size : most;
  std::size_t row[most + 1];
  for (std::size_t j = 0; j <= columns; ++j) row[j] = j;
  for (std::size_t i = 1; i <= rows; ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= columns; ++j) {
      const std::size_t above = row[j];
      std::size_t best = diagonal + (a.data[i - 1] == b.data[j - 1] ? 0 : 1);
      if (above < best) best = above + 1;
      if (row[j - 1] < best) best = row[j - 1] + 1;
      diagonal = above;
      row[j] = best;
    }
  }
  return row[columns];
}

/// How many earlier parts of itself a mangled name repeats: "S_", "S0_", "SA1_".
[[nodiscard]] inline std::size_t repeated_parts(Name mangled) noexcept {
  std::size_t found = 0;
  for (std::size_t i = 0; i < mangled.size; ++i) {
    if (mangled.data[i] != 'S') continue;
    std::size_t end = i + 1;
    while (end < mangled.size && ((mangled.data[end] >= '0' && mangled.data[end] <= '9') ||
                                  (mangled.data[end] >= 'A' && mangled.data[end] <= 'Z'))) {
      ++end;
    }
    if (end < mangled.size && mangled.data[end] == '_') ++found;
  }
  return found;
}

/// A demangled C++ name, "scale<float>(float*, int)"; empty for a name that is not mangled, and for
/// one that could fill the memory: each repeated part may multiply the length of a name.
class Demangled {
 public:
  explicit Demangled(Name mangled) noexcept {
    char terminated[1024];
    // "f" is a name that needs no mangling, and not float.
    if (mangled.empty() || mangled.size >= sizeof terminated || mangled.data[0] != '_') return;
    if (repeated_parts(mangled) > most_repeated) return;
    std::memcpy(terminated, mangled.data, mangled.size);
    terminated[mangled.size] = '\0';
    int status = 0;
    text_ = abi::__cxa_demangle(terminated, nullptr, nullptr, &status);
  }
  Demangled(const Demangled&) = delete;
  Demangled& operator=(const Demangled&) = delete;
  ~Demangled() { std::free(text_); }
  [[nodiscard]] Name whole() const noexcept { return Name::of(text_); }
  /// Without parameters, template arguments and namespaces: "scale".
  [[nodiscard]] Name base() const noexcept {
    Name name = whole();
    // "app::(anonymous namespace)::scale": a bracket with no name before it is a namespace.
    for (std::size_t i = 1; i < name.size; ++i) {
      if (name.data[i - 1] == ' ' || name.data[i - 1] == ':') continue;
      if (name.data[i] == '(' || name.data[i] == '<') name.size = i;
    }
    // The return type precedes a template's name ("void scale<float>"), and a namespace any name
    // ("app::scale").
    for (std::size_t i = name.size; i != 0; --i) {
      if (name.data[i - 1] != ' ' && name.data[i - 1] != ':') continue;
      return {name.data + i, name.size - i};
    }
    return name;
  }

 private:
  /// 36 repeated parts make at most some megabytes (12 levels of function types of three).
  static constexpr std::size_t most_repeated = 36;
  char* text_ = nullptr;
};

/// Reads the types of a kernel's parameters from its mangled name (Itanium C++ ABI). Only numbers,
/// pointers and classes without template arguments; it stops at anything else.
class MangledParameters {
 public:
  explicit MangledParameters(Name mangled) noexcept : at_(mangled.data), left_(mangled.size) {
    if (!take('_') || !take('Z')) {
      stop();
    } else if (!take('N')) {
      static_cast<void>(skip_name());
    } else {
      for (std::size_t names = 0; !take('E') && skip_name(); ++names) {
        if (names != 0) remember({});  // the enclosing namespace
      }
    }
  }
  /// The next parameter. Returns false if it is unknown, and from then on. Sets no size.
  [[nodiscard]] bool next(ParameterInfo& parameter) noexcept {
    parameter = {};
    if (take('S')) return take_again(parameter);
    parameter.is_pointer = take('P');
    parameter.writes = parameter.is_pointer && !take('K');
    const bool is_class = at_digit();
    if (is_class ? !skip_name() : !take_number(parameter.element)) return false;
    if (is_class) remember({});
    if (parameter.is_pointer && !parameter.writes) remember({});  // the const type
    if (parameter.is_pointer) remember(parameter);
    return true;
  }

 private:
  static constexpr std::size_t most = 11;  ///< types that have numbers here: S_, S0_ to S9_

  void stop() noexcept { left_ = 0; }
  [[nodiscard]] bool at_digit() const noexcept { return left_ != 0 && *at_ >= '0' && *at_ <= '9'; }
  [[nodiscard]] bool take(char letter) noexcept {
    if (left_ == 0 || *at_ != letter) return false;
    ++at_;
    --left_;
    return true;
  }
  /// "5scale"; "L5scale" for a static function.
  [[nodiscard]] bool skip_name() noexcept {
    static_cast<void>(take('L'));
    std::size_t length = 0;
    for (; at_digit() && length <= left_; ++at_, --left_) {
      length = 10 * length + static_cast<std::size_t>(*at_ - '0');
    }
    if (length == 0 || length > left_) {
      stop();
      return false;
    }
    at_ += length;
    left_ -= length;
    return true;
  }
  [[nodiscard]] bool take_number(ElementType& element) noexcept {
    constexpr Name letters = Name::of("vbcahstijlmxyfd");
    constexpr ElementType types[] = {
        ElementType::bytes,  ElementType::boolean, ElementType::int8,   ElementType::int8,
        ElementType::uint8,  ElementType::int16,   ElementType::uint16, ElementType::int32,
        ElementType::uint32, ElementType::int64,   ElementType::uint64, ElementType::int64,
        ElementType::uint64, ElementType::float32, ElementType::float64};
    for (std::size_t i = 0; i < letters.size; ++i) {
      if (!take(letters.data[i])) continue;
      element = types[i];
      return true;
    }
    stop();
    return false;
  }
  void remember(const ParameterInfo& type) noexcept {
    if (count_ < most) types_[count_] = type;
    ++count_;
  }
  /// "S_", "S0_": a type that the name has had.
  [[nodiscard]] bool take_again(ParameterInfo& parameter) noexcept {
    std::size_t number = 0;
    if (at_digit()) {
      number = static_cast<std::size_t>(*at_ - '0') + 1;
      ++at_;
      --left_;
    }
    if (!take('_') || !types_[number].is_pointer) {  // a type that the name has not had is none
      stop();
      return false;
    }
    parameter = types_[number];
    return true;
  }

  const char* at_;
  std::size_t left_;
  std::size_t count_ = 0;
  ParameterInfo types_[most] = {};
};

/// Collects the names in an image, and writes the closest one and the list.
class KernelNames {
 public:
  explicit KernelNames(Name wanted) noexcept : wanted_(wanted) {}

  void add(Name name) noexcept {
    ++count_;
    if (listed_.size() + name.size + 2 < room) {
      if (shown_ != 0) listed_ << ", ";
      listed_.one_line(name);
      ++shown_;
    }
    const Demangled demangled(name);
    std::size_t distance = edit_distance(wanted_, name);
    if (!demangled.base().empty()) {
      const std::size_t by_base = edit_distance(wanted_, demangled.base());
      if (by_base < distance) distance = by_base;
    }
    if (count_ != 1 && distance >= best_) return;
    best_ = distance;
    // Up to two letters of five may differ, for example two swapped letters.
    close_ = 5 * distance <= 2 * wanted_.size;
    closest_ = TextBuffer(closest_text_, room);
    closest_.one_line(name) << '\'';
    if (demangled.whole().empty()) return;
    closest_ << " (";
    closest_.one_line(demangled.whole()) << ')';
  }
  /// Writes "did you mean 'axpy'? It holds: axpy, scale".
  void put(TextBuffer& out) const noexcept {
    if (count_ == 0) {
      out << "it holds no kernels";
      return;
    }
    if (close_) {
      out << "did you mean '" << Name::of(closest_text_) << "? It holds: ";
    } else {
      out << "it holds: ";
    }
    out << Name::of(listed_text_);
    if (shown_ < count_) out << ", and " << count_ - shown_ << " more";
  }

 private:
  static constexpr std::size_t room = 1024;
  Name wanted_;
  std::size_t count_ = 0;
  std::size_t shown_ = 0;
  std::size_t best_ = 0;
  bool close_ = false;
  char listed_text_[room];
  char closest_text_[room];
  TextBuffer listed_{listed_text_, room};
  TextBuffer closest_{closest_text_, room};
};

}  // namespace warpsafe::inline WARPSAFE_DETAIL_VERSION::detail
