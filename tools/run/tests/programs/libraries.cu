// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// A program that does not use warpsafe, but uses NVIDIA's libraries. In the modes whose name ends
// in "_wrong", a library runs on another stream than the one its data was written on, without an
// order between the two; the other modes order them. Each mode leaves the device idle. Without an
// argument the program lists its modes.

#include <cublas_v2.h>
#include <cuda_runtime.h>
#include <cufft.h>

#include <cstdio>
#include <cstring>
#include <vector>

namespace demo {

__global__ void fill(float* x, float value, int n) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < n) x[i] = value;
}

constexpr int side = 512;
constexpr int n = side * side;
cudaStream_t writer = nullptr;  // the data is written on this stream
cudaStream_t other = nullptr;
cublasHandle_t blas = nullptr;
float* pinned = nullptr;
float *a = nullptr, *b = nullptr, *c = nullptr;

void copy() { cudaMemcpyAsync(a, pinned, n * sizeof(float), cudaMemcpyHostToDevice, writer); }
void gemm(cudaStream_t stream) {
  const float one = 1;
  const float zero = 0;
  cublasSetStream(blas, stream);
  cublasSgemm(blas, CUBLAS_OP_N, CUBLAS_OP_N, side, side, side, &one, a, side, b, side, &zero, c,
              side);
}
void scale(cudaStream_t stream) {
  const float two = 2;
  cublasSetStream(blas, stream);
  cublasSscal(blas, n, &two, a, 1);
}
void order(cudaStream_t first, cudaStream_t second) {
  cudaEvent_t event = nullptr;
  cudaEventCreateWithFlags(&event, cudaEventDisableTiming);
  cudaEventRecord(event, first);
  cudaStreamWaitEvent(second, event, 0);
  cudaEventDestroy(event);
}
/// Transforms in place the memory that `writer` has filled with zeros.
void transform(cudaStream_t stream) {
  cufftHandle plan = 0;
  cufftPlan1d(&plan, 1 << 16, CUFFT_C2C, 1);
  cufftSetStream(plan, stream);
  auto* const data = reinterpret_cast<cufftComplex*>(a);
  cudaMemsetAsync(data, 0, sizeof(cufftComplex) << 16, writer);
  cufftExecC2C(plan, data, data, CUFFT_FORWARD);
  cudaDeviceSynchronize();
  cufftDestroy(plan);
}

// Creates a graph of the library's work on `other`, and launches it on `stream` while the data is
// copied.
void replay(cudaStream_t stream) {
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t executable = nullptr;
  cudaStreamBeginCapture(other, cudaStreamCaptureModeRelaxed);
  scale(other);
  cudaStreamEndCapture(other, &graph);
  cudaGraphInstantiate(&executable, graph, 0);
  copy();
  cudaGraphLaunch(executable, stream);
  cudaDeviceSynchronize();
  cudaGraphExecDestroy(executable);
  cudaGraphDestroy(graph);
}

struct Mode {
  const char* name;
  void (*run)();
};
const Mode modes[] = {
    {"gemm_wrong",
     [] {
       copy();
       gemm(nullptr);
     }},
    {"gemm_right",
     [] {
       copy();
       gemm(writer);
     }},
    {"gemm_event_right",
     [] {
       copy();
       order(writer, other);
       gemm(other);
     }},
    {"gemm_host_right",
     [] {
       copy();
       cudaStreamSynchronize(writer);
       gemm(other);
     }},
    {"gemm_kernel_wrong",
     [] {
       fill<<<n / 256, 256, 0, writer>>>(a, 1, n);
       gemm(other);
     }},
    {"gemm_kernel_right",
     [] {
       fill<<<n / 256, 256, 0, writer>>>(a, 1, n);
       order(writer, other);
       gemm(other);
     }},
    {"scale_wrong",  // the data is overwritten while the library may still work on it
     [] {
       scale(other);
       copy();
     }},
    {"scale_right",
     [] {
       scale(other);
       order(other, writer);
       copy();
     }},
    {"one_handle_right",  // moves from stream to stream, each with separate data
     [] {
       for (int i = 0; i < 20; ++i) {
         cudaMemcpyAsync(a, pinned, n * sizeof(float), cudaMemcpyHostToDevice, writer);
         const float two = 2;
         cublasSetStream(blas, writer);
         cublasSscal(blas, n, &two, a, 1);
         cudaMemcpyAsync(b, pinned, n * sizeof(float), cudaMemcpyHostToDevice, other);
         cublasSetStream(blas, other);
         cublasSscal(blas, n, &two, b, 1);
         cublasSgemv(blas, CUBLAS_OP_N, side, side, &two, b, side, b, 1, &two, c, 1);
       }
     }},
    {"graph_right", [] { replay(writer); }},  // on its data's stream
    {"graph_wrong", [] { replay(other); }},
    {"transform_wrong", [] { transform(other); }},
    {"transform_right", [] { transform(writer); }},
};

}  // namespace demo

int main(int argc, char** argv) {
  using namespace demo;
  if (argc < 2) {
    for (const Mode& mode : modes) std::puts(mode.name);
    return 0;
  }
  if (cudaMalloc(&a, n * sizeof(float)) != cudaSuccess) {
    std::puts("no device");
    return 77;
  }
  cudaMalloc(&b, n * sizeof(float));
  cudaMalloc(&c, n * sizeof(float));
  cudaMallocHost(&pinned, n * sizeof(float));
  for (int i = 0; i < n; ++i) pinned[i] = 1;
  cudaMemset(b, 0, n * sizeof(float));
  cudaStreamCreateWithFlags(&writer, cudaStreamNonBlocking);
  cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking);
  cublasCreate(&blas);
  cudaDeviceSynchronize();
  for (int i = 1; i < argc; ++i) {
    for (const Mode& mode : modes) {
      if (std::strcmp(argv[i], mode.name) != 0) continue;
      mode.run();
      std::printf("%s: %s\n", mode.name, cudaGetErrorString(cudaDeviceSynchronize()));
    }
  }
  cublasDestroy(blas);
  return 0;
}
