// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdlib>
#include <vector>

// Part F. A line with a mistake names its row after `finds:`; every other line must have no
// finding.

__global__ void plain(float* p) { p[0] = 1; }
void look(cudaError_t status);
void done() { look(cudaGetLastError()); }

int reads_too_early(const int* device, cudaStream_t stream) {
  int first = 0, second = 0;
  look(cudaMemcpyAsync(&first, device, sizeof(int), cudaMemcpyDeviceToHost, stream));
  const int early = first + 1;  // finds: F01
  look(cudaMemcpyAsync(&second, device, sizeof(int), cudaMemcpyDeviceToHost, stream));
  look(cudaStreamSynchronize(stream));
  return early + second;
}

// CUDA returns from a copy to pageable memory when it has ended. What the tree never allocates as
// page-locked memory is pageable.
int counts[4];
void* checked(void* memory);
int reads_pageable(const int* device, cudaStream_t stream) {
  int* made = (int*)checked(malloc(16));
  look(cudaMemcpyAsync(counts, device, 16, cudaMemcpyDeviceToHost, stream));
  look(cudaMemcpyAsync(made, device, 16, cudaMemcpyDeviceToHost, stream));
  const int early = counts[0] + made[0];  // finds: F01/note
  look(cudaStreamSynchronize(stream));
  return early;
}
int reads_pinned(const int* device, cudaStream_t stream) {
  int* pinned;
  look(cudaMallocHost(&pinned, 16));
  look(cudaMemcpyAsync(pinned, device, 16, cudaMemcpyDeviceToHost, stream));
  const int early = pinned[0];  // finds: F01/warning
  look(cudaStreamSynchronize(stream));
  return early;
}

float managed_too_early() {
  float *early, *late;
  look(cudaMallocManaged(&early, 128));
  look(cudaMallocManaged(&late, 128));
  plain<<<1, 32>>>(early);
  const float one = early[0];  // finds: F12
  plain<<<1, 32>>>(late);
  look(cudaDeviceSynchronize());
  done();
  return one + late[0];
}

// The kernel gets numbers that the host reads for it, and other memory.
struct Held {
  float* data;
  int n;
};
__global__ void gets(float* data, int n) { data[n] = 1; }
__global__ void gets_object(const Held held) { held.data[0] = 1; }
int managed_for_the_host() {
  Held* held;
  look(cudaMallocManaged(&held, sizeof(Held)));
  gets<<<1, 32>>>(held->data, held->n);
  const int n = held->n;
  gets_object<<<1, 32>>>(*held);
  done();
  return n + held->n;
}

void local_source(int* device, cudaStream_t stream) {
  int value = 3;
  look(cudaMemcpyAsync(device, &value, sizeof(int), cudaMemcpyHostToDevice, stream));  // finds: F02
}
void local_source_awaited(int* device, cudaStream_t stream) {
  int value = 3;
  look(cudaMemcpyAsync(device, &value, sizeof(int), cudaMemcpyHostToDevice, stream));
  look(cudaStreamSynchronize(stream));
}

void pageable(float* device, cudaStream_t stream) {
  std::vector<float> values(32);
  look(cudaMemcpyAsync(device, values.data(), 128, cudaMemcpyHostToDevice, stream));  // finds: F03
}
void pageable_result(float* device, cudaStream_t stream) {
  float* made = (float*)std::malloc(128);
  look(cudaMemcpyAsync(made, device, 128, cudaMemcpyDeviceToHost, stream));  // finds: F03
  float* pinned = nullptr;
  look(cudaMallocHost(&pinned, 128));
  look(cudaMemcpyAsync(pinned, device, 128, cudaMemcpyDeviceToHost, stream));
  look(cudaStreamSynchronize(stream));
}

void sizes(float* to, const float* from, double* wide, const double* wide_from, char* text, int n,
           std::size_t bytes) {
  look(cudaMemcpy(to, from, n, cudaMemcpyHostToDevice));  // finds: F05
  look(cudaMemcpy(to, from, n * sizeof(float), cudaMemcpyHostToDevice));
  look(cudaMemcpy(to, from, bytes, cudaMemcpyHostToDevice));
  look(cudaMemcpy(wide, wide_from, n * sizeof(float), cudaMemcpyHostToDevice));  // finds: F05
  look(cudaMemset(to, 0, n));                                                    // finds: F05
  look(cudaMemset(text, 0, n));
  look(cudaMemset((float*)wide, 0, n * sizeof(float)));  // which says that it counts floats
  look(cudaMemset((double*)to, 0, n * sizeof(float)));   // finds: F05
  look(cudaMemset((void*)wide, 0, n * sizeof(float)));   // finds: F05
  look(cudaMalloc(&to, n));                              // finds: F05
  look(cudaMalloc(&text, n));
}

struct Part {
  float* data;
  std::size_t n;
};
struct Items {
  float* data;
  std::size_t count;
};
Part part_of(float* data, std::size_t count) {
  const auto byte_count = count * sizeof(float);
  return Part{.data = data, .n = byte_count};
}
void members(Part part, Items items, float* to) {
  look(cudaMemcpy(to, part.data, part.n, cudaMemcpyDeviceToHost));
  look(cudaMemcpy(to, items.data, items.count, cudaMemcpyDeviceToHost));  // finds: F05/warning
}
// A member that is a count by its name alone may hold bytes: another file may compute it.
struct Tensor {
  double* data;
  std::size_t len;
};
void of_tensor(Tensor tensor, double* to) {
  look(cudaMemcpy(to, tensor.data, tensor.len, cudaMemcpyDeviceToHost));  // finds: F05/note
}

__global__ void adds(int* p) { p[0] += 1; }
__global__ void assigns(int* p) { p[0] = 1; }
void uses_of_a_fill(int* p, int* q, int* r, int* copied, float* copied_float,
                    void (*kernel)(int*)) {
  look(cudaMemset(p, 1, 4));  // finds: F14/warning
  adds<<<1, 32>>>(p);
  done();
  look(cudaMemset(q, 1, 4));  // finds: F14/note
  assigns<<<1, 32>>>(q);
  done();
  adds<<<1, 32>>>(q);
  done();
  look(cudaMemset(r, 1, 4));  // finds: F14/note
  kernel<<<1, 32>>>(r);
  done();
  float to_float = 0;
  look(cudaMemset(copied_float, 1, 4));  // finds: F14/note
  look(cudaMemcpy(&to_float, copied_float, 4, cudaMemcpyDeviceToHost));
  int to = 0;
  look(cudaMemset(q, 1 << 30, 4));  // finds: F14/note
  assigns<<<1, 32>>>(q);
  done();
  look(cudaMemset(p, 1 << 30, 4));  // finds: F14/error
  adds<<<1, 32>>>(p);
  done();
  look(cudaMemset(copied, 1, 4));  // finds: F14/warning
  look(cudaMemcpy(&to, copied, 4, cudaMemcpyDeviceToHost));
}
void fills(int* p, unsigned char* c, int* is_ready) {
  look(cudaMemset(is_ready, 1, 4));  // finds: F14/note
  look(cudaMemset(is_ready, 3, 4));  // finds: F14/warning
  adds<<<1, 32>>>(is_ready);
  done();
  look(cudaMemset(p, 1, 4));     // finds: F14/note
  look(cudaMemset(p, 1000, 4));  // finds: F14
  look(cudaMemset(p, 1.5F, 4));  // finds: F14
  look(cudaMemset(p, 0, 4));
  look(cudaMemset(p, 0.0, 4));
  look(cudaMemset(p, -1, 4));
  look(cudaMemset(p, 0x7f, 4));
  look(cudaMemset(p, 2, 4));
  if (*p != 0x02020202) return;
  look(cudaMemset(c, 1, 4));
  look(cudaMemset(c, 1.0F, 4));
  look(cudaMemset(p, 0x7F7F7F7F, 4));
  look(cudaMemset(p, 0x7F800000, 4));  // finds: F14/error
}
void fills_with(float* x, float value) {
  look(cudaMemset(x, value, 4));  // finds: F14/error
  look(cudaMemset(x, 1.0F, 4));   // finds: F14/error
}
