// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// The layouts of private members that nvcc takes a minute for.
#define WARPSAFE_TEST_EVERY_LAYOUT
#include "parameter_test.cpp"
