// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// A plain HIP program, linked with AMD's own libamdhip64. It does not know the stand-in, and prints
// what the runtime returns.
#include <hip/hip_runtime.h>

#include <cstdio>

__global__ void touch(int* p) { *p = 1; }

int main() {
  hipDeviceProp_t properties{};
  int* p = nullptr;
  hipError_t status = hipGetDeviceProperties(&properties, 0);
  if (status == hipSuccess) status = hipMalloc(&p, sizeof *p);
  if (status == hipSuccess) touch<<<1, 64>>>(p);
  if (status == hipSuccess) status = hipGetLastError();
  if (status == hipSuccess) status = hipDeviceSynchronize();
  if (status == hipSuccess) status = hipFree(p);
  if (status != hipSuccess) {
    std::printf("failed: %s\n", hipGetErrorName(status));
    return 1;
  }
  std::printf("launched on %s\n", properties.name);
}
