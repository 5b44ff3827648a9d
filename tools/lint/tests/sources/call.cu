// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdlib>
#include <vector>

// Part C. A line with a mistake names its row after `finds:`; every other line must have no
// finding.

struct Owner {
  ~Owner() { std::free(data); }
  float* data;
};
struct Plain {
  float* data;
};
struct Large {
  float values[2000];
};

__global__ void first_of_two(float* p, float* q) { *p = 1; }
__global__ void three(float* p, int n, float a) {
  if (threadIdx.x < n) p[threadIdx.x] = a;
}
__global__ void large_count(float* p, std::size_t n) {
  if (threadIdx.x < n) p[threadIdx.x] = 1;
}
__global__ void dynamic(float* p) {
  extern __shared__ float tile[];
  tile[threadIdx.x] = p[threadIdx.x];
}
__global__ void by_value(Owner owner) { owner.data[0] = 1; }  // finds: C05/error
struct Nothing {
  ~Nothing() {}
  float* data;
};
__global__ void by_value_of_nothing(Nothing nothing) { nothing.data[0] = 1; }
struct Camera {
  std::vector<float> image;
  int width;
};
__global__ void by_width(Camera camera, float* p) { p[camera.width] = 1; }  // finds: C05/note
__device__ float first(const Camera& camera);
__global__ void by_object(Camera camera, float* p) { p[0] = first(camera); }  // finds: C05/error
__global__ void by_plain_value(Plain plain) { plain.data[0] = 1; }
__global__ void by_reference(const int& n) {}  // finds: C07/error
struct Empty {};
template <class F>
__global__ void by_reference_to_empty(const F& f) {}  // finds: C07/note
template <class F>
__global__ void by_reference_to_some(const F& f) {}  // finds: C07/error
__global__ void large(Large values) {}               // finds: C17
void look(cudaError_t status);
void done() { look(cudaGetLastError()); }

struct Uploaded {
  Plain& on_the_device();
};
__global__ void by_reference_to_any(Plain& plain) { plain.data[0] = 1; }   // finds: C07/note
__global__ void by_reference_to_both(Plain& plain) { plain.data[0] = 1; }  // finds: C07/error
void passes_references(Uploaded& uploaded, Plain& some) {
  by_reference_to_any<<<1, 32>>>(uploaded.on_the_device());
  by_reference_to_any<<<1, 32>>>(some);
  Plain own;
  by_reference_to_both<<<1, 32>>>(some);
  by_reference_to_both<<<1, 32>>>(own);
  look(cudaGetLastError());
}
struct DeviceBuffer {
  float* data() const;
  float& operator[](int) const;
};
struct Pool {
  void* malloc(std::size_t bytes);
};
struct Group {
  DeviceBuffer on_device;
  std::vector<float> on_host;
};
__global__ void three_of(float* p) { p[0] = 1; }
void members(std::vector<Group>& groups, std::vector<std::vector<float>>& rows) {
  three_of<<<1, 1>>>(groups[1].on_device.data());
  three_of<<<1, 1>>>(&groups[1].on_device[0]);
  three_of<<<1, 1>>>(groups[1].on_host.data());  // finds: C04
  three_of<<<1, 1>>>(&groups[1].on_host[0]);     // finds: C04
  three_of<<<1, 1>>>(rows[0].data());            // finds: C04
  three_of<<<1, 1>>>(&rows[0][1]);               // finds: C04
  three_of<<<1, 1>>>(&rows[0].front());          // finds: C04
  done();
}
void references() {
  by_reference_to_empty<<<1, 1>>>(Empty{});
  by_reference_to_some<<<1, 1>>>(Empty{});
  by_reference_to_some<<<1, 1>>>(Plain{});
  done();
}

void behind_pointers(float* p, int n, float a, double d) {
  void* two[] = {&p, &n};
  look(cudaLaunchKernel((void*)three, 1, 32, two, 0, 0));  // finds: C01
  void* other[] = {&p, &n, &d};                            // finds: C02
  look(cudaLaunchKernel((void*)three, 1, 32, other, 0, 0));
  void* right[] = {&p, &n, &a};
  look(cudaLaunchKernel((void*)three, 1, 32, right, 0, 0));
}

void narrowed(float* p, std::size_t n, float a) {
  three<<<1, 32>>>(p, n, a);  // finds: C03
  three<<<1, 32>>>(p, sizeof(float), a);
  large_count<<<1, 32>>>(p, n);
  done();
}

struct OfItself {
  static void* operator new(std::size_t bytes);
  static void operator delete(void* p);
};
struct Managed : OfItself {
  float values[32];
};
struct Unmanaged {
  float values[32];
};
__global__ void reads_managed(const Managed* from, float* p) { *p = from->values[0]; }
__global__ void reads_unmanaged(const Unmanaged* from, float* p) { *p = from->values[0]; }
void made_by_new(float* p) {
  Managed* managed = new Managed;
  reads_managed<<<1, 32>>>(managed, p);  // which its class allocates
  Unmanaged* unmanaged = new Unmanaged;
  reads_unmanaged<<<1, 32>>>(unmanaged, p);  // finds: C04
  done();
}

void host_pointers(float* device, int n, float a, Pool& pool) {
  float* pooled = (float*)pool.malloc(100);
  three<<<1, 32>>>(pooled, n, a);
  std::vector<float> values(100);
  three<<<1, 32>>>(values.data(), n, a);  // finds: C04
  float* made = (float*)std::malloc(100);
  three<<<1, 32>>>(made, n, a);           // finds: C04
  first_of_two<<<1, 32>>>(device, made);  // which it does not read
  first_of_two<<<1, 32>>>(made, device);  // finds: C04
  float local[32];
  three<<<1, 32>>>(local, n, a);                      // finds: C04
  float* shared_with_all = (float*)std::malloc(100);  // on a system whose device reads it
  cudaMemPrefetchAsync(shared_with_all, 100, {cudaMemLocationTypeDevice, 0}, 0);
  three<<<1, 32>>>(shared_with_all, n, a);
  three<<<1, 32>>>(device, n, a);
  float* there = nullptr;
  look(cudaMalloc(&there, 100));
  three<<<1, 32>>>(there, n, a);
  done();
}

void slots(float* p, int n, float a, cudaStream_t stream) {
  three<<<1, 32, (std::size_t)stream>>>(p, n, a);  // finds: C08 C09
  three<<<1, 32>>>(p, n, a);                       // finds: C09
  three<<<1, 32, 0, stream>>>(p, n, a);
  done();
}

// A branch for which an argument of the launch decides, and one for each thread.
__global__ void by_argument(float* p, int kind) {
  extern __shared__ float memory[];
  if (kind > 1) memory[threadIdx.x] = p[0];
}
__global__ void by_thread(float* p, int n) {
  extern __shared__ float memory[];
  if (threadIdx.x < n) memory[threadIdx.x] = p[0];
}
void branches(float* p) {
  by_argument<<<1, 32>>>(p, 1);
  by_thread<<<1, 32>>>(p, 1);  // finds: C10
  done();
}

void shared(float* p, int n) {
  dynamic<<<1, 32>>>(p);     // finds: C10
  dynamic<<<1, 32, n>>>(p);  // finds: C11
  dynamic<<<1, 32, n * sizeof(float)>>>(p);
  dynamic<<<1, 32, n * 4>>>(p);
  const int bytes = n;
  dynamic<<<1, 32, bytes>>>(p);
  std::size_t buffer = n * sizeof(float);
  if (buffer > 48000) buffer = sizeof(float);
  dynamic<<<1, 32, buffer>>>(p);
  std::size_t items = n;
  if (items > 48000) items = 1;
  dynamic<<<1, 32, items>>>(p);  // finds: C11
  done();
}

void dependent(cudaLaunchAttribute& attribute) {
  attribute.val.programmaticStreamSerializationAllowed = 1;  // finds: C18
  attribute.val.programmaticStreamSerializationAllowed = 0;
}
