// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/kernel_api.hpp>

#include <cstddef>

// One header that a device compiler and a host compiler both turn into kernels, in one program.

namespace side_by_side {

WARPSAFE_KERNEL void twice(float* values, std::size_t count) {
  for (const auto i : warpsafe::grid_stride(count)) values[i] *= 2.0F;
}

/// For one thread, since device-only code such as the index of a thread does not compile in a
/// function for both.
struct Thrice {
  WARPSAFE_FN void operator()(float* values, std::size_t count) const {
    for (std::size_t i = 0; i < count; ++i) values[i] *= 3.0F;
  }
};

}  // namespace side_by_side
