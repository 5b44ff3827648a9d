// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/memory/buffer.hpp>
#include <warpsafe/race/adversarial.hpp>
#include <warpsafe/warpsafe.hpp>

// Shared by the tests of runs under a seed.

// At global scope: reports are compared with the kernels' plain names.
WARPSAFE_KERNEL void put(float* x) { *x = 1; }
WARPSAFE_KERNEL void add(const float* from, float* to) { *to += *from; }

namespace warpsafe::adversarial {

inline const LaunchConfig once{grid<1>, block<1>};

}  // namespace warpsafe::adversarial
