// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include "mangled_size.hpp"

#include <cxxabi.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>

namespace warpsafe::watch {

/// Returns how many earlier parts of itself a mangled name repeats ("S_", "S0_", "SA1_") or takes
/// from its template arguments ("T_", "T0_"). Letters of a function's own name may count as well.
[[nodiscard]] inline std::size_t repeated_parts(std::string_view mangled) noexcept {
  const auto is_digit = [](char one) {
    return (one >= '0' && one <= '9') || (one >= 'A' && one <= 'Z');
  };
  std::size_t found = 0;
  for (std::size_t i = 0; i < mangled.size(); ++i) {
    if (mangled[i] != 'S' && mangled[i] != 'T') continue;
    std::size_t end = i + 1;
    while (end < mangled.size() && is_digit(mangled[end])) ++end;
    if (end < mangled.size() && mangled[end] == '_') ++found;
  }
  return found;
}

/// Returns a C++ name as in its source, with its parameters; "" for a name that is not mangled, and
/// for one that could fill the memory. Each repeated part may multiply the length of a name: 250
/// letters can stand for a gigabyte.
[[nodiscard]] inline std::string demangled(const char* mangled) {
  constexpr std::uint64_t most_letters = std::uint64_t{1} << 20U;
  // Of a name that is not measured. At most some megabytes: 12 levels of templates with three equal
  // arguments.
  constexpr std::size_t most_repeated = 36;
  if (mangled == nullptr) return {};
  const std::optional<std::uint64_t> size = MangledSize::of(mangled);
  if (size.has_value() ? *size > most_letters : repeated_parts(mangled) > most_repeated) return {};
  int status = 0;
  char* const text = abi::__cxa_demangle(mangled, nullptr, nullptr, &status);
  std::string name = text != nullptr && status == 0 ? text : "";
  std::free(text);
  return name;
}

}  // namespace warpsafe::watch
