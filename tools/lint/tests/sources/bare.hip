// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// A source without HIP's header, which the build forces or hipRTC includes. A line with a mistake
// names its row after `finds:`.

__global__ void all(float* p) { p[blockIdx.x * blockDim.x + threadIdx.x] = 1; }
void look(hipError_t status);

void launches(float* p, hipStream_t stream) {
  all<<<1, 2048, 0, stream>>>(p);                             // finds: B01
  hipLaunchKernelGGL(all, dim3(0), dim3(256), 0, stream, p);  // finds: A04
  look(hipGetLastError());
}
