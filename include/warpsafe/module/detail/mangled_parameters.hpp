// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/backend/kernel_entry.hpp>
#include <warpsafe/core/element_type.hpp>
#include <warpsafe/core/name.hpp>

#include <cstddef>

// The parameters of a module's kernel, where only its mangled name tells them.

namespace warpsafe::inline WARPSAFE_DETAIL_VERSION::detail {

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

}  // namespace warpsafe::inline WARPSAFE_DETAIL_VERSION::detail
