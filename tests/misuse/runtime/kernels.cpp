// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// Compiled by nvcc and by hipcc.
#define MISUSE_KERNELS
#include "kernels.hpp"

int level_of_device_code() { return WARPSAFE_CHECKS; }
