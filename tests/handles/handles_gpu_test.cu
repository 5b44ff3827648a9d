// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// The same tests, compiled by nvcc.
#include "vendor_handles_test.cpp"
