// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// A shared object with a kernel, to be loaded and unloaded by a test.
#include <cuda_runtime.h>

namespace {
__global__ void kernel() {}
}  // namespace

extern "C" const void* kernel_of_plugin() { return reinterpret_cast<const void*>(&kernel); }
