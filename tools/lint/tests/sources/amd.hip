// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

#include <hip/hip_runtime.h>
#include <hip/hiprtc.h>

// rocBLAS's own declaration; the library is too large to install for one function.
enum rocblas_status { rocblas_status_success };
typedef struct _rocblas_handle* rocblas_handle;
extern "C" rocblas_status rocblas_set_stream(rocblas_handle handle, hipStream_t stream);

// Mistakes that only AMD's GPUs have, and HIP's launches. A line with a mistake names its row after
// `finds:`.

__global__ void plain(float* p, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) p[i] = 1;
}
__global__ void __launch_bounds__(256, 4) two_bounds(float* p) { p[0] = 1; }  // finds: B04
__global__ void __launch_bounds__(256) one_bound(float* p) { p[0] = 1; }
__global__ void warps(float* p) {
  p[threadIdx.x] = threadIdx.x % 32;  // finds: B06/note
}
__device__ float from_first(float x) { return __shfl(x, 0); }
__global__ void speaks_to_all(float* p) {
  const int lane = threadIdx.x % 32;  // finds: B06/warning
  p[threadIdx.x] = from_first(lane);
}
__global__ void asked_warps(float* p) { p[threadIdx.x] = threadIdx.x % warpSize; }
void look(hipError_t status);
void look(rocblas_status status);
void done() { look(hipGetLastError()); }

void launches(float* p, int n, hipStream_t stream) {
  hipLaunchKernelGGL(plain, dim3(n / 256), dim3(256), 0, stream, p, n);  // finds: A07
  hipLaunchKernelGGL(plain, dim3((n - 1) / 256 + 1), dim3(256), 0, stream, p, n);
  hipLaunchKernelGGL(plain, dim3(1), dim3(2048), 0, stream, p, n);        // finds: B01
  hipLaunchKernelGGL(plain, dim3(1, 70000), dim3(256), 0, stream, p, n);  // finds: A11/note
  plain<<<1, 256>>>(p, n);                                                // finds: C09
  plain<<<1, 256, 0, stream>>>(p, n);
  done();
}
void keeps_the_error(float* p, int n) {
  void* arguments[] = {&p, &n};
  hipLaunchKernel((void*)plain, dim3(1), dim3(256), arguments, 0, 0);
  hipLaunchCooperativeKernel((void*)plain, dim3(1), dim3(256), arguments, 0, 0);
  done();
  hipLaunchCooperativeKernel((void*)plain, dim3(1), dim3(256), arguments, 0, 0);  // finds: D01
}
void unseen(float* p, int n) {
  hipLaunchKernelGGL(plain, dim3(1), dim3(256), 0, 0, p, n);  // finds: D01
}

void switches(rocblas_handle handle, hipStream_t (&streams)[4]) {
  look(rocblas_set_stream(handle, streams[0]));
  for (hipStream_t stream : streams) look(rocblas_set_stream(handle, stream));  // finds: E04
  do {  // as a macro writes one statement
    look(rocblas_set_stream(handle, streams[1]));
  } while (0);
}

// A type that libclang's bindings have no name for.
void sixteen_bits(_Float16* to, const _Float16* from, int n) {
  look(hipMemcpy(to, from, n * sizeof(_Float16), hipMemcpyHostToDevice));
  look(hipMemcpy(to, from, n, hipMemcpyHostToDevice));  // finds: F05
}

void module(hipFunction_t kernel, hipStream_t stream, void** a) {
  look(hipModuleLaunchKernel(kernel, 1, 1, 1, 2048, 1, 1, 0, stream, a, 0));     // finds: B01
  look(hipModuleLaunchKernel(kernel, 1, 1, 1, 256, 1, 1, 65537, stream, a, 0));  // finds: B08
  look(hipModuleLaunchKernel(kernel, 1, 1, 1, 256, 1, 1, 65536, stream, a, 0));
}

// hipRTC includes HIP's header by itself.
const char* const embedded = R"hip(
__global__ void narrow(float* x, long n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;  // finds: A16
  if (i < n) x[i] = 1;
}
)hip";
hiprtcResult compile(hiprtcProgram* one) {
  return hiprtcCreateProgram(one, embedded, "embedded.hip", 0, nullptr, nullptr);
}
