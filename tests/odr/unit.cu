// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// The same compiled by nvcc: the default backend of this translation unit is CUDA.

#include "unit.cpp"
