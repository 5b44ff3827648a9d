// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// Compiles the extension with nvcc, for CUDA tensors.

#include "extension.cpp"
