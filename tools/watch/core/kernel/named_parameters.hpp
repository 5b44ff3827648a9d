// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include "parameter_types.hpp"
#include "watched_kernel.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace warpsafe::watch {

/// Where a kernel's parameters lie, as far as its mangled name tells it, for a runtime that does
/// not: numbers and pointers, each at a multiple of its size. What may be a structure has no bytes,
/// and what follows one no offset (`no_offset`). Empty where the name tells nothing.
[[nodiscard]] inline std::vector<KernelParameter> named_parameters(const char* mangled) {
  std::vector<KernelParameter> found;
  std::size_t end = 0;
  for (const std::string& type : parameter_types(mangled)) {
    // Any pointer: what is not one of data never points into an allocation.
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
