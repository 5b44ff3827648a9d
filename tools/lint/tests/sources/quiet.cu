// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

#include <cuda_runtime.h>

#include <algorithm>
#include <cassert>
#include <cstdlib>
#include <memory>

// Correct code beside a mistake of the same row. A line with a mistake names its row after
// `finds:`; every other line must have no finding.

__global__ void plain(float* p, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) p[i] = 1;
}
__global__ void fetches(float* p, int n, int* next) {
  for (int i = atomicAdd(next, 1); i < n; i = atomicAdd(next, 1)) p[i] = 1;
}
template <bool shared>
__global__ void sometimes(float* p) {
  extern __shared__ float values[];
  float* mine = values + threadIdx.x;
  if (shared) p[0] = mine[0];
  const float one = shared ? mine[0] : 1;
  p[1] = one;
}
__global__ void never(float* p) {
  extern __shared__ float values[];
  p[0] = 1;
}
__global__ void always(float* p) {
  extern __shared__ float values[];
  float* mine = values + threadIdx.x;
  p[0] = *mine;
}
texture<float, 1, cudaReadModeElementType> reference;
__global__ void by_texture(float* p) { p[0] = tex1Dfetch(reference, 0); }
void older_cuda(float* p, int device, const cudaDeviceProp& device_of) {
  cudaBindTexture(nullptr, reference, p, 128);
  cudaMemPrefetchAsync(p, 128, device);
  cudaMemAdvise(p, 128, cudaMemAdviseSetReadMostly, device);
  if (device_of.clockRate > 3) cudaThreadSynchronize();
}
struct Managed {
  int n;
};
struct InManagedMemory {
  void* operator new(std::size_t bytes);
};
struct Own : InManagedMemory {
  int n;
};
__global__ void by_class(const Own& object, float* p) { p[0] = object.n; }
__global__ void by_reference(const Managed& object, float* p) { p[0] = object.n; }
__global__ void by_local(const Managed& object, float* p) { p[0] = object.n; }  // finds: C07
void look(cudaError_t status);
void done() { look(cudaGetLastError()); }

void shared_memory(float* p) {
  sometimes<false><<<1, 32>>>(p);
  never<<<1, 32>>>(p);
  always<<<1, 32>>>(p);  // finds: C10
  done();
}
void references(Managed* managed, float* p) {
  Managed local{1};
  by_reference<<<1, 32>>>(*managed, p);
  by_local<<<1, 32>>>(local, p);
  done();
}

void divides(float* p, int n) { plain<<<n / 256, 256>>>(p, n); }
void leaves_a_rest(float* p, int n) { plain<<<n / 256, 256>>>(p, n); }  // finds: A07
void callers(float* p, int n, int* next) {
  divides(p, 1024);
  divides(p, 4096);
  leaves_a_rest(p, 1024);
  leaves_a_rest(p, 1000);
  fetches<<<n / 256, 256>>>(p, n, next);
  done();
}

void bounded(float* p, int n) {
  if (n > 1024) return;
  plain<<<1, n>>>(p, n);
  done();
}
void bounded_by_callers(float* p, int width) { plain<<<1, width>>>(p, width); }
void bounded_by_its_callers_test(float* p, int width) { plain<<<1, width>>>(p, width); }
void check_less(int one, int other);
#define CHECK_LT(one, other) check_less(one, other)
void bounded_by_a_test(float* p, int width) {
  CHECK_LT(width, 513);
  plain<<<1, width>>>(p, width);
  look(cudaGetLastError());
}
void unbounded(float* p, int width) { plain<<<1, width>>>(p, width); }  // finds: A19
void bounds(float* p, int n) {
  bounded_by_callers(p, 64);
  unbounded(p, n);
  done();
}
void tests_first(float* p, int n) {
  if (n > 32) return;
  bounded_by_its_callers_test(p, n);
  done();
}

void handled(float* p) {
  const cudaError_t status = cudaMalloc(&p, 1);
  cudaStream_t stream;
  cudaStreamCreate(&stream);
  if (status != cudaSuccess) {
    cudaGetLastError();
  }
}

cudaError_t asserts(cudaError_t status) {
  assert(status == cudaSuccess);
  return status;
}
cudaError_t passes(cudaError_t status) { return status; }
void wrapped(float* p) {
  asserts(cudaFree(p));
  passes(cudaMalloc(&p, 1));  // finds: D08
  passes(cudaMalloc(&p, 2));  // finds: D08
}

void prepared(float* p, int n) {
  plain<<<4, 256>>>(p, n);  // before the stream is there
  done();
  look(cudaDeviceSynchronize());
  cudaStream_t stream;
  look(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  plain<<<4, 256, 0, stream>>>(p, n);
  plain<<<4, 256>>>(p, n);  // finds: C09/warning
  done();
}

// The default stream waits for one without flags.
void made_without_flags(float* p, int n) {
  cudaStream_t stream;
  look(cudaStreamCreate(&stream));
  plain<<<4, 256, 0, stream>>>(p, n);
  plain<<<4, 256>>>(p, n);  // finds: C09/note
  done();
}

void prepared_by_copy(float* p, float* host, int n, cudaStream_t stream) {
  plain<<<4, 256>>>(p, n);  // finds: C09/note
  done();
  look(cudaMemcpy(host, p, 4, cudaMemcpyDeviceToHost));
  plain<<<4, 256, 0, stream>>>(p, n);
  plain<<<4, 256>>>(p, n);  // finds: C09/warning
  look(cudaMemcpyAsync(host, p, 4, cudaMemcpyDeviceToHost, stream));
  done();
}

__global__ void whole_blocks(float* p) { p[blockIdx.x * blockDim.x + threadIdx.x] = 1; }
__global__ void whole_pairs(float* p) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const float distance = p[i] * p[i];
  if (distance < 1) p[i] = 0;
}
__global__ void wide_arguments(int width, int items) {}
void severities(float* p, int n, long width, long num_items, const float* device,
                cudaStream_t stream) {
  whole_blocks<<<n / 256, 256, 0, stream>>>(p);       // finds: A07/note
  whole_pairs<<<n / 256, 256, 0, stream>>>(p);        // finds: A07/note
  plain<<<n / 256, 256, 0, stream>>>(p, n);           // finds: A07/warning
  plain<<<n / 256 + 1, 256, 0, stream>>>(p, n);       // finds: A09/note
  whole_blocks<<<n / 256 + 1, 256, 0, stream>>>(p);   // finds: A09/warning
  wide_arguments<<<1, 1, 0, stream>>>(width, 1);      // finds: C03/note
  wide_arguments<<<1, 1, 0, stream>>>(1, num_items);  // finds: C03/note
  done();
  float pageable = 0;
  look(cudaMemcpyAsync(&pageable, device, 4, cudaMemcpyDeviceToHost, stream));
  if (pageable > 3) done();  // finds: F01/note
}

template <int size>
struct Functor {
  static void run(float* p, int n) { plain<<<4, size>>>(p, n); }
};
template <template <int> class F>
void dispatch(float* p, int n) {
  F<256>::run(p, n);
}
void by_functor(float* p, int n) {
  dispatch<Functor>(p, n);
  done();
}

struct Slot {
  float* host;
  cudaEvent_t copied;
};
float slots(Slot* slot, const float* p, int now, cudaStream_t stream) {
  look(cudaMemcpyAsync(slot[now].host, p, 4, cudaMemcpyDeviceToHost, stream));
  look(cudaEventRecord(slot[now].copied, stream));
  look(cudaEventSynchronize(slot[1 - now].copied));
  return *slot[1 - now].host;
}

struct Holder {
  float* host[4];
  float read(const float* p, cudaStream_t stream) {
    float sum = 0;
    for (int i = 0; i < 4; ++i) {
      look(cudaMemcpyAsync(host[i], p, 4, cudaMemcpyDeviceToHost, stream));
      if (i > 2) sum += 1;
    }
    look(cudaStreamSynchronize(stream));
    return sum + host[0][0];
  }
};
// Elements of an array of pointers, whose type a template leaves open.
template <class T>
T of_pointers(T** host, const T* p, int n, cudaStream_t stream) {
  std::unique_ptr<T*[]> hosts(new T*[n]);
  look(cudaMemcpyAsync(hosts[0], p, 4, cudaMemcpyDeviceToHost, stream));
  look(cudaMemcpyAsync(host[0], p, 4, cudaMemcpyDeviceToHost, stream));
  return *hosts[1] + *host[1];
}
float captured(const float* p, float* host, cudaStream_t stream, cudaGraph_t* graph) {
  look(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  look(cudaMemcpyAsync(host, p, 4, cudaMemcpyDeviceToHost, stream));
  look(cudaStreamEndCapture(stream, graph));
  return host[0];
}

// What a capture permits: a wait for another stream or for an event that it has not recorded, and
// in relaxed mode cudaFree.
void waits_beside(cudaStream_t stream, cudaStream_t other, cudaEvent_t before, float* p,
                  cudaGraph_t* graph) {
  look(cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed));
  look(cudaStreamSynchronize(other));
  look(cudaStreamQuery(other));
  look(cudaEventSynchronize(before));
  look(cudaFree(p));
  look(cudaStreamEndCapture(stream, graph));
}

// The function launches the kernel on its stream if the caller wants that.
void chooses(float* p, int n, bool async, cudaStream_t stream) {
  if (async)
    plain<<<4, 256, 0, stream>>>(p, n);
  else
    plain<<<4, 256>>>(p, n);
  done();
}

// A number of threads, computed by a function.
struct Layout {};
int size(Layout layout);
void of_layout(float* p, int n, Layout threads) {
  plain<<<4, size(threads)>>>(p, n);
  done();
}

// A number of items that is a constant of the program.
template <class T>
struct States {
  static const int count;
};
template <>
const int States<float>::count = 32768;
void constants(float* p) {
  plain<<<std::min(65535, (States<float>::count + 255) / 256), 256>>>(p, States<float>::count);
  done();
}

// nvcc accepts a specialisation for host and device, and a call of a host function that only the
// host's view contains.
template <class T>
__device__ T alpha_of(T value) {
  static_assert(sizeof(T) == 0, "other types have specialisations");
  return value;
}
template <>
inline __host__ __device__ int alpha_of(int value) {
  return value + 1;
}
__device__ int alpha_there(int value) { return alpha_of(value); }
inline int rotated(int value) { return value << 1; }
__device__ int rotated_there(int value) {
#ifdef __CUDA_ARCH__
  return value + value;
#else
  return rotated(value);
#endif
}

// A check before the launch reads its error in the next turn of the loop.
void next_turn(float* p, int n) {
  for (int turn = 0; turn < n; ++turn) {
    look(cudaGetLastError());
    plain<<<1, 32>>>(p, n);
  }
}
void starts(float* p, int n) { plain<<<1, 32>>>(p, n); }
void next_turn_of_the_caller(float* p, int n) {
  while (n-- > 0) {
    look(cudaGetLastError());
    starts(p, n);
  }
}

// Who calls the lambda may read the error.
template <class F>
void measure(F body);
void in_a_lambda(float* p, int n) {
  measure([&](int) { plain<<<1, 32>>>(p, n); });
}

// Numbers of which few programs reach 2^31.
__global__ void by_vocabulary(float* p, size_t vocab_size) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;  // finds: A16/note
  if (i < vocab_size) p[i] = 1;
}
__global__ void by_size(float* p, size_t size) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;  // finds: A16/note
  if (i < size) p[i] = 1;
}
void narrowed(float* p, size_t count) {
  const int items = count;  // finds: A02/note
  plain<<<(items - 1) / 256 + 1, 256>>>(p, items);
  done();
}
template <typename T>
void packed(float* p) {
  constexpr unsigned each = sizeof(T) >= sizeof(int) ? 1 : sizeof(int) / sizeof(T);
  plain<<<each, 256>>>(p, 1);
  done();
}
void asserted(float* p, int n) {
  assert(n <= 1024);
  plain<<<1, n>>>(p, n);
  done();
}
void fits(float* p, int n, int occupancy) {
  void* arguments[] = {&p, &n};
  look(cudaLaunchCooperativeKernel((void*)plain, occupancy, 256, arguments, 0, 0));
}
// A launch that cannot name the stream of another lambda, and one that can.
void in_lambdas(float* p, int n) {
  auto first = [&] { plain<<<4, 256>>>(p, n); };
  auto second = [&] {
    cudaStream_t own;
    look(cudaStreamCreateWithFlags(&own, cudaStreamNonBlocking));
    plain<<<4, 256>>>(p, n);  // finds: C09/warning
    look(cudaStreamDestroy(own));
  };
  first();
  second();
  done();
}
// Sizes of themselves, which have no constant value.
void of_itself(float* p, int n) {
  dim3 grid(n);
  grid.x = grid.x / 2 + grid.x / 3;
  plain<<<grid, 256>>>(p, n);
  int blocks;
  blocks = n;
  blocks = blocks * 2 + blocks;
  plain<<<blocks, 256>>>(p, n);
  done();
}
void ask(int& n);
void asks(float* p) {
  int n = 0, m = 0;  // which another function writes
  ask(n);
  plain<<<n, 256>>>(p, n);
  plain<<<m, 256>>>(p, m);  // finds: A04/note
  look(cudaGetLastError());
}
int rounded(const char* text);
void read(float* p, const char* text) {
  const int n = std::atoi(text), m = rounded(text);
  plain<<<n / 256, 256>>>(p, n);  // finds: A07/warning
  plain<<<m / 256, 256>>>(p, m);
  done();
}

// nvcc takes the word before the star. The parameter is then a pointer, and not the whole table.
struct Table {
  float rows[20000];
};
__global__ void looks_up(const Table __restrict__* table, float* p) { *p = table->rows[0]; }
