// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

#include <cuda.h>
#include <cuda_runtime.h>

#include <cmath>

// Other spellings of a launch and of a rounded-up grid. A line with a mistake names its row after
// `finds:`; every other line must have no finding.

__global__ void plain(float* p, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) p[i] = 1;
}
void look(cudaError_t status);
void look(CUresult status);
void done() { look(cudaGetLastError()); }

void numbers(CUfunction function, CUstream stream, void** arguments) {
  look(cuLaunchKernel(function, 1, 1, 1, 2048, 1, 1, 0, stream, arguments, 0));     // finds: B01
  look(cuLaunchKernel(function, 1, 70000, 1, 256, 1, 1, 0, stream, arguments, 0));  // finds: A11
  look(
      cuLaunchCooperativeKernel(function, 8, 1, 1, 256, 1, 1, 0, stream, arguments));  // finds: B16
  look(cuLaunchCooperativeKernel(function, 1, 1, 1, 256, 1, 1, 0, stream, arguments));
  look(cuLaunchKernel(function, 1, 1, 1, 256, 4, 1, 0, stream, arguments, 0));
}
void unseen_kernel(CUfunction k, CUstream stream, void** a, int n) {
  look(cuLaunchKernel(k, n / 256 + 1, 1, 1, 256, 1, 1, 0, stream, a, 0));  // finds: A09/note
}

void configured(float* p, int n, cudaStream_t stream) {
  cudaLaunchConfig_t wrong = {};
  wrong.gridDim = dim3(1, 1000);
  wrong.blockDim = dim3(64, 64);  // finds: B01
  wrong.stream = stream;
  look(cudaLaunchKernelEx(&wrong, plain, p, n));
  cudaLaunchConfig_t right = {};
  right.gridDim.x = 4;
  right.blockDim.x = 256;
  right.stream = stream;
  look(cudaLaunchKernelEx(&right, plain, p, n));
}

// A status that is dropped, and an error that is read behind the launch.
void keeps_the_error(float* p, int n, CUfunction function) {
  void* arguments[] = {&p, &n};
  cudaLaunchConfig_t config = {};
  config.gridDim.x = 4;
  config.blockDim.x = 256;
  cudaLaunchKernel((void*)plain, 1, 32, arguments, 0, 0);
  look(cudaGetLastError());
  cudaLaunchCooperativeKernel((void*)plain, 1, 32, arguments, 0, 0);
  look(cudaGetLastError());
  cudaLaunchKernelExC(&config, (void*)plain, arguments);
  cudaLaunchKernelEx(&config, plain, p, n);
  cuLaunchKernel(function, 1, 1, 1, 32, 1, 1, 0, 0, arguments, 0);  // finds: D01
  look(cudaGetLastError());
  cudaLaunchKernel((void*)plain, 1, 32, arguments, 0, 0);  // finds: D01
}

void in_a_graph(cudaGraph_t graph, float* p, int n) {
  void* arguments[] = {&p, &n};
  cudaGraphNode_t node;
  cudaKernelNodeParams wrong = {};
  wrong.func = (void*)plain;
  wrong.gridDim = dim3(4);
  wrong.blockDim = dim3(2048);  // finds: B01
  wrong.kernelParams = arguments;
  look(cudaGraphAddKernelNode(&node, graph, nullptr, 0, &wrong));
  cudaKernelNodeParams right = {};
  right.gridDim = dim3(4);
  right.blockDim = dim3(1024);
  look(cudaGraphAddKernelNode(&node, graph, nullptr, 0, &right));
}

int div_up(int n, int b) { return (n + b - 1) / b; }
unsigned div_up(unsigned n, unsigned b) { return n / b + (n % b != 0); }
template <class T>
T round_up(T n, T b) {
  return (n + b - 1) / b;
}
template <class T>
T round_up_cast(const T& n, const T& b) {
  return static_cast<T>((n + b - T(1)) / b);
}
template <class N, class B>
constexpr auto round_up_braced(N n, B b) {
  return (n + b - N{1}) / b;
}
template <class T>
T round_up_rest(T n, T b) {
  return n / b + (n % b ? 1 : 0);
}

void spellings(float* p, int n, unsigned u, long wide, int b) {
  const int shifted = (n + 255) >> 8;
  plain<<<shifted, 256>>>(p, n);                // finds: A01
  plain<<<(n + b - 1) / b, b>>>(p, n);          // finds: A01
  plain<<<(b - 1 + n) / b, b>>>(p, n);          // finds: A01
  plain<<<(n + (b - 1)) / b, b>>>(p, n);        // finds: A01
  plain<<<(u + 255) / 256, 256>>>(p, n);        // finds: A01
  plain<<<(n - 1 + 256) / 256, 256>>>(p, n);    // finds: A01
  plain<<<div_up(n, b), b>>>(p, n);             // finds: A01
  plain<<<round_up(n, b), b>>>(p, n);           // finds: A01
  plain<<<round_up(u, 256u), 256>>>(p, n);      // finds: A01
  plain<<<round_up<int>(u, 256), 256>>>(p, n);  // finds: A01
  plain<<<round_up_cast(n, b), b>>>(p, n);      // finds: A01
  plain<<<round_up_braced(n, b), b>>>(p, n);    // finds: A01
  plain<<<round_up_rest(n, b), b>>>(p, n);
  plain<<<unsigned(round_up(wide, 256L)), 256>>>(p, n);
  plain<<<unsigned(round_up_braced(n, 256L)), 256>>>(p, n);
  plain<<<std::ceil(n / 256.0F), 256>>>(p, n);  // finds: A01
  plain<<<std::ceil(n / 256), 256>>>(p, n);     // finds: A07
  plain<<<std::ceil(n / 256.0), 256>>>(p, n);
  plain<<<unsigned((wide + 255) / 256), 256>>>(p, n);
  plain<<<(n - 1) / b + 1, b>>>(p, n);
  plain<<<1 + (n - 1) / b, b>>>(p, n);
  plain<<<(1000 + 255) / 256, 256>>>(p, n);
  done();
}
