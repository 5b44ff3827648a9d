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
