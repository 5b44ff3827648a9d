// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// The same by nvcc, for tensors of CUDA devices.

#include "extension.cpp"
