// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <new>

// nvcc gives host code min and max of CUDA's own, and clang gives them to device code alone. Only
// declared: nothing is run.
#define WARPSAFE_LINT_MIN_MAX(result, first, second) \
  __attribute__((host)) result min(first, second);   \
  __attribute__((host)) result max(first, second);
#define WARPSAFE_LINT_INTEGERS(type)                                 \
  WARPSAFE_LINT_MIN_MAX(type, type, type)                            \
  WARPSAFE_LINT_MIN_MAX(unsigned type, unsigned type, unsigned type) \
  WARPSAFE_LINT_MIN_MAX(unsigned type, type, unsigned type)          \
  WARPSAFE_LINT_MIN_MAX(unsigned type, unsigned type, type)
WARPSAFE_LINT_INTEGERS(int)
WARPSAFE_LINT_INTEGERS(long)
WARPSAFE_LINT_INTEGERS(long long)
WARPSAFE_LINT_MIN_MAX(float, float, float)
WARPSAFE_LINT_MIN_MAX(double, double, double)
WARPSAFE_LINT_MIN_MAX(double, float, double)
WARPSAFE_LINT_MIN_MAX(double, double, float)
#undef WARPSAFE_LINT_INTEGERS
#undef WARPSAFE_LINT_MIN_MAX
