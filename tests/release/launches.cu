// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// The same launches, compiled by nvcc together with the kernel.

#include "launches.cpp"
