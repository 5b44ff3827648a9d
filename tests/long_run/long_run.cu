// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// The same program on a GPU.

#include "long_run.cpp"
