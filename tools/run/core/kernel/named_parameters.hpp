// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include "parameter_types.hpp"
#include "watched_kernel.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace warpsafe::watch {

/// Derives the layout of a kernel's parameters from its mangled name, for a runtime that does not
/// report it. Numbers and pointers are aligned to their size. A parameter that may be a structure
/// has size 0, and the parameters after it have no offset (`no_offset`). Returns an empty list if
/// the name shows no parameters.
[[nodiscard]] inline std::vector<KernelParameter> named_parameters(const char* mangled) {
  std::vector<KernelParameter> found;
  std::size_t end = 0;
  for (const std::string& type : parameter_types(mangled)) {
    // Any kind of pointer: a pointer to a function never points into an allocation.
    const std::size_t bytes = type.back() == '*' ? sizeof(void*) : number_bytes(type);
    if (bytes == 0) end = no_offset;
    const bool known = end != no_offset;
    const std::size_t offset = known ? (end + bytes - 1) / bytes * bytes : no_offset;
    found.push_back({offset, bytes});
    if (known) end = offset + bytes;
  }
  return found;
}

}  // namespace warpsafe::watch
