// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// The functions of CUDA's runtime that a launch needs. They do nothing, so that the count contains
// only the launching program's own instructions.

#include <cuda_runtime_api.h>

// Read at run time, so that no compiler knows that launches succeed.
volatile int launch_status = 0;

extern "C" {

cudaError_t cudaLaunchKernel(const void*, dim3, dim3, void**, size_t, cudaStream_t) {
  return static_cast<cudaError_t>(launch_status);
}
cudaError_t __cudaLaunchKernel(cudaKernel_t, dim3, dim3, void**, size_t, cudaStream_t) {
  return static_cast<cudaError_t>(launch_status);
}
cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t*, const void*, void**) {
  return static_cast<cudaError_t>(launch_status);
}
cudaError_t cudaPeekAtLastError() { return static_cast<cudaError_t>(launch_status); }
const char* cudaGetErrorName(cudaError_t) { return "name"; }
const char* cudaGetErrorString(cudaError_t) { return "text"; }
cudaError_t cudaFuncSetAttribute(const void*, cudaFuncAttribute, int) { return cudaSuccess; }

// Of a borrowed stream, before the count. checked_runtime.cpp has its own.
[[gnu::weak]] cudaError_t cudaStreamIsCapturing(cudaStream_t, cudaStreamCaptureStatus*) {
  return cudaSuccess;
}
[[gnu::weak]] cudaError_t cudaStreamGetId(cudaStream_t, unsigned long long*) { return cudaSuccess; }
[[gnu::weak]] cudaError_t cudaGetDriverEntryPointByVersion(const char*, void**, unsigned,
                                                           unsigned long long,
                                                           cudaDriverEntryPointQueryResult*) {
  return cudaErrorNotSupported;
}

// What nvcc's own code calls: before main, and in `<<<>>>`.
unsigned __cudaPushCallConfiguration(dim3, dim3, size_t, cudaStream_t) {
  return static_cast<unsigned>(launch_status);
}
cudaError_t __cudaPopCallConfiguration(dim3*, dim3*, size_t*, void*) {
  return static_cast<cudaError_t>(launch_status);
}
cudaError_t __cudaGetKernel(cudaKernel_t*, const void*) { return cudaSuccess; }
void** __cudaRegisterFatBinary(void*) { return nullptr; }
void __cudaRegisterFatBinaryEnd(void**) {}
void __cudaUnregisterFatBinary(void**) {}
void __cudaRegisterFunction(void**, const char*, char*, const char*, int, uint3*, uint3*, dim3*,
                            dim3*, int*) {}
char __cudaInitModule(void**) { return 1; }
}
