// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// The kernels of launch_ways.cpp, for the launches that g++ compiles.

#include "launch_ways.hpp"

__global__ void none() {}
__global__ void four(PARAMETERS_4(0)) { y0[n0] = a0 * x0[0]; }
__global__ void sixteen(PARAMETERS_16) {
  y0[n0] = a0 * x0[0] + a1 * x1[n1] + a2 * x2[n2] + a3 * x3[n3] + y1[0] + y2[0] + y3[0];
}
