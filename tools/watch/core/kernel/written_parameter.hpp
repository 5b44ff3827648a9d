// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include "parameter_types.hpp"

#include <cstddef>
#include <string>

namespace warpsafe::watch {

/// No parameter.
inline constexpr std::size_t no_parameter = ~std::size_t{0};

/// The number of the parameter through which a kernel must write, by its mangled name, or
/// `no_parameter`: a kernel has no result, so where all it is given are numbers, pointers to const
/// and one other pointer, that one is what it writes. Where a parameter could hide a pointer, or
/// there are several, nothing is known.
[[nodiscard]] inline std::size_t written_parameter(const char* mangled) {
  std::size_t written = no_parameter;
  std::size_t number = 0;
  for (const std::string& type : parameter_types(mangled)) {
    // The handle of a surface, through which a kernel may write as well, is an unsigned long long.
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

}  // namespace warpsafe::watch
