// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// A program that does not use warpsafe, with one mistake in each mode, as in a user's program. It
// prints the runtime's errors and nothing else. Without an argument it lists its modes.

#include <cooperative_groups.h>
#include <cuda_runtime.h>

#include <cstdint>
#include <cstdio>
#include <cstring>

namespace demo {

__global__ void axpy(float a, const float* x, float* y, int n) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < n) y[i] += a * x[i];
}
__global__ void __launch_bounds__(256) bounded(float* y) { y[threadIdx.x] = 1; }
template <class T>
__global__ void tile(T* y) {
  extern __shared__ unsigned char bytes[];
  y[threadIdx.x] = static_cast<T>(bytes[threadIdx.x]);
}
__global__ void out_of_bounds(float* y) { y[std::size_t{1} << 50] = 1; }
__global__ void slow(float* y, long long cycles) {
  const long long begun = clock64();
  while (clock64() - begun < cycles) y[0] += 1;
}
__global__ void meets(float* y) {
  cooperative_groups::this_grid().sync();
  y[0] = 1;
}
__global__ void __cluster_dims__(2, 1, 1) pairs(float* y) { y[0] = 1; }

constexpr int n = 1 << 20;
float* x = nullptr;
float* y = nullptr;
cudaStream_t stream = nullptr;

void say(const char* mode) {
  const cudaError_t launched = cudaGetLastError();
  const cudaError_t ran = cudaDeviceSynchronize();
  std::printf("%s: %s; %s\n", mode, cudaGetErrorString(launched), cudaGetErrorString(ran));
}

void graph_node() {
  cudaGraph_t graph = nullptr;
  cudaGraphCreate(&graph, 0);
  float a = 2;
  int count = n;
  void* arguments[] = {&a, &x, &y, &count};
  cudaKernelNodeParams node{};
  node.func = reinterpret_cast<void*>(&axpy);
  node.gridDim = dim3(1, 70000);
  node.blockDim = dim3(256);
  node.kernelParams = arguments;
  cudaGraphNode_t added = nullptr;
  const cudaError_t status = cudaGraphAddKernelNode(&added, graph, nullptr, 0, &node);
  std::printf("graph_node: %s\n", cudaGetErrorString(status));
}

void good_graph() {
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t executable = nullptr;
  cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
  axpy<<<n / 256, 256, 0, stream>>>(2, x, y, n);
  tile<float><<<1, 32, 64, stream>>>(y);
  cudaStreamEndCapture(stream, &graph);
  cudaGraphInstantiate(&executable, graph, 0);
  for (int i = 0; i < 3; ++i) cudaGraphLaunch(executable, stream);
  say("good_graph");
}

void cluster_ex() {
  cudaLaunchAttribute attribute{};
  attribute.id = cudaLaunchAttributeClusterDimension;
  attribute.val.clusterDim.x = 4;
  attribute.val.clusterDim.y = 1;
  attribute.val.clusterDim.z = 1;
  cudaLaunchConfig_t config{};
  config.gridDim = dim3(6);
  config.blockDim = dim3(32);
  config.stream = stream;
  config.attrs = &attribute;
  config.numAttrs = 1;
  cudaLaunchKernelEx(&config, tile<float>, y);
  say("cluster_ex");
}

void cooperative() {
  void* arguments[] = {&y};
  cudaLaunchCooperativeKernel(reinterpret_cast<void*>(&meets), dim3(100000), dim3(1024), arguments,
                              0, stream);
  say("cooperative");
}

struct Mode {
  const char* name;
  void (*run)();
};
const Mode modes[] = {
    {"zero_grid", [] { axpy<<<n / (2 * n), 256, 0, stream>>>(2, x, y, n); }},
    {"zero_block", [] { axpy<<<16, dim3(16, 0), 0, stream>>>(2, x, y, n); }},
    {"block_2048", [] { axpy<<<n / 2048, 2048, 0, stream>>>(2, x, y, n); }},
    {"block_z_128", [] { axpy<<<16, dim3(1, 1, 128), 0, stream>>>(2, x, y, n); }},
    {"grid_y_70000", [] { axpy<<<dim3(1, 70000), 256, 0, stream>>>(2, x, y, n); }},
    {"launch_bounds", [] { bounded<<<1, 512, 0, stream>>>(y); }},
    {"shared_70000", [] { tile<float><<<1, 32, 70000, stream>>>(y); }},
    {"blocks_3e9", [] { axpy<<<3000000000U, 256, 0, stream>>>(2, x, y, n); }},
    {"stream_as_shared",
     [] { tile<float><<<1, 32, reinterpret_cast<std::uintptr_t>(stream)>>>(y); }},
    {"shared_static", [] { tile<float><<<1, 32, 300000, stream>>>(y); }},
    {"cluster", [] { pairs<<<3, 32, 0, stream>>>(y); }},
    {"cooperative", nullptr},
    {"cluster_ex", nullptr},
    {"graph_node", nullptr},
    {"good_graph", nullptr},
    {"good", [] { axpy<<<n / 256, 256, 0, stream>>>(2, x, y, n); }},
    {"fault",
     [] {
       axpy<<<n / 256, 256, 0, stream>>>(2, x, y, n);
       out_of_bounds<<<1, 1, 0, stream>>>(y);
       axpy<<<n / 256, 256, 0, stream>>>(3, x, y, n);
     }},
    {"hang", [] { slow<<<1, 1, 0, stream>>>(y, 4000000000LL); }},
    {"legacy",
     [] {
       axpy<<<n / 256, 256, 0, stream>>>(2, x, y, n);
       axpy<<<n / 256, 256>>>(2, x, y, n);
     }},
    {"elements_as_bytes",
     [] {
       static float host[4096];
       float* device = nullptr;
       cudaMalloc(&device, sizeof host);
       cudaMemcpy(device, host, 4096, cudaMemcpyHostToDevice);
       cudaFree(device);
     }},
    {"crash",
     [] {
       axpy<<<n / 256, 256, 0, stream>>>(2, x, y, n);
       *static_cast<volatile int*>(nullptr) = 1;
     }},
};

}  // namespace demo

int main(int argc, char** argv) {
  using namespace demo;
  if (argc < 2) {
    for (const Mode& mode : modes) std::puts(mode.name);
    return 0;
  }
  if (cudaMalloc(&x, n * sizeof(float)) != cudaSuccess) {
    std::puts("no device");
    return 77;
  }
  cudaMalloc(&y, n * sizeof(float));
  cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
  for (int i = 1; i < argc; ++i) {
    if (std::strcmp(argv[i], "graph_node") == 0) graph_node();
    if (std::strcmp(argv[i], "good_graph") == 0) good_graph();
    if (std::strcmp(argv[i], "cluster_ex") == 0) cluster_ex();
    if (std::strcmp(argv[i], "cooperative") == 0) cooperative();
    for (const Mode& mode : modes) {
      if (std::strcmp(argv[i], mode.name) != 0 || mode.run == nullptr) continue;
      mode.run();
      say(mode.name);
    }
  }
  std::fflush(stdout);
  return 0;
}
