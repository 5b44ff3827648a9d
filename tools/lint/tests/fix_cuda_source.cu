// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#include <cuda_runtime.h>

#include <cstdlib>

// What --fix-cuda changes. A comment `becomes:` is the new text of the line before it, `added:` a
// new line there. `left:` is the beginning of the reason why a line stays.

#define CHECK(status) \
  if ((status) != cudaSuccess) std::abort()
#define GRID(n) (((n) + 255) / 256)

__global__ void plain(float* p, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) p[i] = 1;
}
__global__ void unguarded(float* p) { p[blockIdx.x * blockDim.x + threadIdx.x] = 1; }

void grids(float* p, int n, int b, unsigned u) {
  plain<<<n / 256, 256>>>(p, n);
  // becomes: plain<<<n / 256 + (n % 256 != 0), 256>>>(p, n);
  CHECK(cudaGetLastError());
  const int blocks = n / b;
  // becomes: const int blocks = n / b + (n % b != 0);
  plain<<<blocks, b>>>(p, n);
  unguarded<<<n / 256, 256>>>(p);  // left: A07: not changed: the kernel is not seen to compare
  plain<<<(n + 255) / 256, 256>>>(p, n);
  // becomes: plain<<<(static_cast<long long>(n) + 255) / 256, 256>>>(p, n);
  plain<<<GRID(n), 256>>>(p, n);                // left: A01: not changed: a macro
  plain<<<dim3{(u + 255) / 256}, 256>>>(p, n);  // left: A01: not changed: brace
  CHECK(cudaGetLastError());
}

void streams(float* p, int n, cudaStream_t stream) {
  plain<<<4, 256>>>(p, n);
  // becomes: plain<<<4, 256, 0, stream>>>(p, n);
  plain<<<4, 256, 64>>>(p, n);
  // becomes: plain<<<4, 256, 64, stream>>>(p, n);
  // clang-format off
  plain<< <4, 256>> >(p, n);
  // becomes: plain<< <4, 256, 0, stream>> >(p, n);
  // clang-format on
  CHECK(cudaGetLastError());
}

void checks(float* p, int n) {
  plain<<<4, 256>>>(p, n);  // a comment
  // added: CHECK(cudaGetLastError());
  if (n > 3) plain<<<4, 256>>>(p, n);  // left: D01: not changed: the launch is not a statement
}
