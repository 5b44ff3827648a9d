// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

#pragma once
#include <warpsafe/kernel_api.hpp>

#include <cstddef>

WARPSAFE_KERNEL_EXTERN void scale_kernel(float factor, float* x, std::size_t n);
