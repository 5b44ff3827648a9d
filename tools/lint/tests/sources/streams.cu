// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

#include <cublas_v2.h>
#include <cuda_runtime.h>
#include <cusparse.h>

// Part E and G04. A line with a mistake names its row after `finds:`; every other line must have no
// finding.

__global__ void plain(float* p) { p[0] = 1; }
void look(cudaError_t status);
void look(cublasStatus_t status);
void done() { look(cudaGetLastError()); }

void handle_without_stream(cusparseHandle_t* handle) {
  cusparseCreate(handle);  // finds: E01
}
void handle_with_stream(cudaStream_t stream) {
  cublasHandle_t handle;
  look(cublasCreate(&handle));
  look(cublasSetStream(handle, stream));
  look(cudaStreamDestroy(stream));  // finds: E03/note
  look(cublasDestroy(handle));
}
void handle_first(cudaStream_t stream) {
  cublasHandle_t handle;
  look(cublasCreate(&handle));
  look(cublasSetStream(handle, stream));
  look(cublasDestroy(handle));
  look(cudaStreamDestroy(stream));
}

void beside_non_blocking(float* p, float* q, const float* from) {
  cudaStream_t stream;
  look(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  look(cudaMemset(q, 0, 4));
  look(cudaDeviceSynchronize());
  look(cudaMemcpy(p, from, 4, cudaMemcpyHostToDevice));  // finds: E08
  plain<<<1, 32, 0, stream>>>(p);
  done();
}
void from_pinned(float* p) {
  cudaStream_t stream;
  look(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  float* pinned;
  look(cudaMallocHost(&pinned, 4));
  look(cudaMemcpy(p, pinned, 4, cudaMemcpyHostToDevice));  // finds: E08/note
  plain<<<1, 32, 0, stream>>>(p);
  done();
}
void beside_blocking(float* p, const float* from) {
  cudaStream_t stream;
  look(cudaStreamCreate(&stream));
  look(cudaMemcpy(p, from, 4, cudaMemcpyHostToDevice));
  plain<<<1, 32, 0, stream>>>(p);
  done();
}

void captures(float* p, cudaStream_t stream, cudaEvent_t inside, cudaGraph_t* graph) {
  look(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  plain<<<1, 32>>>(p);  // finds: E13 C09
  plain<<<1, 32, 0, stream>>>(p);
  look(cudaMemset(p, 0, 4));            // finds: E13
  look(cudaStreamSynchronize(stream));  // finds: G04
  look(cudaEventRecord(inside, stream));
  look(cudaEventSynchronize(inside));  // finds: G04
  look(cudaDeviceSynchronize());       // finds: G04
  look(cudaMemsetAsync(p, 0, 4, stream));
  look(cudaStreamEndCapture(stream, graph));
  look(cudaStreamSynchronize(stream));
  done();
}

void CUDART_CB frees(void* p) { cudaFree(p); }
void CUDART_CB marks(void* p) { *static_cast<bool*>(p) = true; }
void callbacks(cudaStream_t stream, void* p) {
  look(cudaLaunchHostFunc(stream, frees, p));  // finds: E14
  look(cudaLaunchHostFunc(stream, marks, p));
}

void times(float* milliseconds) {
  cudaEvent_t start, stop, untimed;
  look(cudaEventCreate(&start));
  look(cudaEventCreate(&stop));
  look(cudaEventCreateWithFlags(&untimed, cudaEventDisableTiming));
  look(cudaEventRecord(start));
  look(cudaEventRecord(stop));
  look(cudaEventElapsedTime(milliseconds, start, stop));  // finds: E15
  look(cudaEventSynchronize(stop));
  look(cudaEventElapsedTime(milliseconds, start, stop));
  look(cudaEventElapsedTime(milliseconds, untimed, stop));  // finds: E15
  const auto wait = [&] { look(cudaEventSynchronize(stop)); };
  look(cudaEventRecord(stop));
  look(cudaEventElapsedTime(milliseconds, start, stop));  // finds: E15
  wait();
  look(cudaEventElapsedTime(milliseconds, start, stop));
}
