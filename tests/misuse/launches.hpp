// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

// What the snippets share: the launch, with the default backend of the current compiler, and
// kernels.

#include <warpsafe/warpsafe.hpp>

// Kernels of several files, which are read as one translation unit.
WARPSAFE_KERNEL void fill(float*, int) {}
WARPSAFE_KERNEL void nothing() {}
