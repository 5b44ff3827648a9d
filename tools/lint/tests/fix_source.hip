// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#include <hip/hip_runtime.h>

// Like fix_source.cu, for launches that only HIP has.

__global__ void scale(float a, float* p, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) p[i] *= a;
}
template <class T>
__global__ void fill(T* p, T v) {
  p[threadIdx.x] = v;
}
void run(float* p, int n, hipStream_t stream) {
  hipLaunchKernelGGL(scale, dim3((n + 255) / 256), dim3(256), 0, stream, 2.0F, p, n);
  hipLaunchKernelGGL(HIP_KERNEL_NAME(fill<float>), 1, 256, 0, 0, p, 1.0F);
  fill<<<1, 256>>>(p, 1.0F);
  fill<float><<<1, 256>>>(p, n);
  if (n > 3)
    hipLaunchKernelGGL(scale, 1, 256, 0, stream, 2.0F, p, n);  // left: it is the one statement
}
