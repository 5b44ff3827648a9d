// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// The kernel, and its launches by `<<<>>>`, each followed by a query of the status.

#include <cuda_runtime.h>

#include <cstddef>

__global__ void axpy(float a, const float* x, float* y, std::size_t n) {
  for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < n;
       i += std::size_t{gridDim.x} * blockDim.x) {
    y[i] += a * x[i];
  }
}

cudaError_t raw_static(cudaStream_t stream, float a, const float* x, float* y, std::size_t n) {
  axpy<<<static_cast<unsigned>((n + 255) / 256), 256, 0, stream>>>(a, x, y, n);
  return cudaPeekAtLastError();
}
cudaError_t raw_dynamic(cudaStream_t stream, dim3 grid, dim3 block, float a, const float* x,
                        float* y, std::size_t n) {
  axpy<<<grid, block, 0, stream>>>(a, x, y, n);
  return cudaPeekAtLastError();
}
bool raw_static_inlined(cudaStream_t stream, float a, const float* x, float* y, std::size_t n) {
  axpy<<<static_cast<unsigned>((n + 255) / 256), 256, 0, stream>>>(a, x, y, n);
  return cudaPeekAtLastError() == cudaSuccess;
}
bool raw_dynamic_inlined(cudaStream_t stream, dim3 grid, dim3 block, float a, const float* x,
                         float* y, std::size_t n) {
  axpy<<<grid, block, 0, stream>>>(a, x, y, n);
  return cudaPeekAtLastError() == cudaSuccess;
}
