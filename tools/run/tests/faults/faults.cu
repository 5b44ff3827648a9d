// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// Kernels that fault, between others that do not: faults MODE. Compile with -lineinfo: the comment
// at the end of a line names the mode whose fault is there. on_gpu.py watches it.

#include <cuda_runtime.h>

#include <cassert>
#include <cstdio>
#include <cstring>
#include <functional>
#include <map>
#include <string>

namespace demo {

__global__ void axpy(float a, const float* x, float* y, int n) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < n) y[i] += a * x[i];
}
__global__ void writes_outside(float* y, long far) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i == 777) {
    y[far] = 1;  // write, graph, many
  } else {
    y[i] = 2;
  }
}
__global__ void reads_null(const int* from, int* to) {
  const int value = from[threadIdx.x];  // null
  to[threadIdx.x] = value;
}
__global__ void misaligned(char* y) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i == 300) *reinterpret_cast<double*>(y + 4 + 8 * i) = 1;  // misaligned
}
__global__ void outside_of_shared(float* y, int at) {
  __shared__ float part[32];
  part[threadIdx.x % 32] = 1;
  __syncthreads();
  if (threadIdx.x == 5) part[at] = 2;  // shared
  __syncthreads();
  y[threadIdx.x] = part[threadIdx.x % 32];
}
/// The launch gives it no memory.
__global__ void without_shared(float* y) {
  extern __shared__ float given[];
  given[8192 + threadIdx.x] = y[threadIdx.x];  // no_shared
  __syncthreads();
  y[threadIdx.x] = given[8192 + blockDim.x - 1 - threadIdx.x];
}
__device__ __noinline__ void store(float* y, long far) {
  y[far] = 3;  // function
}
__global__ void calls_a_function(float* y, long far) {
  if (threadIdx.x == 3 && threadIdx.y == 1) store(y, far);
}
template <class T>
__global__ void of_template(T* y, long far) {
  y[far + threadIdx.x] = 4;  // template
}
__global__ void traps(unsigned block) {
  if (blockIdx.x == block) __trap();
}
__global__ void asserts(unsigned n) { assert(threadIdx.x < n); }
__global__ void empty() {}

}  // namespace demo

int main(int argc, char** argv) {
  using namespace demo;
  const std::string mode = argc > 1 ? argv[1] : "";
  constexpr int n = 1 << 20;
  constexpr long far = 1L << 40;
  float* x = nullptr;
  float* y = nullptr;
  cudaStream_t stream[2];
  cudaMalloc(&x, n * sizeof(float));
  cudaMalloc(&y, n * sizeof(float));
  cudaStreamCreate(&stream[0]);
  cudaStreamCreate(&stream[1]);
  const auto others = [&](int count) {
    for (int i = 0; i < count; ++i) axpy<<<n / 256, 256, 0, stream[i % 2]>>>(2, x, y, n);
  };
  const std::map<std::string, std::function<void()>> modes = {
      {"good", [] {}},
      {"write", [&] { writes_outside<<<16, 128, 0, stream[1]>>>(y, far); }},
      {"many",
       [&] {
         others(500);
         writes_outside<<<16, 128, 0, stream[1]>>>(y, far);
         others(500);
       }},
      {"null", [&] { reads_null<<<2, 64, 0, stream[1]>>>(nullptr, reinterpret_cast<int*>(y)); }},
      {"misaligned", [&] { misaligned<<<16, 128, 0, stream[1]>>>(reinterpret_cast<char*>(y)); }},
      {"shared", [&] { outside_of_shared<<<16, 128, 0, stream[1]>>>(y, 1 << 24); }},
      {"no_shared", [&] { without_shared<<<16, 128, 0, stream[1]>>>(y); }},
      {"function", [&] { calls_a_function<<<dim3(3, 2), dim3(16, 8), 0, stream[1]>>>(y, far); }},
      {"template",
       [&] { of_template<double><<<1, 32, 0, stream[1]>>>(reinterpret_cast<double*>(y), far); }},
      {"trap", [&] { traps<<<16, 128, 0, stream[1]>>>(9); }},
      {"assert", [&] { asserts<<<4, 128, 0, stream[1]>>>(70); }},
      {"graph", [&] {
         cudaGraph_t graph = nullptr;
         cudaGraphExec_t exec = nullptr;
         cudaStreamBeginCapture(stream[0], cudaStreamCaptureModeGlobal);
         for (int i = 0; i < 5; ++i) axpy<<<n / 256, 256, 0, stream[0]>>>(2, x, y, n);
         writes_outside<<<16, 128, 0, stream[0]>>>(y, far);
         for (int i = 0; i < 5; ++i) axpy<<<n / 256, 256, 0, stream[0]>>>(2, x, y, n);
         cudaStreamEndCapture(stream[0], &graph);
         cudaGraphInstantiate(&exec, graph, 0);
         cudaGraphLaunch(exec, stream[0]);
       }}};
  const auto found = modes.find(mode);
  if (found == modes.end()) {
    std::fprintf(stderr, "usage: faults MODE\n");
    return 2;
  }
  others(10);
  found->second();
  others(10);
  const cudaError_t status = cudaDeviceSynchronize();
  std::printf("%s: %s\n", mode.c_str(), cudaGetErrorName(status));
  return status == cudaSuccess ? 0 : 1;
}
