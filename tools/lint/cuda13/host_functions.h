// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <new>

// nvcc gives host code min and max of CUDA's own, and clang gives them to device code alone. Only
// declared: nothing is run.
#define WARPSAFE_LINT_MIN_MAX(type)         \
  __attribute__((host)) type min(type, type); \
  __attribute__((host)) type max(type, type);
WARPSAFE_LINT_MIN_MAX(int)
WARPSAFE_LINT_MIN_MAX(unsigned)
WARPSAFE_LINT_MIN_MAX(long)
WARPSAFE_LINT_MIN_MAX(unsigned long)
WARPSAFE_LINT_MIN_MAX(long long)
WARPSAFE_LINT_MIN_MAX(unsigned long long)
WARPSAFE_LINT_MIN_MAX(float)
WARPSAFE_LINT_MIN_MAX(double)
#undef WARPSAFE_LINT_MIN_MAX
