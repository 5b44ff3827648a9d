// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

#include "kernels.hpp"

WARPSAFE_KERNEL_EXTERN void scale_kernel(float factor, float* x, std::size_t n) {
  for (auto i : warpsafe::grid_stride(n)) x[i] *= factor;
}
