// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

#include <cuda_runtime.h>

#include <mutex>

// Part B. A line with a mistake names its row after `finds:`; every other line must have no
// finding.

__global__ void plain(float* p) { p[0] = 1; }
__global__ void __launch_bounds__(256) bounded(float* p) { p[0] = 1; }
__global__ void raised(float* p) { p[0] = 1; }
__global__ void with_static(float* p) {
  __shared__ float tile[8192];
  tile[threadIdx.x] = p[threadIdx.x];
}
void look(cudaError_t status);
void done() { look(cudaGetLastError()); }

void blocks(float* p, int n) {
  constexpr int edge = 64;
  plain<<<1, 2048>>>(p);              // finds: B01
  plain<<<1, dim3(edge, edge)>>>(p);  // finds: B01
  plain<<<1, dim3(n, 2048)>>>(p);     // finds: B01 A19
  plain<<<1, dim3(32, 32)>>>(p);
  plain<<<1, 1025>>>(p);   // finds: B01/note
  bounded<<<1, 512>>>(p);  // finds: B03
  bounded<<<1, 256>>>(p);
  plain<<<1, dim3(1, 1, 128)>>>(p);  // finds: B05
  plain<<<1, dim3(1, 1, 64)>>>(p);
  done();
}

// A program that reads the error before its next launch reports the mistake itself.
void shown(float* p) {
  plain<<<1, 2048>>>(p);  // finds: B01/note
  done();
  bounded<<<1, 512>>>(p);  // finds: B03/note
  look(cudaGetLastError());
  plain<<<1, 2048>>>(p);  // finds: B01/error
  plain<<<1, 32>>>(p);
  done();
  plain<<<1, 2048>>>(p);  // finds: B01/error
  cudaGetLastError();     // finds: D03
}

void shared(float* p) {
  plain<<<1, 32, 64 * 1024>>>(p);  // finds: B07
  plain<<<1, 32, 300000>>>(p);     // finds: B08
  plain<<<1, 32, 48 * 1024>>>(p);
  with_static<<<1, 32, 32 * 1024>>>(p);  // finds: B09
  with_static<<<1, 32, 16 * 1024>>>(p);
  look(cudaFuncSetAttribute(raised, cudaFuncAttributeMaxDynamicSharedMemorySize, 65536));
  raised<<<1, 32, 64 * 1024>>>(p);
  done();
}

constexpr auto attribute = cudaFuncAttributeMaxDynamicSharedMemorySize;
void opt_in_once() {
  static const auto status = cudaFuncSetAttribute(raised, attribute, 65536);  // finds: B11
  look(status);
  const auto now = cudaFuncSetAttribute(raised, attribute, 65536);
  look(now);
}

__global__
    // __launch_bounds__(128) needs fewer registers
    /* __launch_bounds__(64) */
    void
    bounds_in_a_comment(float* p) {
  p[0] = 1;
}
__global__ void __launch_bounds__(128 /* __launch_bounds__(512) */, 2)
    bounds_and_a_comment(float* p) {
  p[0] = 1;
}
void bounds(float* p) {
  bounds_in_a_comment<<<1, 256>>>(p);
  bounds_and_a_comment<<<1, 256>>>(p);  // finds: B03
  look(cudaGetLastError());
}

void cluster_of_16(cudaLaunchAttribute& attribute) {
  attribute.val.clusterDim.x = 16;  // finds: B14
  attribute.val.clusterDim.y = 1;
}
void cluster_of_8(cudaLaunchAttribute& attribute) {
  attribute.val.clusterDim.x = 8;
  attribute.val.clusterDim.y = 1;
}

#define FOUR 4
constexpr int sixteen = 16;
__global__ void __cluster_dims__(16, 1, 1) wide(float* p) { p[0] = 1; }
__global__ void __cluster_dims__(sixteen) wide_by_name(float* p) { p[0] = 1; }
__cluster_dims__(FOUR, 2) __global__ void eight(float* p) { p[0] = 1; }
template <class T>
__global__ void __cluster_dims__(4u, 1, 1) four(T* p) {
  p[0] = 1;
}
template <int N>
__global__ void __cluster_dims__(N, 1, 1) open(float* p) {  // which the instance decides
  p[0] = 1;
}
namespace sizes {
constexpr unsigned product = 2 * FOUR;
}
__global__ void __cluster_dims__(2 * sizes::product) by_product(float* p) { p[0] = 1; }
__global__ void __cluster_dims__(4) declared(float* p);
__global__ void declared(float* p) { p[0] = 1; }
__global__ void /* __cluster_dims__(4) */ without(float* p) { p[0] = 1; }
#ifdef LARGE
#define EITHER 16
#else
#define EITHER 2
#endif
__global__ void __cluster_dims__(EITHER) of_the_build(float* p) { p[0] = 1; }
void further_clusters(float* p, int n) {
  by_product<<<16, 32>>>(p);  // finds: B14
  declared<<<10, 32>>>(p);    // finds: B13
  without<<<10, 32>>>(p);
  of_the_build<<<9, 32>>>(p);
  dim3 grid(10);
  grid.x = 12;
  declared<<<grid, 32>>>(p);
  done();
}
void clusters(float* p, int n) {
  wide<<<16, 32>>>(p);          // finds: B14
  wide_by_name<<<16, 32>>>(p);  // finds: B14
  wide<<<n, 32>>>(p);           // finds: B14
  eight<<<dim3(16, 2), 32>>>(p);
  eight<<<16, 32>>>(p);          // finds: B13/error
  eight<<<dim3(n, 3), 32>>>(p);  // finds: B13/error
  eight<<<dim3(n, 4), 32>>>(p);
  four<<<8, 32>>>(p);
  four<<<10, 32>>>(p);         // finds: B13/error
  four<float><<<10, 32>>>(p);  // finds: B13/error
  open<16><<<10, 32>>>(p);
  four<<<10, 32>>>(p);  // finds: B13/note
  done();
}
void cluster_by_attribute(float* p, int blocks) {
  cudaLaunchAttribute attribute;
  attribute.id = cudaLaunchAttributeClusterDimension;
  attribute.val.clusterDim = {4, 1, 1};
  attribute.val.clusterDim.x = 4;
  cudaLaunchConfig_t config = {};
  config.gridDim = dim3(10);  // finds: B13
  config.blockDim = dim3(32);
  config.attrs = &attribute;
  config.numAttrs = 1;
  look(cudaLaunchKernelEx(&config, plain, p));
}
void cluster_of_one_of_two(float* p, int blocks) {
  cudaLaunchAttribute attribute;
  attribute.id = cudaLaunchAttributeClusterDimension;
  attribute.val.clusterDim.x = 4;
  cudaLaunchConfig_t config = {}, other = {};
  config.gridDim = dim3(12);
  other.gridDim = dim3(10);
  config.attrs = &attribute;
  config.numAttrs = 1;
  look(cudaLaunchKernelEx(&config, plain, p));
  look(cudaLaunchKernelEx(&other, plain, p));
}

struct Config {
  dim3 grid;
  dim3 block;
};
void cooperative(float* p, int n, const Config& c) {
  void* const kernel = (void*)plain;
  int items = 1024;  // whose address only the launch takes
  void* args[] = {&p, &items};
  look(cudaLaunchCooperativeKernel(kernel, n * 2, 256, args, 0, 0));        // finds: B16/warning
  look(cudaLaunchCooperativeKernel(kernel, items / 256, 256, args, 0, 0));  // finds: B16/note
  look(cudaLaunchCooperativeKernel(kernel, 512, 256, args, 0, 0));          // finds: B16/note
  cudaLaunchCooperativeKernel(kernel, 512, 256, args, 0, 0);          // finds: B16/warning D01
  look(cudaLaunchCooperativeKernel(kernel, c.grid, c.block, args, 0,  // finds: B16/note
                                   0));
}
