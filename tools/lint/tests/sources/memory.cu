// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

#include <cuda_runtime.h>

#include <cstdlib>
#include <vector>

// Memory and streams of one function. A line with a mistake names its row after `finds:`; every
// other line must have no finding.

__global__ void plain(float* p) { p[0] = 1; }
void look(cudaError_t status);
void done() { look(cudaGetLastError()); }

void after_free(float* p, float* q, float* r, bool often) {
  look(cudaFree(p));
  plain<<<1, 32>>>(p);  // finds: F04
  look(cudaFree(q));
  look(cudaMalloc(&q, 128));
  plain<<<1, 32>>>(q);
  if (often) look(cudaFree(r));
  plain<<<1, 32>>>(r);
  done();
}
void twice(float* p, float* q) {
  look(cudaFree(p));
  look(cudaFree(p));  // finds: F04
  look(cudaFree(q));
  q = nullptr;
  look(cudaFree(q));
}
void leaves(float* p, bool failed) {
  if (failed) {
    look(cudaFree(p));
    return;
  }
  plain<<<1, 32>>>(p);
  done();
}
void streams(float* p, cudaStream_t first, cudaStream_t second) {
  look(cudaStreamDestroy(first));
  plain<<<1, 32, 0, second>>>(p);
  look(cudaStreamSynchronize(first));  // finds: E03
  look(cudaStreamDestroy(second));
  look(cudaStreamCreate(&second));
  look(cudaStreamSynchronize(second));
  done();
}

// A macro of a test writes its condition three times, and one of them runs.
#define REQUIRE(...)                         \
  do {                                       \
    (void)__builtin_constant_p(__VA_ARGS__); \
    look_at(__VA_ARGS__);                    \
  } while ((void)0, (false) && static_cast<bool>(!!(__VA_ARGS__)))
void look_at(bool);
void of_a_test(float* p, float* q, cudaStream_t stream) {
  REQUIRE(cudaFree(p) == cudaSuccess);
  REQUIRE(cudaStreamDestroy(stream) == cudaSuccess);
  look(cudaFree(q));
  look(cudaFree(q));  // finds: F04
}
#define REPORT(call)         \
  if (call != cudaSuccess) { \
    look(call);              \
    look(call);              \
  }
void of_a_report(float* p, float* q) {
  REPORT(cudaFree(p));
  REPORT(cudaFree(q));
  look(cudaFree(q));  // finds: F04
}

void fills(int n) {
  float *first = nullptr, *second = nullptr;
  look(cudaMalloc((void**)&first, n * sizeof(float)));
  look(cudaMalloc((void**)&second, n * sizeof(float)));
  look(cudaMemset(first, 0, n * sizeof(float)));
  look(cudaMemset((void**)&second, 0, n * sizeof(float)));  // finds: L01/error
}
void directions(float* unknown, int n) {
  std::vector<float> host(32);
  float* device = nullptr;
  float* pinned;
  float* managed;
  look(cudaMalloc(&device, 128));
  look(cudaMallocHost((void**)&pinned, 128));
  look(cudaMallocManaged(&managed, 128));
  look(cudaMemcpy(device, host.data(), 128, cudaMemcpyHostToDevice));
  look(cudaMemcpy(device, host.data(), 128, cudaMemcpyDeviceToHost));  // finds: L01/error
  look(cudaMemcpy(host.data(), device, 128, cudaMemcpyDeviceToHost));
  look(cudaMemcpy(host.data(), device, 128, cudaMemcpyDefault));
  look(cudaMemcpy(device + 1, pinned, 64, cudaMemcpyDeviceToDevice));  // finds: L01/note
  look(cudaMemcpy(managed, device, 128, cudaMemcpyDeviceToHost));
  look(cudaMemcpy(unknown, device, 128, cudaMemcpyDeviceToHost));
  look(cudaMemcpy(device, unknown, 128, cudaMemcpyDeviceToDevice));
  float* either = n > 3 ? device : unknown;
  look(cudaMemcpy(either, host.data(), 128, cudaMemcpyHostToDevice));
}

void sizes(float* p, int n) {
  look(cudaMemset(p, 0, -1));  // finds: L02
  look(cudaMemset(p, 0, n - 1));
}

// A parameter that is declared as an array is a pointer.
void arrays(float host[32], float device[32]) {
  look(cudaMemcpy(host, device, 128, cudaMemcpyDeviceToHost));
}
