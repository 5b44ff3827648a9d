// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

#include <nvrtc.h>

// Sources that NVRTC compiles while the program runs. A line with a mistake names its row after
// `finds:`; every other line must have no finding.

const char* const raw = R"cuda(
__global__ void narrow(float* x, long n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;  // finds: A16
  int j = blockIdx.x * blockDim.x + threadIdx.x;  // warpsafe-lint: ignore A16
  if (i < n) x[i] = 1;
}
__global__ void wide(float* x, long n) {
  long i = blockIdx.x * long(blockDim.x) + threadIdx.x;
  if (i < n) x[i] = 1;
}
)cuda";

const char* const pieces =
    "__global__ void first(float* x) { x[0] = 1; }\n"
    "__global__ void second(float& x) {\n"  // finds: C07
    "  x = 1;\n"
    "}\n";

nvrtcResult compile(nvrtcProgram* one, nvrtcProgram* two, const char* unknown) {
  nvrtcCreateProgram(one, unknown, "unknown.cu", 0, nullptr, nullptr);
  nvrtcCreateProgram(one, raw, "raw.cu", 0, nullptr, nullptr);
  return nvrtcCreateProgram(two, pieces, "pieces.cu", 0, nullptr, nullptr);
}
