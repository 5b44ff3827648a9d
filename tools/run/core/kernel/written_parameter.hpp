// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include "parameter_types.hpp"

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace warpsafe::watch {

/// Marks the absence of a parameter.
inline constexpr std::size_t no_parameter = ~std::size_t{0};

/// Returns the number of the parameter through which a kernel must write, judged by its mangled
/// name, or `no_parameter`. A kernel returns nothing. If its parameters are numbers, pointers to
/// const and one other pointer, it must write through that pointer. Nothing is known if a parameter
/// could hide a pointer, or if there are several other pointers.
[[nodiscard]] inline std::size_t written_parameter(const char* mangled) {
  std::size_t written = no_parameter;
  std::size_t number = 0;
  for (const std::string& type : parameter_types(mangled)) {
    // A surface handle, through which a kernel may write as well, is an unsigned long long.
    const bool is_number = number_bytes(type) != 0 && type != "unsigned long long";
    if (is_plain_pointer(type) && !is_const_pointer(type)) {
      if (written != no_parameter) return no_parameter;
      written = number;
    } else if (!is_number && !is_const_pointer(type)) {
      return no_parameter;
    }
    ++number;
  }
  return written;
}

/// Returns whether a kernel with parameters of these types may read where to write: it has a
/// pointer to constant integers.
[[nodiscard]] inline bool may_read_an_index(const std::vector<std::string>& types) {
  return std::any_of(types.begin(), types.end(), [](const std::string& type) {
    if (!is_const_pointer(type)) return false;
    const std::string_view of = std::string_view(type).substr(0, type.find(" const*"));
    return number_bytes(of) != 0 && of != "float" && of != "double";
  });
}

}  // namespace warpsafe::watch
